"""The record stage: facts in, rows out."""

import asyncio
from collections.abc import Sequence

import pytest

from schemas.facts import DocumentUnreachable, Fact
from streams.core.outcome import Outcome
from streams.record import Record
from tests.fakes.events import event, no_rows

FACT = DocumentUnreachable("i", "u", "w", 1, "r", 2)


class ReadSide:
    """Keeps what it is given; raises the errors it was made with, one a call."""

    def __init__(self, *errors: OSError) -> None:
        self.facts: list[Fact] = []
        self.pruned: list[int] = []
        self.errors = list(errors)
        self.done = asyncio.Event()

    async def record(self, facts: Sequence[Fact]) -> None:
        self._fail()
        self.facts += facts

    async def prune(self, before: int) -> None:
        self._fail()
        self.pruned.append(before)
        self.done.set()

    def _fail(self) -> None:
        if self.errors:
            raise self.errors.pop(0)


async def test_a_fact_is_written_and_nothing_else_comes_of_it() -> None:
    store = ReadSide()
    assert await Record(store).handle(event(FACT), no_rows) == Outcome()
    assert store.facts == [FACT]


async def test_a_broken_store_is_for_the_engine_to_try_again() -> None:
    with pytest.raises(OSError, match="full"):
        await Record(ReadSide(OSError("full"))).handle(event(FACT), no_rows)


def test_facts_of_one_topic_and_key_are_written_in_their_order() -> None:
    stage = Record(ReadSide())
    one, two = event(FACT, topic="changes"), event(FACT, topic="subscriptions")
    assert stage.key(one) == stage.key(event(FACT, topic="changes"))
    assert stage.key(one) != stage.key(two)


async def test_old_history_is_deleted_now_and_then_whatever_fails_once() -> None:
    store = ReadSide(OSError("locked"))
    pruning = asyncio.create_task(Record(store).prune(0, 100, lambda: 1000))
    await store.done.wait()
    pruning.cancel()
    assert store.pruned[0] == 900
