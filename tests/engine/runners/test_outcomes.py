"""Outcomes: durable in order, many partitions at once, and readable before they are."""

import asyncio
from collections.abc import Iterable

import pytest

from schemas.codec import wire
from schemas.records.table_rows import TickedThrough
from streams.engine.runners.outcomes import ENOUGH, OutcomeWriter
from streams.values.outcome import Outcome, Put, Send
from tests.fakes.engine import Durable

ROW = b"row"


def put(time: int) -> Outcome:
    return Outcome(puts=(Put(ROW, TickedThrough(time), "rows"),))


def send(key: str) -> Outcome:
    return Outcome(sends=(Send("out", key, TickedThrough(0)),))


class Bench:
    """A writer; ``groups`` has the keys of each publish, which waits for ``held`` ones."""

    def __init__(self, linger_s: float = 0.0) -> None:
        self.durable = Durable()
        self.groups: list[list[str]] = []
        self.held: dict[str, asyncio.Event] = {}
        self.writer = OutcomeWriter(self._publish, {"rows": self.durable}, linger_s)
        self.tasks: set[asyncio.Task[None]] = set()

    async def _publish(self, sends: Iterable[Send]) -> None:
        keys = [str(each.key) for each in sends]
        self.groups.append(keys)
        for key in keys:
            if key in self.held:
                await self.held[key].wait()
        await self.durable.publish([])

    def hold(self, key: str) -> None:
        self.held[key] = asyncio.Event()

    def let_go(self) -> None:
        for each in self.held.values():
            each.set()

    def apply(
        self, *outcomes: Outcome, partition: int = 0, long: bool = False
    ) -> asyncio.Task[None]:
        task = asyncio.create_task(self.writer.apply(partition, outcomes, is_long=long))
        self.tasks.add(task)
        return task

    def read(self) -> int | None:
        value = self.writer.read(0, "rows", ROW)
        return None if value is None else wire.decode(value, TickedThrough).time


async def turns(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_a_row_is_read_as_it_will_be_once_all_outcomes_so_far_are_durable() -> None:
    bench = Bench()
    assert bench.read() is None
    bench.durable.gate.clear()
    waiting = []
    for time in (1, 2):
        waiting.append(bench.apply(put(time)))
        await turns()
        assert bench.read() == time
    assert not any(task.done() for task in waiting)
    assert bench.durable.rows_of == {}
    bench.durable.gate.set()
    await asyncio.gather(*waiting)
    assert (bench.read(), bench.durable.journal) == (2, [("put", ROW)] * 2)
    assert not bench.writer._unwritten


async def test_an_outcome_is_done_only_when_those_before_it_are() -> None:
    bench = Bench()
    bench.durable.gate.clear()
    done: list[int] = []

    async def apply(number: int) -> None:
        await bench.writer.apply(0, [put(number)])
        done.append(number)

    waiting = [asyncio.create_task(apply(number)) for number in range(5)]
    await asyncio.sleep(0)
    assert done == []
    bench.durable.gate.set()
    await asyncio.gather(*waiting)
    assert done == [0, 1, 2, 3, 4]
    assert bench.read() == 4


async def test_what_is_reached_in_one_turn_of_the_loop_is_published_at_once() -> None:
    bench = Bench()
    await asyncio.gather(*(bench.apply(send(f"{number}"), partition=number) for number in range(8)))
    assert bench.groups == [[f"{number}" for number in range(8)]]


async def test_a_few_outcomes_wait_for_others_and_enough_of_them_do_not() -> None:
    bench = Bench(linger_s=3600.0)
    few = [bench.apply(send(f"{number}"), partition=number) for number in range(ENOUGH - 1)]
    await turns()
    assert bench.groups == []
    await asyncio.gather(bench.apply(send("last")), *few)
    assert bench.groups == [["0", "last", *map(str, range(1, ENOUGH - 1))]]


async def test_a_few_outcomes_wait_for_a_time_only() -> None:
    bench = Bench(linger_s=0.001)
    for number in range(2):
        await bench.apply(send(f"{number}"))
    assert bench.groups == [["0"], ["1"]]


async def test_what_comes_while_its_partition_is_written_is_its_next_group() -> None:
    bench = Bench()
    bench.hold("first")
    first = bench.apply(send("first"))
    await turns()
    later = [bench.apply(send(key)) for key in ("second", "third")]
    await turns()
    assert bench.groups == [["first"]]
    bench.let_go()
    await asyncio.gather(first, *later)
    assert bench.groups == [["first"], ["second", "third"]]


async def test_a_partition_that_cannot_be_written_holds_up_no_other_that_comes_later() -> None:
    bench = Bench()
    bench.hold("stuck")
    stuck = bench.apply(send("stuck"), partition=1)
    await turns()
    await bench.apply(send("other"), partition=2)
    assert not stuck.done()
    bench.let_go()
    await stuck


async def test_nothing_waits_for_a_long_outcome_of_another_partition() -> None:
    bench = Bench()
    bench.hold("long")
    short = bench.apply(send("short"), partition=2)
    long = bench.apply(send("long"), partition=1, long=True)
    await short
    assert not long.done()
    bench.let_go()
    await long


async def test_all_who_wait_for_a_group_raise_its_error() -> None:
    bench = Bench()
    bench.durable.errors.append(OSError("the broker is away"))
    ended = await asyncio.gather(
        *(bench.apply(send("key"), partition=number) for number in range(3)),
        return_exceptions=True,
    )
    assert [str(each) for each in ended] == ["the broker is away"] * 3


async def test_nothing_is_written_after_a_stop() -> None:
    bench = Bench()
    bench.hold("stuck")
    waiting = [bench.apply(send("stuck"), put(1)), bench.apply(put(2), partition=1)]
    await turns()
    bench.writer.stop()
    for task in waiting:
        task.cancel()
    bench.let_go()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.gather(*waiting)
    await turns()
    assert bench.durable.rows_of == {}
