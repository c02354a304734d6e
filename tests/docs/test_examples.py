import ast
import importlib
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from streams.cli.app import app
from streams.cli.commands import COMMANDS, load_command
from tests.docs.reading import FILES, MANUAL, ROOT, blocks, links, spans, text
from tests.harness.imports import imported_modules

README, KAFKA = (blocks(text(page), "python") for page in ("README.md", "docs/how-to/use-kafka.md"))
SHOWN = [*README, *KAFKA, *blocks(text("docs/library.md"), "python")]
CALL = re.compile(r"^(?:\w+=\S+ )*(?:\.venv/bin/)?vokter( .*|$)")


def commands() -> list[str]:
    """Return every ``vokter …`` of the documentation, in code font or as a line of a block."""
    lines = [
        line.strip()
        for file in MANUAL
        for page in [file.read_text("utf-8")]
        for line in [*spans(page), *"".join(blocks(page, "")).splitlines()]
    ]
    return sorted({line for line in lines if CALL.match(line)})


def has_target(file: Path, link: str) -> bool:
    """Return whether a relative link leads to a file, and to a heading of it if it names one."""
    name, _, heading = link.partition("#")
    target = file.parent / name if name else file
    return target.exists() and (not heading or heading in headings(target.read_text("utf-8")))


@cache
def whole_command() -> Any:
    return typer.main.get_command(app)


@pytest.mark.parametrize("line", commands())
def test_a_command_of_the_documentation_exists_with_its_options(line: str) -> None:
    found = CALL.match(line)
    assert found is not None
    alone = re.split(r" [|>&] ", found[1])[0]
    words = shlex.split(alone.replace("(", " ").replace(")", " ").replace("|", " "))
    command = whole_command()
    has_name = bool(words) and not words[0].startswith("-")
    if has_name:
        assert words[0] in COMMANDS, f"there is no command {words[0]}"
        command = load_command(words.pop(0))
    while words and has_name and isinstance(command, typer.core.TyperGroup):
        name = words.pop(0)
        assert name in command.commands, f"there is no command {name}"
        command = command.commands[name]

    options = {word.partition("=")[0] for word in words if word.startswith("-")}
    assert options <= {name for each in command.params for name in each.opts} | {"--help"}
    has_arguments = any(parameter.param_type_name == "argument" for parameter in command.params)
    assert has_arguments or all(word.startswith("-") for word in words)


@pytest.mark.parametrize("target", re.findall(r"\bmake ([a-z]+)", text("README.md")))
def test_a_make_target_of_the_readme_exists(target: str) -> None:
    assert re.search(rf"^{target}:", text("Makefile"), re.MULTILINE)


def test_the_readme_shows_the_library_and_a_guide_how_to_produce_and_consume() -> None:
    assert (len(README), len(KAFKA)) == (1, 2)


@pytest.mark.parametrize("source", SHOWN)
def test_a_snippet_compiles_and_its_imports_exist(source: str) -> None:
    tree = ast.parse(source)
    compile(tree, "README.md", "exec")

    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(node.module or "")
            assert all(hasattr(module, alias.name) for alias in node.names)


def programs() -> list[str]:
    """Return the Python of the examples and of the documentation."""
    shown = [source for page in MANUAL for source in blocks(page.read_text("utf-8"), "python")]
    return [*shown, *(each.read_text("utf-8") for each in (ROOT / "examples").glob("*.py"))]


def test_programs_of_users_import_only_public_modules() -> None:
    imports = [name for each in programs() for name in imported_modules(ast.parse(each))]
    ours = {name for name in imports if (ROOT / name.partition(".")[0]).is_dir()}
    assert ours == {"vokter", "vokter.topics", "vokter.plugins"}


def test_a_relative_link_has_a_target() -> None:
    found = [(file, link) for file in FILES for link in links(file.read_text("utf-8"))]
    relative = [(file, link) for file, link in found if "://" not in link]
    assert [each for each in relative if not has_target(*each)] == []


def headings(page: str) -> set[str]:
    """Return headings as GitHub names their anchors."""
    titles = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
