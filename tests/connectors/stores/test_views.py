"""Each view of a document has its own state, snapshots, changes and failures."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest_asyncio

from connectors.stores.opening import Store, open_store
from schemas.records.documents import Document, Unpublished
from schemas.records.facts import Fact
from schemas.records.subscription_facts import Subscribed
from schemas.records.watches import Watch
from tests.connectors.stores.test_facts import change, ids
from tests.fakes.subscriptions import URL, cancelled, subscription
from tests.harness.stores import Place

VIEW = "plain"


@pytest_asyncio.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    store = await open_store(place.url, history=3)
    yield store
    await store.close()


def begun(key: str, view: str, at: int = 100, manager: str = "default") -> Fact:
    body = subscription(key, view_id=view, created=at, manager=manager)
    return Subscribed("r", body, URL, Watch("s1", 60), at)


def read(at: int, view: str = "", **fields: object) -> Document:
    document = Document(URL, "s1", at, at, f"{view}{at}", "text/html", "en", read_at=at, view=view)
    return replace(document, **fields)  # type: ignore[arg-type]  # its fields


async def put(store: Store, *documents: Document) -> None:
    for each in documents:
        stored = await store.snapshots.document(each.url, each.view)
        assert await store.snapshots.compare_and_set(each, stored.version if stored else 0)


async def test_the_states_of_two_views_are_set_and_published_by_themselves(store: Store) -> None:
    plain = read(300, VIEW, unpublished=(b"one",))
    await put(store, read(200), plain)
    assert not await store.snapshots.compare_and_set(read(400, VIEW), 200)
    assert await store.snapshots.document(URL) == read(200)
    assert await store.snapshots.document(URL, VIEW) == plain
    assert await store.snapshots.slots(URL, "s1") == {"": 200, VIEW: 300}
    assert await store.snapshots.slots(URL, "another") == {}
    assert await store.snapshots.unpublished() == [Unpublished(URL, 300, (b"one",), VIEW)]
    await store.snapshots.clear_unpublished(URL, 300)
    assert await store.snapshots.unpublished() == [Unpublished(URL, 300, (b"one",), VIEW)]
    await store.snapshots.clear_unpublished(URL, 300, VIEW)
    assert await store.snapshots.unpublished() == []


async def test_a_view_is_forgotten_alone_and_all_views_with_their_watch(store: Store) -> None:
    await put(store, read(200), read(200, VIEW, unpublished=(b"one",)), read(200, "other"))
    await store.snapshots.record_checks([(URL, "s1", 250)])
    await store.snapshots.forget(URL, "another", VIEW)
    await store.snapshots.forget(URL, "s1", VIEW)
    assert await store.snapshots.slots(URL, "s1") == {"": 200, "other": 200}
    assert await store.snapshots.unpublished() == []
    await store.read_side.record([begun("s1", "")])
    (item,) = (await store.subscriptions.page("default", None, 9)).items
    assert item.last_check == 250
    await store.snapshots.forget(URL, "s1")
    assert await store.snapshots.slots(URL, "s1") == {}


async def test_a_view_that_was_read_since_is_not_forgotten(store: Store) -> None:
    await put(store, read(200), read(300, VIEW))
    await store.snapshots.forget(URL, "s1", VIEW, 300)
    assert await store.snapshots.slots(URL, "s1") == {"": 200, VIEW: 300}
    await store.snapshots.forget(URL, "s1", VIEW, 301)
    assert await store.snapshots.slots(URL, "s1") == {"": 200}


async def test_a_subscription_is_listed_with_the_failures_of_its_view(store: Store) -> None:
    await store.read_side.record([begun("s1", ""), begun("s2", VIEW)])
    await put(store, read(200), read(200, VIEW, failures=2, last_error="not an image"))
    listed = (await store.subscriptions.page("default", None, 9)).items
    found = [(item.failures, item.last_error) for item in listed]
    assert found == [(0, None), (2, "not an image")]


async def test_snapshots_are_those_of_the_view_of_a_subscription(store: Store) -> None:
    await store.read_side.record([begun("s1", ""), begun("s2", VIEW, at=150)])
    await put(store, read(200), read(300), read(200, VIEW), read(400, VIEW))
    shown = {}
    for name in (None, "s1", "s2", "unknown"):
        page = await store.texts.snapshots("default", URL, None, 9, name)
        newest = await store.texts.snapshot("default", URL, None, name)
        shown[name] = (
            None if page is None else [each.at for each in page.items],
            None if newest is None else newest[1],
        )
    assert shown == {
        None: ([300, 200], "300"),
        "s1": ([300, 200], "300"),
        "s2": ([400, 200], "plain400"),
        "unknown": (None, None),
    }
    documents = (await store.texts.documents("default", None, 9)).items
    assert [found.at for _, found in documents if found is not None] == [300]


async def test_the_oldest_that_has_not_ended_says_which_view_is_shown(store: Store) -> None:
    await store.read_side.record([begun("s1", ""), begun("s2", VIEW, at=150), cancelled(500)])
    await put(store, read(200), read(200, VIEW))
    found = await store.texts.snapshot("default", URL, None)
    assert found is not None
    assert found[1] == "plain200"
    await store.read_side.record([cancelled(600, "s2")])
    found = await store.texts.snapshot("default", URL, None)
    assert found is not None
    assert found[1] == "plain200", "that of the one that ended last"


async def test_the_history_of_one_view_pushes_out_none_of_another(store: Store) -> None:
    await store.read_side.record([begun("s1", ""), begun("s2", VIEW)])
    await put(store, read(200), read(300), *(read(at, VIEW) for at in range(200, 900, 100)))
    await store.read_side.prune(0, 0)
    for name, kept in (("s1", [300, 200]), ("s2", [800, 700, 600, 500])):
        page = await store.texts.snapshots("default", URL, None, 9, name)
        assert page is not None
        assert [each.at for each in page.items] == kept


async def test_changes_are_those_of_the_view_of_a_subscription(store: Store) -> None:
    mine, others = change("c1", 200), replace(change("c2", 200), view=VIEW)
    await store.read_side.record([begun("s1", ""), begun("s2", VIEW), mine, others])
    await put(store, read(200), read(200, VIEW))
    assert ids(await store.facts.changes("default", URL, None, 9)) == ["c1"]
    assert ids(await store.facts.changes("default", URL, None, 9, "s2")) == ["c2"]
    for name, expected in (("s1", mine), ("s2", others)):
        found = await store.texts.differences("default", URL, None, name)
        assert found is not None
        assert found[1] == (expected,)


async def test_a_manager_sees_no_view_of_another_manager(store: Store) -> None:
    await store.read_side.record([begun("s1", ""), begun("s2", VIEW, manager="other")])
    await put(store, read(200), read(200, VIEW))
    assert await store.texts.snapshot("default", URL, None, "s2") is None
    assert await store.facts.changes("default", URL, None, 9, "s2") is None
