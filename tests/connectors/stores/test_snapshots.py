"""Documents in a store: compare-and-set, and what is unpublished."""

import asyncio
import multiprocessing
from collections.abc import AsyncIterator
from dataclasses import Field, fields, replace
from itertools import chain
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
import pytest_asyncio

from connectors.stores.opening import Store, open_store
from schemas.records.documents import Document, Unpublished
from streams.agents.fetch.cache import CachedState, DocumentCache
from streams.agents.fetch.effects import Snapshots
from tests.fakes.snapshots import MemorySnapshots
from tests.harness.stores import KINDS, Place
from tests.harness.waiting import TIMEOUT_S

URL = "http://example.test/"
FIRST = Document(
    URL,
    "watch",
    slot=1000,
    version=1000,
    text="Zeus \ud800 and Hera",
    content_type="text/html",
    language="en",
    etag='"1"',
    last_modified="yesterday",
    body_hash=b"\x00\x01",
    unpublished=(b"one", b"two"),
    drift=3,
)
SECOND = replace(FIRST, slot=2000, version=2000, text="Hera", unpublished=(b"three",))
OTHER = Document(
    URL,
    "other watch",
    slot=2000,
    version=2000,
    text="Leto",
    content_type="text/plain",
    language="de",
    etag='"2"',
    last_modified="today",
    body_hash=b"\x02",
    failures=1,
    last_error="timed out",
    unpublished=(b"three",),
    drift=4,
    read_at=5,
    past=b"past",
    flapping_until=6,
    held=b"held",
    asks_password=True,
    title="Title",
    missing="nothing",
    misses=2,
    lost="selection",
    missing_since=7,
    confidence=0.5,
    picture=b"picture",
    earlier_picture=b"earlier",
    earlier_read_at=8,
    series=b"series",
    reader="html 2",
    body=b"body",
    links=b"links",
)
"""It differs from the first in each field that is no key."""


@pytest_asyncio.fixture(params=(*KINDS, "memory"))
async def snapshots(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Snapshots]:
    """The port of the fetch agent: of both stores, and of the fake that its tests use."""
    if request.param == "memory":
        yield MemorySnapshots()
        return
    is_file = request.param == "sqlite"
    url = f"sqlite:{tmp_path / 'store.db'}" if is_file else request.getfixturevalue("mongo")
    store = await open_store(url)
    yield store.snapshots
    await store.close()


async def test_an_unknown_document_is_none(snapshots: Snapshots) -> None:
    assert await snapshots.document(URL) is None


async def test_a_document_comes_back_as_it_was_set(snapshots: Snapshots) -> None:
    assert await snapshots.compare_and_set(FIRST, 0)
    assert await snapshots.document(URL) == FIRST
    empty = Document(URL, "watch", 2000, version=2000, failures=3, last_error="timed out")
    assert await snapshots.compare_and_set(empty, 1000)
    assert await snapshots.document(URL) == empty


async def test_the_times_of_a_document_are_plain_numbers(snapshots: Snapshots) -> None:
    now = 1_700_000_000_000
    dated = replace(OTHER, slot=now, version=now, read_at=now, past=b"", links=b"")
    await snapshots.compare_and_set(dated, 0)
    found = await snapshots.document(URL)
    assert found is not None
    cached = CachedState.of(found)
    cache = DocumentCache()
    cache.put(URL, [cached])
    assert cache.get(URL) == (cached,)


async def test_a_document_is_set_only_over_the_expected_version(snapshots: Snapshots) -> None:
    assert not await snapshots.compare_and_set(SECOND, 1000)
    assert await snapshots.compare_and_set(FIRST, 0)
    assert not await snapshots.compare_and_set(SECOND, 0)
    assert not await snapshots.compare_and_set(SECOND, 999)
    assert await snapshots.document(URL) == FIRST
    assert await snapshots.compare_and_set(SECOND, 1000)
    assert await snapshots.document(URL) == SECOND


async def test_each_field_is_that_of_the_state_which_was_set_last(snapshots: Snapshots) -> None:
    same = {each.name for each in fields(Document) if _value(FIRST, each) == _value(OTHER, each)}
    assert same == {"url", "view"}
    await snapshots.compare_and_set(FIRST, 0)
    assert await snapshots.compare_and_set(OTHER, 1000)
    assert await snapshots.document(URL) == OTHER
    back = replace(FIRST, version=3000)
    assert await snapshots.compare_and_set(back, 2000)
    assert await snapshots.document(URL) == back


async def test_only_the_records_of_the_version_are_cleared(snapshots: Snapshots) -> None:
    await snapshots.compare_and_set(FIRST, 0)
    assert await snapshots.unpublished() == [Unpublished(URL, 1000, (b"one", b"two"))]
    await snapshots.compare_and_set(SECOND, 1000)
    await snapshots.clear_unpublished(URL, 1000)
    assert await snapshots.unpublished() == [Unpublished(URL, 2000, (b"three",))]
    await snapshots.clear_unpublished(URL, 2000)
    assert await snapshots.document(URL) == replace(SECOND, unpublished=())
    assert await snapshots.unpublished() == []


async def test_only_documents_with_unpublished_records_are_listed(snapshots: Snapshots) -> None:
    await snapshots.compare_and_set(FIRST, 0)
    await snapshots.compare_and_set(replace(FIRST, url="b:", unpublished=()), 0)
    await snapshots.compare_and_set(replace(FIRST, url="a:", unpublished=(b"",)), 0)
    assert await snapshots.unpublished() == [
        Unpublished("a:", 1000, (b"",)),
        Unpublished(URL, 1000, (b"one", b"two")),
    ]


async def test_a_document_is_forgotten_only_with_its_own_watch(snapshots: Snapshots) -> None:
    await snapshots.compare_and_set(FIRST, 0)
    await snapshots.forget(URL, "another")
    assert await snapshots.document(URL) == FIRST
    await snapshots.forget(URL, "watch")
    assert await snapshots.document(URL) is None
    assert await snapshots.unpublished() == []


async def test_what_was_set_is_there_after_the_store_was_closed(place: Place) -> None:
    first = await open_store(place.url)
    await first.snapshots.compare_and_set(FIRST, 0)
    await first.close()
    second = await open_store(place.url)
    assert await second.snapshots.document(URL) == FIRST
    await second.close()


async def test_two_processes_see_each_others_writes(store: Store, place: Place) -> None:
    other = await open_store(place.url)
    assert other.identity == store.identity
    assert await store.snapshots.compare_and_set(FIRST, 0)
    assert await other.snapshots.document(URL) == FIRST
    assert await other.snapshots.compare_and_set(SECOND, 1000)
    assert not await store.snapshots.compare_and_set(replace(SECOND, version=3000), 1000)
    await other.close()


def race(store_url: str, start: Barrier, rounds: int) -> list[int]:
    """Set every document from each version to the next; the versions this process set."""

    async def run() -> list[int]:
        store = await open_store(store_url)
        start.wait(TIMEOUT_S)
        won = []
        for version in range(1, rounds + 1):
            document = Document(URL, "w", version, version)
            if await store.snapshots.compare_and_set(document, version - 1):
                won.append(version)
        await store.close()
        return won

    return asyncio.run(run())


async def test_of_processes_that_race_for_a_version_one_wins(place: Place) -> None:
    if place.is_ferretdb():
        pytest.skip("FerretDB 1 looks first and updates then; MongoDB does both in one step")
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(3) as pool:
        start = manager.Barrier(3)
        arguments = (place.url, start, 100)
        running = [pool.apply_async(race, arguments) for _ in range(3)]
        won = [await asyncio.to_thread(result.get, 2 * TIMEOUT_S) for result in running]
    assert sorted(chain.from_iterable(won)) == list(range(1, 101))


def _value(document: Document, field: "Field[object]") -> object:
    return getattr(document, field.name)
