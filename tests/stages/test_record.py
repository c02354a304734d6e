"""The record stage: facts in, rows out."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from connectors.stores import open_store
from schemas.documents import Document
from schemas.facts import DocumentUnreachable, Fact
from streams.record import RecordStage
from tests.connectors.stores.test_histories import begun
from tests.fakes.events import event
from tests.harness.stores import Place

FACT = DocumentUnreachable("i", "u", "w", 1, "", "r", 2)


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
    await RecordStage(store).write([event(FACT), event(other)])
    assert store.calls == [[FACT, other]]


async def test_a_broken_store_is_for_the_engine_to_try_again() -> None:
    with pytest.raises(OSError, match="full"):
        await RecordStage(ReadSide(OSError("full"))).write([event(FACT)])


async def test_old_history_is_deleted_now_and_then_whatever_fails_once() -> None:
    store = ReadSide(OSError("locked"))
    pruning = asyncio.create_task(RecordStage(store).prune(0, 100, 300, lambda: 1000))
    await store.done.wait()
    pruning.cancel()
    assert store.pruned[0] == (900, 700)


class Over(Exception):
    """The clock was looked at for the second time: what came after the first is done."""


def once(now: int) -> Callable[[], int]:
    """A clock that tells the time one time."""
    times = iter([now])

    def look() -> int:
        for time in times:
            return time
        raise Over

    return look


@pytest.mark.parametrize(("now", "kept"), [(599, [300, 200]), (600, [300, 200]), (601, [300])])
async def test_a_former_snapshot_is_deleted_when_its_time_is_over(
    place: Place, now: int, kept: list[int]
) -> None:
    store = await open_store(place.url, former=3)
    for before, at in ((0, 200), (200, 300)):
        document = Document("http://example.test/", "s1", at, at, f"Text of {at}", read_at=at)
        assert await store.compare_and_set(document, before)
    await store.record([begun(at=100)])
    with pytest.raises(Over):
        await RecordStage(store).prune(0, 500, 300, once(now))
    page = await store.snapshots("default", "http://example.test/", None, 9)
    assert page is not None
    assert [snapshot.at for snapshot in page.items] == kept
    await store.close()
