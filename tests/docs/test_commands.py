"""Every command of the documentation is run by a test, or has a reason why not."""

import re

import pytest
import typer
from typer.testing import CliRunner

from streams.cli.app import app
from streams.cli.commands import COMMANDS as TOP
from streams.cli.commands import load_command
from tests.docs.not_run import NOT_RUN, is_run
from tests.docs.reading import MANUAL, ROOT, commands, languages, text

SHOWN = {
    str(file.relative_to(ROOT)): found
    for file in MANUAL
    if (found := commands(file.read_text("utf-8")))
}
RUN = [
    page
    for file in (ROOT / "tests/broker").glob("test_manual*.py")
    for page in re.findall(r'"([\w/.-]+\.md)"', file.read_text("utf-8"))
]
"""Pages with commands that those files run, except those of NOT_RUN."""
TESTS = "".join(file.read_text("utf-8") for file in (ROOT / "tests/broker").glob("*.py"))


@pytest.mark.parametrize("page", SHOWN)
def test_a_page_is_run_or_each_of_its_commands_has_a_reason_why_not(page: str) -> None:
    left = [] if page in RUN else [command for command in SHOWN[page] if is_run(command)]
    assert left == []


def test_shell_commands_stand_in_blocks_without_a_language() -> None:
    kinds = {kind for file in MANUAL for kind in languages(file.read_text("utf-8"))}
    assert kinds <= {"", "json", "properties", "python", "text", "toml", "yaml"}


@pytest.mark.parametrize("beginning", NOT_RUN)
def test_a_reason_belongs_to_a_command_of_the_documentation(beginning: str) -> None:
    shown = [command for found in SHOWN.values() for command in found]
    assert [command for command in shown if command.startswith(beginning)]


def lines(command: object, *path: str) -> list[tuple[str, ...]]:
    """Return every command with its name, except groups of commands."""
    if not isinstance(command, typer.core.TyperGroup):
        return [path]
    below = command.commands.items()
    return [line for name, found in below for line in lines(found, *path, name)]


COMMANDS = [line for name in TOP for line in lines(load_command(name), name)]


@pytest.mark.parametrize("line", COMMANDS, ids=" ".join)
def test_every_command_is_run_on_a_deployment_and_has_a_help(line: tuple[str, ...]) -> None:
    shown = [f"{command} " for page in RUN for command in SHOWN[page] if is_run(command)]
    quoted = ", ".join(f'"{word}"' for word in line)
    assert quoted in TESTS or any(f"vokter {' '.join(line)} " in command for command in shown)

    result = CliRunner().invoke(app, [*line, "--help"])
    assert result.exit_code == 0
    assert "Usage: " in result.output


@pytest.mark.parametrize("line", COMMANDS, ids=" ".join)
def test_the_page_of_commands_has_every_command(line: tuple[str, ...]) -> None:
    assert re.search(rf"`vokter {' '.join(line)}\b", text("docs/commands.md"))
