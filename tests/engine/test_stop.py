"""The status that a process of agents leaves with, and what its agents do before."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from signal import SIGTERM
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from structlog.contextvars import get_contextvars
from structlog.testing import capture_logs

from streams.engine import process
from streams.engine.faust.app import PatchedApp
from streams.engine.life.loop_watch import BROKEN
from tests.fakes.parts import fake_parts
from tests.harness.waiting import until


class Ended(Exception):
    """The process ends here."""


class Agent:
    """An agent whose app starts nothing of Faust; ``seen`` has what it did, and in what context."""

    def __init__(self, name: str, seen: list[tuple[str, Any]]) -> None:
        self.name = name
        self.seen = seen
        self.error: Exception | None = None
        self.is_started = asyncio.Event()
        self.is_done = asyncio.Event()
        self.is_done.set()
        parts = fake_parts(
            acks=SimpleNamespace(capacity=SimpleNamespace(is_open=True)),
            producer=SimpleNamespace(flush=_flushed),
            services=self._services,
        )
        self.app = PatchedApp(name, parts, broker="kafka://127.0.0.1:1", store="memory://")
        vars(self.app)["start"] = self._start
        vars(self.app)["_flow"] = SimpleNamespace(close=self._close)
        self.app.consumer = SimpleNamespace(force_commit=_flushed)  # type: ignore[assignment]

    async def _start(self) -> None:
        self.seen.append(("started", get_contextvars()))
        await self.app._services.enter_async_context(self._services())
        self.is_started.set()
        if self.error:
            raise self.error

    @asynccontextmanager
    async def _services(self) -> AsyncIterator[None]:
        yield
        self.seen.append((f"{self.name} closed", get_contextvars()))

    async def _close(self, drain_s: float) -> None:
        await asyncio.sleep(0)
        await self.is_done.wait()
        self.seen.append((f"{self.name} let go", get_contextvars()))


async def _flushed() -> bool:
    return True


@pytest.fixture(autouse=True, scope="module")
def in_time() -> Iterator[None]:
    """Let no thread end the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "Timer", Mock())
        yield
    # Python before 3.11.8 cannot compile a module while such garbage is collected.
    gc.collect()


@pytest.fixture
def agents() -> dict[str, Agent]:
    seen: list[tuple[str, Any]] = []
    return {name: Agent(name, seen) for name in ("match", "deliver")}


async def turns(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def never() -> None:
    await asyncio.Event().wait()


async def _returned(event: asyncio.Event) -> None:
    await event.wait()


async def status(agents: dict[str, Agent]) -> int:
    return await process._run({name: agent.app for name, agent in agents.items()}, never)


async def asked(agents: dict[str, Agent]) -> int:
    """Return the status after a stop that is asked for once all have started."""
    ending = asyncio.create_task(status(agents))
    for agent in agents.values():
        await agent.is_started.wait()
    os.kill(os.getpid(), SIGTERM)
    return await ending


async def test_a_stop_that_a_signal_asked_for_is_a_success_once_all_agents_have_let_go(
    agents: dict[str, Agent],
) -> None:
    with capture_logs() as said:
        assert await asked(agents) == 0
    assert [line["signal"] for line in said if "signal" in line] == ["SIGTERM"]
    assert [what for what, _ in agents["match"].seen[2:4]] == ["match let go", "deliver let go"]


async def test_no_agent_closes_its_services_before_the_slowest_one_has_let_go(
    agents: dict[str, Agent],
) -> None:
    agents["deliver"].is_done.clear()
    ending = asyncio.create_task(asked(agents))
    seen = agents["match"].seen
    await until(lambda: "match let go" in [what for what, _ in seen], "match has let go")
    await turns()
    assert [what for what, _ in seen[2:]] == ["match let go"]
    agents["deliver"].is_done.set()
    assert await ending == 0
    assert [what for what, _ in seen[3:]] == ["deliver let go", "match closed", "deliver closed"]


async def test_each_line_of_the_log_names_its_agent(agents: dict[str, Agent]) -> None:
    await asked(agents)
    assert [context["agent"] for _, context in agents["match"].seen] == ["match", "deliver"] * 3


async def test_a_crash_of_one_agent_is_a_failure_of_the_process_and_the_others_let_go(
    agents: dict[str, Agent],
) -> None:
    agents["match"].error = RuntimeError("lost")
    assert await status(agents) == BROKEN
    assert "deliver let go" in [what for what, _ in agents["deliver"].seen]


async def test_a_crash_during_a_stop_that_was_asked_for_is_a_failure(
    agents: dict[str, Agent],
) -> None:
    await agents["deliver"].app.crash(RuntimeError("lost"))
    assert await asked(agents) == BROKEN


async def test_an_agent_that_stops_without_having_been_asked_is_a_failure(
    agents: dict[str, Agent],
) -> None:
    ending = asyncio.create_task(status(agents))
    await agents["match"].is_started.wait()
    await agents["match"].app.stop()
    assert await ending == BROKEN
    assert "deliver let go" in [what for what, _ in agents["deliver"].seen]


async def test_partitions_that_are_added_are_no_stop_that_was_asked_for(
    agents: dict[str, Agent],
) -> None:
    added = asyncio.Event()
    apps = {name: agent.app for name, agent in agents.items()}
    ending = asyncio.create_task(process._run(apps, lambda: _returned(added)))
    for agent in agents.values():
        await agent.is_started.wait()
    added.set()
    assert await ending == BROKEN
    assert "match let go" in [what for what, _ in agents["match"].seen]


async def test_an_error_of_what_watches_the_partitions_ends_the_process(
    agents: dict[str, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = asyncio.Event()
    left: list[int] = []

    def leave(code: int) -> None:
        left.append(code)
        ended.set()

    async def broken() -> None:
        raise ValueError("unknown record")

    monkeypatch.setattr("streams.engine.life.loop_watch.leave", leave)
    apps = {name: agent.app for name, agent in agents.items()}
    ending = asyncio.create_task(process._run(apps, broken))
    await ended.wait()
    assert left == [BROKEN]
    await ending


async def test_an_agent_that_cannot_let_go_ends_the_process_at_once(
    agents: dict[str, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons: list[tuple[str, BaseException]] = []

    def end(reason: str, error: BaseException) -> None:
        reasons.append((reason, error))
        raise Ended

    async def broken() -> bool:
        raise OSError("the broker is away")

    monkeypatch.setattr(process, "end_process", end)
    agents["match"].app.consumer.force_commit = broken  # type: ignore[attr-defined]
    with pytest.raises(Ended):
        await asked(agents)
    assert [(reason, str(error)) for reason, error in reasons] == [
        ("an agent could not let go", "the broker is away")
    ]


def test_the_process_leaves_with_the_status_after_its_metrics_are_withdrawn(
    agents: dict[str, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[object] = []

    @asynccontextmanager
    async def serving() -> AsyncIterator[None]:
        yield
        order.append("withdrawn")

    monkeypatch.setattr(process, "leave", order.append)
    agents["match"].error = RuntimeError("lost")
    within: AbstractAsyncContextManager[None] = serving()
    loop = asyncio.new_event_loop()
    process.run_apps({name: agent.app for name, agent in agents.items()}, within, loop, never)
    loop.close()
    assert order == ["withdrawn", BROKEN]
