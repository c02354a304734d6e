"""What a command imports: the seconds that it takes to start are imports."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from streams.app import AGENTS
from streams.cli.app import EXPECTED, INVALID, NO_BROKER, UNKNOWN, app
from streams.cli.commands import COMMANDS, SECTIONS, load_command
from streams.cli.groups import COMPLETION_VARIABLE
from streams.cli.local.fork_server import SHARED

ROOT = Path(__file__).parents[2]
HEAVY = {
    "aiohttp",
    "faust",
    "lxml",
    "motor",
    "numpy",
    "opentelemetry",
    "prometheus_client",
    "uvloop",
}
"""What only processes of a deployment need, and some commands once they run."""
CLIENTS = {"aiokafka", "fastavro", "msgspec", "pydantic", "rich.progress", "sqlite3", "structlog"}
"""What a command needs that asks the broker or the store."""

RECORDS = {
    "schemas.records.changes",
    "schemas.records.fields",
    "schemas.records.table_rows",
    "schemas.records.topics",
}
"""What defines records."""


def imported(program: str) -> set[str]:
    """The modules that a program has imported at its end."""
    return imported_in_turn(program)[0]


def imported_in_turn(*parts: str) -> list[set[str]]:
    """The modules that a program has imported at the end of each of its parts."""
    shown = "".join(
        f"{part}\nimport json, sys\nprint(json.dumps([*sys.modules]))\n" for part in parts
    )
    run = subprocess.run(
        [sys.executable, "-c", shown], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return [set(json.loads(line)) for line in run.stdout.splitlines()[-len(parts) :]]


def after(*arguments: str) -> set[str]:
    """The modules that ``vokter`` has imported at its end."""
    return imported(
        "import sys\n"
        f"sys.argv = {['vokter', *arguments]!r}\n"
        "from streams.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code"
    )


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_vokter_says_of_itself_imports_no_client(option: str) -> None:
    found = after(option)
    assert "typer" in found
    assert found & (HEAVY | CLIENTS) == set()


@pytest.mark.parametrize("line", [["subscribe", "--help"], ["keys", "--help"]])
def test_the_help_of_a_command_does_without_rich(line: list[str]) -> None:
    """It took as long as all the rest."""
    found = after(*line)
    assert "streams.cli.groups" in found
    assert {name for name in found if name.partition(".")[0] == "rich"} == set()


@pytest.mark.parametrize("line", [["doctor"], ["status", "--once"]])
def test_a_check_of_nothing_imports_no_client(line: list[str], tmp_path: Path) -> None:
    found = imported(
        f"import sys\nsys.argv = ['vokter', *{line!r}, '--data-dir', {str(tmp_path)!r}]\n"
        "from streams.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert end.code"
    )
    assert "pydantic" in found
    assert found & (HEAVY | (CLIENTS - {"pydantic"})) == set()


def test_a_list_imports_what_reads_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOKTER_STORE", f"sqlite:{tmp_path / 'store.db'}")
    (tmp_path / "store.db").touch()
    found = after("list", "--json")
    assert "sqlite3" in found
    assert found & (HEAVY | {"aiokafka", "fastavro", "structlog", "rich.progress"}) == set()


def test_no_command_imports_a_client_or_settings_before_it_runs() -> None:
    """Its --help must not wait for them."""
    found = imported(
        "from streams.cli.commands import COMMANDS, load_command\n"
        "for name in COMMANDS: load_command(name)"
    )
    assert "streams.cli.jobs.requests" in found
    assert found & (HEAVY | CLIENTS | {"streams.settings"}) == set()


def test_settings_import_no_record_and_no_command_of_services_does() -> None:
    """A third of the time that settings take was records, for two constants."""
    found = imported(
        "import streams.settings\n"
        "from streams.cli.commands import load_command\n"
        "for name in ('up', 'worker', 'api'): load_command(name)"
    )
    assert "schemas.records.topic_names" in found
    assert found & RECORDS == set()


@pytest.mark.slow  # imports of agents are below
def test_what_runs_for_long_logs_without_rich_and_others_can_import_it() -> None:
    """4 MB of it, in each process of a deployment."""
    modules = "".join(f"import {name}\n" for name in SHARED)
    found = imported(f"{modules}import structlog\nassert structlog.dev.rich is None")
    assert "rich" not in found
    assert "rich.console" in imported(f"{modules}import rich.console")


def test_no_agent_imports_anything_that_its_process_could_share() -> None:
    shared = "".join(f"import {name}\n" for name in SHARED)
    lone = {"match", "percolate"}
    several, others = (
        "".join(f"import streams.effects.{name}\n" for name in names)
        for names in (AGENTS.keys() - lone, lone)
    )
    before, after_several, after_all = imported_in_turn(shared, several, others)
    assert after_several == before
    more = after_all - before
    assert "numpy" in more
    assert {name for name in more if name.startswith("connectors.")} == set()


def test_credentials_are_listed_without_what_sends_to_channels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOKTER_STORE", f"sqlite:{tmp_path / 'store.db'}")
    (tmp_path / "store.db").touch()
    found = after("credentials", "list")
    assert "sqlite3" in found
    assert found & HEAVY == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_shows_the_first_line_of_each_help(name: str) -> None:
    command = load_command(name)
    assert command.name == name or len(command.commands) > 0
    assert command.help.splitlines()[0] == COMMANDS[name].help


@pytest.mark.parametrize("line", [[], ["dead-letters"], ["evidence"], ["keys"]])
def test_no_list_of_commands_cuts_a_sentence(line: list[str]) -> None:
    shown = CliRunner().invoke(app, [*line, "--help"]).output
    listed = shown.partition("Commands:" if line else "Run:")[2]
    assert listed.strip().endswith(".")
    assert "..." not in listed


def test_every_command_has_its_section_in_the_help() -> None:
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(COMMANDS)
    shown = CliRunner().invoke(app, ["--help"]).output
    for title, names in SECTIONS.items():
        listed = shown.partition(f"{title}:\n")[2].partition("\n\n")[0]
        found = [line.split()[0] for line in listed.splitlines() if line[:3].strip()]
        assert found == list(names)


@pytest.mark.parametrize(("typed", "completed"), [
    ("vokter wat", "watch"),
    ("vokter list --fail", "--failing"),
    ("vokter keys rem", "remove"),
])  # fmt: skip
def test_a_shell_completes_commands_and_options(typed: str, completed: str) -> None:
    asked = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    env = os.environ | asked | {COMPLETION_VARIABLE: "complete_bash"}
    program = "import sys; sys.argv[0] = 'vokter'; from streams.cli.entry import main; main()"
    line = [sys.executable, "-c", program]
    found = subprocess.run(line, env=env, capture_output=True, text=True, check=False)
    assert found.stdout.split() == [completed], found.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_that_asks_vokter(shell: str) -> None:
    shown = CliRunner().invoke(app, ["completion", shell])
    assert (shown.exit_code, f"{COMPLETION_VARIABLE}=complete_{shell}" in shown.output) == (0, True)


def test_a_misspelt_command_is_answered_with_the_nearest() -> None:
    result = CliRunner().invoke(app, ["wacth"])
    assert result.exit_code == 2
    assert "Did you mean 'watch'?" in result.output


def test_h_is_help_for_vokter_and_its_commands() -> None:
    for line in (["-h"], ["cancel", "-h"], ["keys", "add", "-h"]):
        result = CliRunner().invoke(app, line)
        assert (result.exit_code, "Usage: " in result.output) == (0, True)


def test_every_expected_error_exists() -> None:
    for module, _, name in (
        each.rpartition(".") for each in (*EXPECTED, INVALID, UNKNOWN, NO_BROKER)
    ):
        assert hasattr(import_module(module), name), module
