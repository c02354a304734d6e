"""``vokter worker``, before it connects to anything."""

import asyncio
import socket
from contextlib import nullcontext
from pathlib import Path
from uuid import uuid4

import pytest
from aiokafka.errors import KafkaConnectionError, NodeNotReadyError, TopicAuthorizationFailedError
from structlog.testing import capture_logs

from streams.app import MATCH, RECORD
from streams.cli import main
from streams.cli.local import running
from streams.engine.members import Member
from streams.engine.process import _process_id
from streams.settings import Settings


def test_an_agent_that_does_not_exist_is_named_even_where_nothing_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("VOKTER_KAFKA", raising=False)
    monkeypatch.setenv("VOKTER_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["vokter", "worker", "match", "fetsch"])

    with pytest.raises(SystemExit) as end:
        main()

    assert end.value.code == 2
    assert "'fetsch' is not an agent" in capsys.readouterr().err


def prepared_by(agents: list[str], monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return what is prepared before these agents start."""
    called: set[str] = set()
    for name in ("prepare_deployment", "create_all_topics", "claim_signing_key", "started_codec"):

        async def call(_: Settings, name: str = name) -> None:
            called.add(name)

        monkeypatch.setattr(running, name, call)

    async def await_partitions(settings: Settings) -> Settings:
        return settings

    monkeypatch.setattr(running, "await_partitions", await_partitions)
    asyncio.run(running._prepared(Settings(), agents))
    return called - {"started_codec"}


def test_a_process_needs_the_secrets_of_its_agents_only(monkeypatch: pytest.MonkeyPatch) -> None:
    topics, store, key = "create_all_topics", "prepare_deployment", "claim_signing_key"
    assert prepared_by(["ticker", "match"], monkeypatch) == {topics}
    assert prepared_by(["match", "deliver"], monkeypatch) == {topics, key}
    assert prepared_by(["match", "record"], monkeypatch) == {store}
    assert prepared_by(["fetch", "deliver"], monkeypatch) == {store, key}


def prepared_after(errors: list[Exception], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Prepare a process with these errors at first; return what it logged meanwhile."""

    async def prepared_once(*_: object) -> tuple[None, None]:
        if errors:
            raise errors.pop(0)
        return None, None

    monkeypatch.setattr(running, "_prepared_once", prepared_once)
    monkeypatch.setattr(running, "RETRY_PAUSE_S", 0)
    with capture_logs() as logged:
        asyncio.run(running._prepared(Settings(), ["match"]))
    return [line["event"] for line in logged]


def test_while_some_brokers_are_away_a_process_says_so_and_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = prepared_after([NodeNotReadyError("node 2"), TimeoutError()], monkeypatch)
    assert said == ["brokers are away or not ready; this process starts once they are back"] * 2


@pytest.mark.parametrize("error", [KafkaConnectionError, TopicAuthorizationFailedError, OSError])
def test_an_error_that_may_stay_ends_the_process(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(error):
        prepared_after([error("x")], monkeypatch)


def test_the_id_of_a_process_names_its_agents_and_is_that_of_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "host")
    match, record = (
        Member(agent, nullcontext, Path(agent.name, "1"), uuid4().hex, lambda: None)
        for agent in (MATCH, RECORD)
    )
    assert _process_id([match]) == "match-host-1"
    assert _process_id([match, record]) == "match+record-host-1"
