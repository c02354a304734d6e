"""The record stage: facts in, rows out."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from schemas.facts import DocumentUnreachable, Fact
from streams.record import Record
from tests.fakes.events import event

FACT = DocumentUnreachable("i", "u", "w", 1, "r", 2)


class ReadSide:
    """Keeps what it is given; raises the errors it was made with, one a call."""

    def __init__(self, *errors: OSError) -> None:
        self.calls: list[list[Fact]] = []
        self.pruned: list[tuple[int, int]] = []
        self.errors = list(errors)
        self.done = asyncio.Event()

    async def record(self, facts: Sequence[Fact]) -> None:
        self._fail()
        self.calls.append(list(facts))

    async def prune(self, before: int, former_before: int) -> None:
        self._fail()
        self.pruned.append((before, former_before))
        self.done.set()

    def _fail(self) -> None:
        if self.errors:
            raise self.errors.pop(0)


async def test_facts_are_written_in_their_order_and_at_once() -> None:
    store = ReadSide()
    other = replace(FACT, id="j")
    await Record(store).write([event(FACT), event(other)])
    assert store.calls == [[FACT, other]]


async def test_a_broken_store_is_for_the_engine_to_try_again() -> None:
    with pytest.raises(OSError, match="full"):
        await Record(ReadSide(OSError("full"))).write([event(FACT)])


async def test_old_history_is_deleted_now_and_then_whatever_fails_once() -> None:
    store = ReadSide(OSError("locked"))
    pruning = asyncio.create_task(Record(store).prune(0, 100, 300, lambda: 1000))
    await store.done.wait()
    pruning.cancel()
    assert store.pruned[0] == (900, 700)
