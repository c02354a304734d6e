"""Outcomes of many events: durable in order, many at once, and readable before they are."""

import asyncio
from collections.abc import Coroutine

from schemas.codec import wire
from schemas.records.table_rows import TickedThrough
from streams.engine.runners.batches import Batches
from streams.values.outcome import Outcome, Put
from tests.fakes.engine import Engine

ROW = b"row"


def put(time: int) -> Outcome:
    return Outcome(puts=(Put(ROW, TickedThrough(time), "rows"),))


class Bench:
    """Batches on what an engine makes durable; ``gate`` holds up whatever is written."""

    def __init__(self) -> None:
        engine = Engine()
        self.durable = engine.durable
        self.tasks: set[asyncio.Task[None]] = set()
        self.batches = Batches(engine.writer, self._start)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        self.tasks.add(asyncio.create_task(work))

    def apply(self, time: int) -> "asyncio.Task[None]":
        return asyncio.create_task(self.batches.apply(0, put(time)))

    def read(self) -> int | None:
        value = self.batches.read(0, "rows", ROW)
        return None if value is None else wire.decode(value, TickedThrough).time


async def test_a_row_is_read_as_it_will_be_once_all_outcomes_so_far_are_durable() -> None:
    bench = Bench()
    assert bench.read() is None
    bench.durable.gate.clear()
    waiting = []
    for time in (1, 2):
        waiting.append(bench.apply(time))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert bench.read() == time
    assert not any(task.done() for task in waiting)
    assert bench.durable.rows_of == {}
    bench.durable.gate.set()
    await asyncio.gather(*waiting)
    assert (bench.read(), bench.durable.journal) == (2, [("put", ROW)] * 2)
    assert not bench.batches._unwritten


async def test_an_outcome_is_done_only_when_those_before_it_are() -> None:
    bench = Bench()
    bench.durable.gate.clear()
    done: list[int] = []

    async def apply(number: int) -> None:
        await bench.batches.apply(0, put(number))
        done.append(number)

    waiting = [asyncio.create_task(apply(number)) for number in range(5)]
    await asyncio.sleep(0)
    assert done == []
    bench.durable.gate.set()
    await asyncio.gather(*waiting)
    assert done == [0, 1, 2, 3, 4]
    assert bench.read() == 4
