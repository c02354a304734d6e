"""The timer of a stage: one tick for each second of the clock."""

import asyncio
from collections.abc import Iterable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from streams.engine.running_stage import RunningStage
from streams.values.outcome import Send


class Producer:
    """Publishes nothing."""

    async def publish(self, sends: Iterable[Send]) -> None:
        assert not list(sends)


@asynccontextmanager
async def ending(*_: object) -> Any:
    yield


async def test_a_loop_that_wakes_up_early_ticks_the_second_that_it_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    early = iter([100.999, 100.999, 100.9996])
    ticks: asyncio.Queue[tuple[int, int]] = asyncio.Queue()
    monkeypatch.setattr("streams.engine.running_stage.time", lambda: next(early, 101.5))

    def tick(partition: int, now: int) -> Iterable[Send]:
        ticks.put_nowait((partition, now))
        return ()

    running: Any = object.__new__(RunningStage)
    running.acks = SimpleNamespace(partitions=frozenset({3}))
    running._process = SimpleNamespace(stages=SimpleNamespace(ending=ending))
    running._producer = Producer()
    timer = asyncio.create_task(running._tick(tick, 1.0))
    assert await ticks.get() == (3, 101_000)
    timer.cancel()
