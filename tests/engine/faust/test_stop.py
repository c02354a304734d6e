"""The status that a process of stages leaves with, and what its stages do before."""

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

from streams.engine.faust import running
from streams.engine.faust.app import PatchedApp
from streams.engine.life.loop_watch import BROKEN
from tests.fakes.parts import fake_parts
from tests.harness.waiting import until


class Ended(Exception):
    """The process ends here."""


class Stage:
    """A stage whose app starts nothing of Faust; ``seen`` has what it did, and in which context."""

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


@pytest.fixture(autouse=True)
def in_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let no thread end the tests."""
    monkeypatch.setattr(running, "Timer", Mock())
    yield
    # Python before 3.11.8 cannot compile a module while such garbage is collected.
    gc.collect()


@pytest.fixture
def stages() -> dict[str, Stage]:
    seen: list[tuple[str, Any]] = []
    return {name: Stage(name, seen) for name in ("match", "deliver")}


async def turns(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def never() -> None:
    await asyncio.Event().wait()


async def status(stages: dict[str, Stage]) -> int:
    return await running._run({name: stage.app for name, stage in stages.items()}, never)


async def asked(stages: dict[str, Stage]) -> int:
    """Return the status after a stop that is asked for once all have started."""
    ending = asyncio.create_task(status(stages))
    for stage in stages.values():
        await stage.is_started.wait()
    os.kill(os.getpid(), SIGTERM)
    return await ending


async def test_a_stop_that_a_signal_asked_for_is_a_success_once_all_stages_have_let_go(
    stages: dict[str, Stage],
) -> None:
    assert await asked(stages) == 0
    assert [what for what, _ in stages["match"].seen[2:4]] == ["match let go", "deliver let go"]


async def test_no_stage_closes_its_services_before_the_slowest_one_has_let_go(
    stages: dict[str, Stage],
) -> None:
    stages["deliver"].is_done.clear()
    ending = asyncio.create_task(asked(stages))
    seen = stages["match"].seen
    await until(lambda: "match let go" in [what for what, _ in seen], "match has let go")
    await turns()
    assert [what for what, _ in seen[2:]] == ["match let go"]
    stages["deliver"].is_done.set()
    assert await ending == 0
    assert [what for what, _ in seen[3:]] == ["deliver let go", "match closed", "deliver closed"]


async def test_each_line_of_the_log_names_its_stage(stages: dict[str, Stage]) -> None:
    await asked(stages)
    assert [context["stage"] for _, context in stages["match"].seen] == ["match", "deliver"] * 3


async def test_a_crash_of_one_stage_is_a_failure_of_the_process_and_the_others_let_go(
    stages: dict[str, Stage],
) -> None:
    stages["match"].error = RuntimeError("lost")
    assert await status(stages) == BROKEN
    assert "deliver let go" in [what for what, _ in stages["deliver"].seen]


async def test_a_crash_during_a_stop_that_was_asked_for_is_a_failure(
    stages: dict[str, Stage],
) -> None:
    await stages["deliver"].app.crash(RuntimeError("lost"))
    assert await asked(stages) == BROKEN


async def test_a_stage_that_cannot_let_go_ends_the_process_at_once(
    stages: dict[str, Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons: list[tuple[str, BaseException]] = []

    def end(reason: str, error: BaseException) -> None:
        reasons.append((reason, error))
        raise Ended

    async def broken() -> bool:
        raise OSError("the broker is away")

    monkeypatch.setattr(running, "end_process", end)
    stages["match"].app.consumer.force_commit = broken  # type: ignore[attr-defined]
    with pytest.raises(Ended):
        await asked(stages)
    assert [(reason, str(error)) for reason, error in reasons] == [
        ("a stage could not let go", "the broker is away")
    ]


def test_the_process_leaves_with_the_status_after_its_metrics_are_withdrawn(
    stages: dict[str, Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[object] = []

    @asynccontextmanager
    async def serving() -> AsyncIterator[None]:
        yield
        order.append("withdrawn")

    monkeypatch.setattr(running, "leave", order.append)
    stages["match"].error = RuntimeError("lost")
    within: AbstractAsyncContextManager[None] = serving()
    loop = asyncio.new_event_loop()
    running.run_apps({name: stage.app for name, stage in stages.items()}, within, loop, never)
    loop.close()
    assert order == ["withdrawn", BROKEN]
