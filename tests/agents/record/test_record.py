"""The record agent: facts in, rows out."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from connectors.stores.opening import open_store
from connectors.stores.read_side import no_terms
from schemas.records.documents import Document
from schemas.records.failures import DocumentUnreachable
from streams.agents.record import RecordProcessor
from tests.connectors.stores.test_facts import begun
from tests.fakes.events import event
from tests.fakes.read_side import MemoryReadSide
from tests.harness.stores import Place

FACT = DocumentUnreachable("i", "u", "w", 1, "", "r", 2)


async def test_facts_are_written_in_their_order_and_at_once() -> None:
    store = MemoryReadSide()
    other = replace(FACT, id="j")
    signs = list[bool]()
    await RecordProcessor(store, no_terms).write(
        [event(FACT), event(other)], lambda: signs.append(True)
    )
    assert store.calls == [[FACT, other]]
    assert signs == [True]


async def test_an_error_of_the_store_is_left_to_the_engine_to_retry() -> None:
    with pytest.raises(OSError, match="full"):
        await RecordProcessor(MemoryReadSide(OSError("full")), no_terms).write([event(FACT)], bool)


async def test_old_records_are_deleted_every_so_often_even_after_a_failure() -> None:
    store = MemoryReadSide(OSError("locked"))
    prunes = RecordProcessor(store, no_terms).prune(
        0, retention=100, history=300, clock=lambda: 1000
    )
    pruning = asyncio.create_task(prunes)
    await store.done.wait()
    pruning.cancel()
    assert store.pruned[0] == (900, 700)


class Over(Exception):
    """The clock was read twice: what follows the first time is done."""


def once(now: int) -> Callable[[], int]:
    """A clock that can be read once."""
    times = iter([now])

    def read() -> int:
        for time in times:
            return time
        raise Over

    return read


@pytest.mark.parametrize(("now", "kept"), [(599, [300, 200]), (600, [300, 200]), (601, [300])])
async def test_an_older_snapshot_is_deleted_when_its_time_is_over(
    place: Place, now: int, kept: list[int]
) -> None:
    store = await open_store(place.url, history=3)
    for before, at in ((0, 200), (200, 300)):
        document = Document("http://example.test/", "s1", at, at, f"Text of {at}", read_at=at)
        assert await store.snapshots.compare_and_set(document, before)
    await store.read_side.record([begun(at=100)])
    with pytest.raises(Over):
        await RecordProcessor(store.read_side, no_terms).prune(
            0, retention=500, history=300, clock=once(now)
        )
    page = await store.texts.snapshots("default", "http://example.test/", None, 9)
    assert page is not None
    assert [snapshot.at for snapshot in page.items] == kept
    await store.close()
