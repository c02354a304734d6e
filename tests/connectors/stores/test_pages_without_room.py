"""Pages that crawls left out because their manager has no room, in both stores."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from connectors.stores.opening import Store
from connectors.stores.pages import SubscriptionSearch, WithoutRoom
from connectors.stores.sqlite.subscription_flags import WITHOUT_ROOM
from schemas.records.crawls import MANAGER_IS_FULL, MAX_WITHOUT_ROOM, Coverage, CrawlOptions
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Options
from tests.fakes.subscriptions import URL, cancelled, subscribed
from tests.harness.stores import Place

CRAWLS = Options(crawl=CrawlOptions(depth=1))


def added(path: str, at: int) -> PageAdded:
    return PageAdded(Coverage("s1", URL, URL, 1), "default", URL + path, None, at, since=at)


def refused(path: str, at: int, reason: str = MANAGER_IS_FULL) -> PageRemoved:
    return PageRemoved("s1", "default", reason, URL + path, None, at, since=0)


async def without_room(store: Store) -> WithoutRoom | None:
    found = await store.subscriptions.get("default", "s1")
    assert found is not None
    return found.without_room


async def test_a_crawl_lists_how_many_of_its_pages_have_no_room(store: Store) -> None:
    other = subscribed(key="s2", options=CRAWLS)
    full = [refused("a", 200), refused("b", 300), refused("c", 400, "2 pages are covered")]
    await store.read_side.record([subscribed(options=CRAWLS), other, *full, refused("a", 250)])

    assert await without_room(store) == WithoutRoom(2, 300)
    readers = store.subscriptions
    pages = [
        (await readers.page("default", None, 10)).items,
        (await readers.search("default", SubscriptionSearch(), None, 10)).items,
        await readers.of_document("default", URL, 10),
    ]
    for page in pages:
        found = {each.subscription.id: each.without_room for each in page}
        assert found == {"s1": WithoutRoom(2, 300), "s2": None}


async def test_a_page_that_is_covered_or_left_out_for_another_reason_is_not_counted(
    store: Store,
) -> None:
    full = [refused(path, 200) for path in "abc"]
    later: list[PageAdded | PageRemoved] = [
        added("a", 300),
        refused("b", 300, "2 pages are covered"),
    ]
    await store.read_side.record([subscribed(options=CRAWLS), *full, *later])

    assert await without_room(store) == WithoutRoom(1, 200)

    gone = replace(refused("a", 400, "no covered page links to it any more"), since=300)
    await store.read_side.record([gone, added("c", 500)])
    assert await without_room(store) is None


async def test_only_a_crawl_that_goes_on_has_pages_without_room(store: Store) -> None:
    await store.read_side.record([subscribed(options=CRAWLS), refused("a", 200)])

    await store.read_side.record([cancelled(300)])

    assert await without_room(store) is None


async def test_what_is_older_than_the_retention_is_not_counted(store: Store) -> None:
    await store.read_side.record([subscribed(options=CRAWLS), refused("a", 200), refused("b", 400)])

    await store.read_side.prune(300, 0)

    assert await without_room(store) == WithoutRoom(1, 400)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
async def test_so_many_are_counted_at_most_by_an_index(store: Store, place: Place) -> None:
    full = [refused(str(number), number) for number in range(MAX_WITHOUT_ROOM + 1)]
    await store.read_side.record([subscribed(options=CRAWLS), *full])

    assert await without_room(store) == WithoutRoom(MAX_WITHOUT_ROOM, MAX_WITHOUT_ROOM)
    with closing(sqlite3.connect(place.url.removeprefix("sqlite:"))) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {WITHOUT_ROOM}", ["", 1]).fetchall()
    steps = [step for *_, step in plan]
    assert any("COVERING INDEX facts_by_subject (kind=? AND subject=?)" in step for step in steps)
    assert not any("TEMP B-TREE" in step for step in steps)
