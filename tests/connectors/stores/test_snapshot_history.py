"""Older snapshots of a document, and who may see them; the same from both stores."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
import pytest_asyncio

from connectors.stores.cursor import written
from connectors.stores.opening import Store, open_store
from schemas.records.documents import Document, Snapshot
from tests.connectors.stores.test_facts import begun, change, ended
from tests.harness.stores import Place

URL = "http://example.test/"
KEPT = 3


@pytest_asyncio.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    store = await open_store(place.url, history=KEPT)
    yield store
    await store.close()


def read(at: int, **values: Any) -> Document:
    """A document with a text that was first read ``at`` a time, after the fetch of a later slot."""
    document = Document(URL, "s1", at, at, f"Text of {at}", "text/html", "en", read_at=at)
    return replace(document, **values)


def shown(at: int, until: int | None) -> Snapshot:
    return Snapshot(URL, at, until, "text/html", "en")


async def put(store: Store, *documents: Document) -> None:
    """Set one state after another."""
    for document in documents:
        stored = await store.snapshots.document(document.url)
        assert await store.snapshots.compare_and_set(document, stored.version if stored else 0)


async def listed(store: Store, manager: str = "default") -> list[tuple[int, int | None]]:
    page = await store.texts.snapshots(manager, URL, None, 10)
    assert page is not None
    return [(each.at, each.until) for each in page.items]


class TestWhatIsKept:
    async def test_a_text_is_kept_when_another_replaces_it(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, read(200), read(300))
        page = await store.texts.snapshots("default", URL, None, 10)
        assert page is not None
        assert page.items == (shown(300, None), shown(200, 300))
        assert await store.texts.snapshot("default", URL, 200) == (shown(200, 300), "Text of 200")
        assert await store.texts.snapshot("default", URL, None) == (shown(300, None), "Text of 300")

    async def test_a_failure_or_the_same_text_again_is_not_another_snapshot(
        self, store: Store
    ) -> None:
        await store.read_side.record([begun()])
        first = read(200)
        failed = replace(first, slot=300, version=300, failures=1)
        await put(store, first, failed, replace(first, slot=400, version=400, etag="x"))
        assert await listed(store) == [(200, None)]

    async def test_only_the_latest_are_kept(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, *(read(at) for at in range(200, 800, 100)))
        await store.read_side.prune(0, 0)
        assert [at for at, _ in await listed(store)] == [700, 600, 500, 400]

    async def test_a_failure_removes_none(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, *(read(at) for at in range(200, 600, 100)))
        await put(store, replace(read(500), slot=600, version=600, failures=1))
        await store.read_side.prune(0, 0)
        assert [at for at, _ in await listed(store)] == [500, 400, 300, 200]

    async def test_those_of_another_document_are_not_counted(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, read(200), read(300))
        await put(store, *(read(at, url=URL + "other") for at in range(200, 800, 100)))
        await store.read_side.prune(0, 0)
        assert [at for at, _ in await listed(store)] == [300, 200]

    async def test_the_last_one_outlives_its_watch(self, store: Store) -> None:
        await store.read_side.record([begun(), ended("s1", 900)])
        await put(store, read(200))
        await store.snapshots.record_checks([(URL, "s1", 600)])
        await store.snapshots.forget(URL, "another")
        await store.snapshots.forget(URL, "s1")
        assert await store.texts.snapshot("default", URL, None) == (shown(200, 600), "Text of 200")
        await put(store, read(1000, watch="s2"))
        assert await listed(store) == [(200, 600)]

    async def test_a_new_watch_ends_the_last_snapshot_before_it_reads(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, read(200), Document(URL, "s2", 500, 500, failures=1))
        assert await listed(store) == [(200, 500)]

    async def test_a_writer_that_was_overtaken_leaves_none(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, read(200), read(300))
        assert not await store.snapshots.compare_and_set(read(350), 200)
        await put(store, read(400))
        assert await listed(store) == [(400, None), (300, 400), (200, 300)]

    async def test_none_is_kept_by_a_store_that_is_to_keep_none(self, place: Place) -> None:
        store = await open_store(place.url)
        await store.read_side.record([begun()])
        await put(store, read(200), read(300))
        assert await listed(store) == [(300, None)]
        await store.snapshots.forget(URL, "s1")
        assert await listed(store) == []
        await store.close()

    async def test_what_was_replaced_long_ago_is_deleted(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, read(200), read(300), read(400))
        await store.read_side.prune(0, 301)
        assert await listed(store) == [(400, None), (300, 400)]
        await store.read_side.prune(0, 10**12)
        assert await listed(store) == [(400, None)]


class TestWhoSeesIt:
    async def test_one_from_before_or_after_ones_time_is_not_shown(self, store: Store) -> None:
        await store.read_side.record([begun(at=350), ended("s1", 450), begun("s2", "other", 100)])
        await put(store, *(read(at) for at in (200, 300, 400, 500)))
        assert await listed(store) == [(400, 500), (350, 400)]
        assert await store.texts.snapshot("default", URL, 500) is None
        assert await store.texts.snapshot("default", URL, 250) is None
        newest = await store.texts.snapshot("default", URL, None)
        assert newest == (shown(400, 500), "Text of 400")
        assert len(await listed(store, "other")) == 4

    async def test_one_that_was_current_before_is_shown_as_if_it_began_with_the_subscription(
        self, store: Store
    ) -> None:
        await store.read_side.record([begun(at=350), begun("s2", "other", 100)])
        await put(store, read(300))
        for at in (None, 350, 999):
            found = await store.texts.snapshot("default", URL, at)
            assert found == (shown(350, None), "Text of 300")
        for at in (299, 300, 349):
            assert await store.texts.snapshot("default", URL, at) is None
        for before in (300, 301, 350):
            page = await store.texts.snapshots("default", URL, written(before, ""), 10)
            assert page is not None
            assert page.items == ()
        (one,) = (await store.texts.documents("default", None, 10)).items
        (other,) = (await store.texts.documents("other", None, 10)).items
        assert (one, other) == ((URL, shown(350, None)), (URL, shown(300, None)))

    async def test_nothing_is_shown_without_a_subscription(self, store: Store) -> None:
        await store.read_side.record([begun(manager="other")])
        await put(store, read(200))
        assert await store.texts.snapshots("default", URL, None, 10) is None
        assert await store.texts.snapshot("default", URL, None) is None
        assert await store.texts.differences("default", URL, None) is None

    async def test_a_time_selects_the_snapshot_that_was_current_then(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, read(200), read(300))
        found = [await store.texts.snapshot("default", URL, at) for at in (199, 200, 299, 300, 999)]
        assert [each and each[0].at for each in found] == [None, 200, 200, 300, 300]

    async def test_pages_hold_each_once(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, *(read(at) for at in (200, 300, 400)))
        found: list[int] = []
        cursor: str | None = None
        while True:
            page = await store.texts.snapshots("default", URL, cursor, 1)
            assert page is not None
            found += [each.at for each in page.items]
            cursor = page.next
            if cursor is None:
                break
        assert found == [400, 300, 200]

    async def test_a_cursor_of_no_page_is_an_error(self, store: Store) -> None:
        with pytest.raises(ValueError, match="not a cursor"):
            await store.texts.snapshots("default", URL, "x", 2)


class TestDifferences:
    async def test_they_are_those_of_the_change_that_led_to_a_snapshot(self, store: Store) -> None:
        parts: list[Any] = [replace(change(f"c{part}", 300), part=part) for part in (0, 1)]
        await store.read_side.record(
            [begun(), change("c", 200), *parts, change("x", 300, URL + "x")]
        )
        await put(store, read(200), read(300))
        assert await store.texts.differences("default", URL, None) == (
            shown(300, None),
            tuple(parts),
        )

    async def test_a_change_before_the_subscription_began_is_not_shown(self, store: Store) -> None:
        await store.read_side.record([begun(at=250), change("c1", 200), change("c2", 300)])
        await put(store, read(100), read(200))
        assert await store.texts.differences("default", URL, None) == (shown(250, None), ())
        await put(store, read(300))
        found = await store.texts.differences("default", URL, None)
        assert found == (shown(300, None), (change("c2", 300),))
        assert await store.texts.differences("default", URL, 260) == (shown(250, 300), ())

    async def test_a_first_snapshot_has_none(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, read(200))
        assert await store.texts.differences("default", URL, None) == (shown(200, None), ())


class TestDocuments:
    async def test_they_are_what_a_manager_watches_now(self, store: Store) -> None:
        await store.read_side.record([begun(), begun("s2"), begun("s3", "other"), ended("s2", 300)])
        await put(store, read(200))
        page = await store.texts.documents("default", None, 10)
        assert (page.items, page.next) == (((URL, shown(200, None)),), None)
        await store.read_side.record([ended("s1", 300)])
        assert (await store.texts.documents("default", None, 10)).items == ()

    async def test_one_that_was_never_read_has_no_snapshot(self, store: Store) -> None:
        await store.read_side.record([begun()])
        await put(store, Document(URL, "s1", 200, 200, failures=1))
        assert (await store.texts.documents("default", None, 10)).items == ((URL, None),)

    async def test_pages_hold_each_once_however_many_subscriptions_it_has(
        self, store: Store
    ) -> None:
        facts = [begun(f"s{n}") for n in range(6)]
        urls = [f"{URL}{n // 2}" for n in range(6)]
        await store.read_side.record(
            [_of(fact, url) for fact, url in zip(facts, urls, strict=True)]
        )
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = await store.texts.documents("default", cursor, 2)
            found += [url for url, _ in page.items]
            cursor = page.next
            if cursor is None:
                break
        assert found == sorted(set(urls))


def _of(fact: Any, url: str) -> Any:
    subscription = replace(fact.subscription, url=url)
    return replace(fact, url=url, subscription=subscription)
