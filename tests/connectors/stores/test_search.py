"""Subscriptions that a search finds, in both stores."""

from typing import Any

import pytest

from connectors.stores.mongo import subscriptions as mongo
from connectors.stores.opening import Store
from connectors.stores.pages import SubscriptionSearch
from connectors.stores.sqlite import subscriptions as sqlite
from schemas.records.documents import Document
from schemas.records.subscriptions import Receiver
from tests.fakes.subscriptions import URL, cancelled, subscribed


async def found(store: Store, text: str = "", **more: Any) -> list[str]:
    asked = SubscriptionSearch(text, **more)
    page = await store.subscriptions.search("default", asked, None, 100)
    return [item.subscription.id for item in page.items]


@pytest.fixture
async def searched(store: Store) -> Store:
    await store.read_side.record(
        [
            subscribed(at=100, key="a", keywords=("zeus",)),
            subscribed(at=200, key="b", keywords=("père [1]", 'a "quote"')),
            subscribed(
                at=300,
                key="c",
                keywords=("x",),
                receiver=Receiver(session="My desk"),
                name='Café "Zum Bär"',
            ),
            subscribed(at=300, key="d", keywords=("zeus",), manager="another"),
        ]
    )
    return store


async def test_without_a_text_all_of_a_manager_are_found_newest_first(searched: Store) -> None:
    assert await found(searched) == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("ZEUS", ["a"]),
        ("père [", ["b"]),
        ('"quote"', ["b"]),
        ("client.test/b", ["b"]),
        ("my desk", ["c"]),
        ('café "zum', ["c"]),
        ("EXAMPLE", ["c", "b", "a"]),
        (".*", []),
        ("%", []),
        ("interval", []),
        ("keywords", []),
    ],
)
async def test_a_text_is_found_in_names_urls_receivers_and_keywords_alone(
    searched: Store, text: str, ids: list[str]
) -> None:
    assert await found(searched, text) == ids


async def test_a_text_is_found_in_the_title_of_a_page_that_is_watched(searched: Store) -> None:
    document = Document(URL, "s1", 100, 1, title="Ärger on Olympus (100 %)")
    await searched.snapshots.compare_and_set(document, 0)
    await searched.read_side.record(
        [subscribed(at=400, key="e", url=URL + "x", document_url=URL + "x")]
    )
    assert await found(searched, "ger ON olympus (100 %)") == ["c", "b", "a"]
    assert await found(searched, "olympus (1", tag="gods") == []
    await searched.read_side.record([cancelled(500, "b")])
    assert await found(searched, "Olympus") == ["c", "a"]
    assert await found(searched, "o.ympus") == []


async def test_ended_subscriptions_are_found_too(searched: Store) -> None:
    await searched.read_side.record([cancelled(400, "b")])
    assert await found(searched) == ["c", "b", "a"]


async def test_pages_follow_each_other_without_a_gap(searched: Store) -> None:
    ids, after = [], None
    for _ in range(3):
        page = await searched.subscriptions.search("default", SubscriptionSearch(), after, 1)
        ids += [item.subscription.id for item in page.items]
        after = page.next
    assert (ids, after) == (["c", "b", "a"], None)


async def test_a_call_looks_at_so_many_subscriptions_and_says_where_to_continue(
    searched: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "MAX_SEARCHED", 2)
    monkeypatch.setattr(mongo, "MAX_SEARCHED", 2)
    asked = SubscriptionSearch("zeus")
    first = await searched.subscriptions.search("default", asked, None, 10)
    assert first.items == ()
    second = await searched.subscriptions.search("default", asked, first.next, 10)
    assert [item.subscription.id for item in second.items] == ["a"]
    assert second.next is None


async def test_a_text_that_no_page_ended_with_is_no_cursor(searched: Store) -> None:
    with pytest.raises(ValueError, match="not a cursor"):
        await searched.subscriptions.search("default", SubscriptionSearch(), "here", 10)
