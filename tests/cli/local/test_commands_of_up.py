"""The processes of ``vokter up``."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from typer.testing import CliRunner

from connectors.access.keys import ApiKeys
from connectors.access.roles import Role
from streams.app import AGENTS, NEEDED_AGENTS
from streams.cli.app import app
from streams.cli.local import commands, deployment


def agents_of(is_apart: bool, renders: bool = False, cores: int = 1) -> dict[str, list[str]]:
    lines = deployment._commands(is_apart, renders=renders, cores=cores)
    workers = {n: line[line.index("worker") + 1 :] for n, line in lines.items() if n != "api"}
    # Each is the only worker of its agents.
    assert {first for first, *_ in workers.values()} == {"--alone"}
    return {name: agents for name, (_, *agents) in workers.items()}


def test_with_one_core_all_agents_run_in_one_process() -> None:
    assert agents_of(is_apart=False) == {"agents": list(NEEDED_AGENTS)}


def test_with_more_cores_no_notification_waits_for_what_need_not_be_at_once() -> None:
    shared = agents_of(is_apart=False, cores=2)
    assert shared["delivery"] == ["deliver"]
    assert shared["background"] == ["judge", "history", "record", "crawl"]
    assert shared.keys() == {"agents", "delivery", "background"}
    assert sorted(name for names in shared.values() for name in names) == sorted(NEEDED_AGENTS)
    assert agents_of(is_apart=True, cores=2) == agents_of(is_apart=True)


def test_each_agent_may_have_a_process() -> None:
    assert agents_of(is_apart=True) == {name: [name] for name in NEEDED_AGENTS}


def test_pages_are_rendered_in_a_process_apart_where_there_is_a_browser() -> None:
    together = agents_of(is_apart=False, renders=True)
    assert together == {"agents": list(NEEDED_AGENTS), "render": ["render"]}
    assert agents_of(is_apart=True, renders=True).keys() == AGENTS.keys()


@pytest.mark.parametrize("arguments", [["up"], ["up", "--processes"]])
def test_the_option_decides(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    async def up(settings: object, server: object, *, is_apart: bool) -> None:
        asked.append(is_apart)

    monkeypatch.setattr(commands, "_up", up)
    monkeypatch.setattr("streams.cli.local.fork_server.fork_server", nullcontext)
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert asked == ["--processes" in arguments]


def test_each_process_is_started_where_none_may_be_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    servers: list[object] = []

    async def up(settings: object, server: object, *, is_apart: bool) -> None:
        servers.append(server)

    monkeypatch.setattr(commands, "_up", up)
    monkeypatch.setattr("streams.cli.local.fork_server.IS_SAFE", False)
    assert CliRunner().invoke(app, ["up"]).exit_code == 0
    assert servers == [None]


def test_a_key_is_created_and_printed_where_there_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def up(settings: object, server: object, *, is_apart: bool) -> None:
        """Run nothing."""

    monkeypatch.setattr(commands, "_up", up)
    monkeypatch.setattr("streams.cli.local.fork_server.fork_server", nullcontext)
    arguments = ["up", "--data-dir", str(tmp_path)]
    assert "vk_" not in CliRunner().invoke(app, arguments).output
    assert not list(tmp_path.iterdir())
    first = CliRunner().invoke(app, [*arguments, "--first-key"]).output
    (secret,) = (word for word in first.split() if word.startswith("vk_"))
    key = ApiKeys(tmp_path / "api-keys.json").find(secret)
    assert key
    assert (key.manager, key.role) == ("default", Role.ADMIN)
    assert "vk_" not in CliRunner().invoke(app, [*arguments, "--first-key"]).output
