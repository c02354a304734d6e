"""Subscriptions by their tags, in both stores."""

from contextlib import closing
from pathlib import Path

import pytest

from connectors.stores.mongo import subscriptions as mongo
from connectors.stores.opening import Store
from connectors.stores.pages import SubscriptionSearch
from connectors.stores.sqlite import subscriptions as sqlite
from connectors.stores.sqlite.listing_queries import PAGE, TAGS
from connectors.stores.sqlite.schema import connect, migrate
from schemas.records.facts import Fact
from schemas.records.subscriptions import Options
from tests.fakes.subscriptions import cancelled, subscribed


def tagged(at: int, key: str, *tags: str, manager: str = "default") -> Fact:
    return subscribed(at=at, key=key, options=Options(tags=tags), manager=manager)


async def listed(store: Store, tag: str) -> list[str]:
    page = await store.subscriptions.page("default", None, 10, tag)
    return [item.subscription.id for item in page.items]


async def found(store: Store, tag: str, text: str = "") -> list[str]:
    asked = SubscriptionSearch(text, tag)
    page = await store.subscriptions.search("default", asked, None, 10)
    return [item.subscription.id for item in page.items]


@pytest.fixture
async def filled(store: Store) -> Store:
    facts = [
        tagged(100, "a", "gods", "prices"),
        tagged(200, "b", "prices"),
        tagged(300, "c"),
        tagged(400, "d", "gods", 'a "b" père'),
        tagged(500, "e", "gods", "theirs", manager="other"),
    ]
    await store.read_side.record(facts)
    return store


async def test_a_tag_lists_those_that_have_it(filled: Store) -> None:
    assert await listed(filled, "gods") == ["a", "d"]
    assert await listed(filled, "god") == []
    assert await found(filled, "prices") == ["b", "a"]
    assert await found(filled, 'a "b" père') == ["d"]
    assert await found(filled, "gods", "client.test/d") == ["d"]
    assert await found(filled, "gods", "client.test/b") == []


async def test_the_tags_in_use_are_listed_each_once(filled: Store) -> None:
    assert await filled.subscriptions.tags("default", 10) == ['a "b" père', "gods", "prices"]
    assert await filled.subscriptions.tags("default", 2) == ['a "b" père', "gods"]
    assert await filled.subscriptions.tags("nobody", 10) == []


async def test_other_tags_replace_those_before(filled: Store) -> None:
    await filled.read_side.record([tagged(900, "a", "prices", "titans"), tagged(900, "d")])
    assert await found(filled, "gods") == []
    assert await found(filled, "titans") == ["a"]
    assert await filled.subscriptions.tags("default", 10) == ["prices", "titans"]


async def test_an_ended_subscription_has_its_tags_until_it_is_pruned(filled: Store) -> None:
    await filled.read_side.record([cancelled(600, "a"), cancelled(700, "d")])
    assert await found(filled, "gods") == ["d", "a"]
    assert await filled.subscriptions.tags("default", 10) == ["prices"]
    await filled.read_side.prune(650, 0)
    assert await found(filled, "gods") == ["d"]


async def test_pages_of_a_tag_follow_each_other(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "MAX_SEARCHED", 1)
    monkeypatch.setattr(mongo, "MAX_SEARCHED", 1)
    asked = SubscriptionSearch("client.test/a", tag="gods")
    first = await filled.subscriptions.search("default", asked, None, 10)
    assert first.items == ()
    second = await filled.subscriptions.search("default", asked, first.next, 10)
    assert [item.subscription.id for item in second.items] == ["a"]
    page = await filled.subscriptions.page("default", None, 1, "gods")
    rest = await filled.subscriptions.page("default", page.next, 1, "gods")
    assert [item.subscription.id for item in (*page.items, *rest.items)] == ["a", "d"]
    assert rest.next is None


def test_sqlite_looks_at_no_subscription_without_the_tag(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "store.db")) as connection:
        migrate(connection, tmp_path)
        values = {"manager": "default", "tag": "gods", "created": 0, "id": "", "limit": 9}
        every = [PAGE[True], TAGS]
        plans = [
            [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", values)]
            for query in every
        ]
    assert any("SEARCH k USING PRIMARY KEY (manager=? AND tag=? AND" in step for step in plans[0])
    assert not any("TEMP B-TREE" in step for step in plans[0])
    steps = [step for step in plans[1] if "subscription_tags" in step]
    assert len(steps) == 2
    assert all("INDEX tags_in_use (manager=?" in step for step in steps)
