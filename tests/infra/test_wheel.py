"""What an installation gets: one package with what is needed at run time, and no more."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder

from connectors.kafka.patching import PATCHED_VERSION
from hatch_build import module_name, renamed
from tests.harness.imports import imported_modules
from vokter.__main__ import main

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SERVER = PROJECT["project"]["optional-dependencies"]["server"]
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
MOVED = [name for name in PACKAGES if name != "vokter"]
FILES = {
    file.relative_to(ROOT).as_posix()
    for name in PACKAGES
    for file in (ROOT / name).rglob("*")
    if file.is_file() and "__pycache__" not in file.parts
}
MODULES = {module_name(name) for name in FILES if name.endswith(".py")}
NAME = re.compile(rf"(?<![\w./-])(?:{'|'.join(MOVED)})\.\w+")
MENTION = re.compile(rf"(?<![\w./-])(?:{'|'.join(MOVED)})\b")
BEGINNINGS = {f"{name}." for name in MOVED}
WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if path is None and name in {missing!r}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Missing())
sys.path.insert(0, {folder!r})
"""
FORMATS = """
import json
from PACKAGE.connectors.readers.versions import VERSIONS, reader_id
from PACKAGE.connectors.stores.packing import pack_fact
from PACKAGE.schemas.records.deliveries import ClientGone
from PACKAGE.schemas.codec.generation import schema_of
from PACKAGE.schemas.records.requests import Cancel
from PACKAGE.schemas.records.subscriptions import Receiver
from PACKAGE.schemas.codec.versions import KINDS, schemas
from PACKAGE.schemas.codec.wire import encode

request = Cancel("https://example.org/", Receiver(session="s"), request_id="r")
print(json.dumps([
    [schema_of(kind) for kind in KINDS],
    [[each.header.hex(), each.source] for each in schemas()],
    encode(request).hex(),
    pack_fact(ClientGone("default", "https://example.org/", "gone", 1)).hex(),
    [reader_id(name) for name in VERSIONS],
]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which a wheel was unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with ZipFile(built) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


@pytest.fixture(scope="module")
def trees(wheel: Path) -> dict[str, ast.AST]:
    """Modules in which a package stands by its name here: to parse all takes seconds."""
    texts = {path: path.read_text("utf-8") for path in wheel.rglob("*.py")}
    return {
        path.relative_to(wheel).as_posix(): ast.parse(text)
        for path, text in texts.items()
        if MENTION.search(text)
    }


def printed(program: str, *arguments: str, cwd: Path = ROOT) -> str:
    """Run a program; what it has printed."""
    line = [sys.executable, "-c", program, *arguments]
    run = subprocess.run(line, capture_output=True, text=True, check=False, cwd=cwd)
    assert run.returncode == 0, run.stderr
    return run.stdout


def strings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def required(names: list[str]) -> set[str]:
    """The distributions that some require on this machine, with those that these require."""
    found = set[str]()
    while names:
        name = re.match(r"[\w.-]+", names.pop())
        assert name is not None
        if name[0].lower() not in found:
            found.add(name[0].lower())
            names += [each for each in requires(name[0]) or () if "extra ==" not in each]
    return found


def test_the_wheel_has_one_package_with_all_files_of_the_repositorys_packages(wheel: Path) -> None:
    (metadata,) = wheel.glob("*.dist-info")
    assert {path.name for path in wheel.iterdir()} == {"vokter", metadata.name}
    found = {p.relative_to(wheel).as_posix() for p in (wheel / "vokter").rglob("*") if p.is_file()}
    assert found == {name if name.startswith("vokter/") else f"vokter/{name}" for name in FILES}
    assert {"vokter/infra/kafka.lock", "vokter/py.typed"} <= found


def test_a_release_names_the_repository_that_has_built_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://git.example")
    monkeypatch.setenv("GITHUB_REPOSITORY", "owner/fork")
    urls = WheelBuilder(str(ROOT)).metadata.core.urls
    assert urls["Repository"] == "https://git.example/owner/fork"
    monkeypatch.delenv("GITHUB_REPOSITORY")
    assert WheelBuilder(str(ROOT)).metadata.core.urls == {}


def test_the_wheel_has_no_server_that_only_tests_start(wheel: Path) -> None:
    names = [path.name for path in wheel.rglob("*")]
    assert [name for name in names if "ferretdb" in name or "apicurio" in name] == []
    assert [name for name in names if name.endswith((".go", "go.mod", "go.sum"))] == []


@pytest.mark.slow  # each file is read; the names are renamed below
def test_no_module_imports_a_package_of_the_repository_by_its_name_there(
    trees: dict[str, ast.AST],
) -> None:
    found = {
        (path, name)
        for path, tree in trees.items()
        for name in imported_modules(tree)
        if name.partition(".")[0] in MOVED
    }
    assert found == set()


@pytest.mark.slow  # each file is read; the names are renamed below
def test_no_string_names_a_module_or_begins_the_name_of_one_as_in_the_repository(
    trees: dict[str, ast.AST],
) -> None:
    found = {
        (path, text)
        for path, tree in trees.items()
        for text in strings(tree)
        if text in BEGINNINGS or not MODULES.isdisjoint(NAME.findall(text))
    }
    assert found == set()


def test_no_module_uses_a_name_that_its_imports_no_longer_bind(wheel: Path) -> None:
    line = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", str(wheel)]
    run = subprocess.run(line, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


@pytest.mark.slow  # names are looked up above
def test_every_module_can_be_imported_where_a_user_has_no_such_packages(wheel: Path) -> None:
    moved = [name if name.startswith("vokter") else f"vokter.{name}" for name in sorted(MODULES)]
    names = [name for name in moved if not name.endswith("__main__")]
    program = WITHOUT.format(missing=MOVED, folder=str(wheel)) + (
        "from importlib import import_module\n"
        f"for name in {names!r}: import_module(name)\n"
        "print(sys.modules['vokter.schemas.records.topics'].__file__)"
    )
    assert printed(program).startswith(str(wheel))


def test_formats_of_data_are_those_of_the_repository(wheel: Path) -> None:
    setup = WITHOUT.format(missing=MOVED, folder=str(wheel))
    installed = json.loads(printed(setup + FORMATS.replace("PACKAGE", "vokter")))
    assert installed == json.loads(printed(FORMATS.replace("PACKAGE.", "")))


def test_the_library_works_with_no_package_but_those_that_it_requires(wheel: Path) -> None:
    needed = required(list(PROJECT["project"]["dependencies"]))
    missing = [
        module
        for module, distributions in packages_distributions().items()
        if module != "vokter" and not needed & {each.lower() for each in distributions}
    ]
    shown = printed(
        WITHOUT.format(missing=[*MOVED, *missing], folder=str(wheel)) + "import vokter.topics\n"
        "from vokter import *\n"
        "JobManager('news-desk', '127.0.0.1:9092')\n"
        "print(matches_html([]), sorted(sys.modules))\n"
    )
    assert "'vokter.library'" in shown
    assert "pydantic" in missing


def test_the_command_does_not_import_the_library(wheel: Path) -> None:
    setup = WITHOUT.format(missing=MOVED, folder=str(wheel))
    program = "from vokter.__main__ import main\nimport vokter.streams.cli.app\n"
    shown = printed(f"{setup}{program}print(sorted(sys.modules))")
    assert "'vokter.streams.cli.app'" in shown
    assert "vokter.library" not in shown
    assert "aiokafka" not in shown


def test_the_library_pins_nothing_and_a_deployment_what_is_patched() -> None:
    assert [each for each in PROJECT["project"]["dependencies"] if "==" in each.split(";")[0]] == []
    assert f"aiokafka=={PATCHED_VERSION}" in SERVER


def test_without_the_packages_of_a_deployment_a_command_says_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "faust", None)
    with pytest.raises(SystemExit, match=re.escape("pip install 'vokter[server]'")):
        main()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from schemas import wire", "from vokter.schemas import wire"),
        ("import schemas.wire as codec", "import vokter.schemas.wire as codec"),
        ("import json, schemas.wire", "import json, vokter.schemas.wire"),
        ("'é'; at('schemas.wire:encode')", "'é'; at('vokter.schemas.wire:encode')"),
        ("'''Runs\n``schemas.wire``.'''", "'''Runs\n``vokter.schemas.wire``.'''"),
        ('f"of {a} schemas.wire"', 'f"of {a} vokter.schemas.wire"'),
    ],
)
def test_a_module_is_renamed_in_imports_and_strings(source: str, expected: str) -> None:
    assert renamed(source.encode(), {"schemas", "schemas.wire"}) == expected.encode()


@pytest.mark.parametrize(
    "source",
    [
        "from . import schemas",
        "from avro.schemas import wire",
        "schemas = {}; schemas.wire",
        "{'schemas': 'schemas.other'}",
        "'avro.schemas.wire'",
        "'docs/schemas.wire'",
        "'vokter.schemas.wire'",
    ],
)
def test_other_names_stay_as_they_are(source: str) -> None:
    assert renamed(source.encode(), {"schemas", "schemas.wire"}) == source.encode()
