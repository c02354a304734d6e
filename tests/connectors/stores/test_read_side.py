"""The read side in a store: recorded facts, replays, pruning."""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import given
from hypothesis import strategies as st

from connectors.stores.opening import Store
from connectors.stores.sqlite.read_side import operations
from connectors.stores.sqlite.schema import connect, migrate
from connectors.stores.sqlite.subscriptions import SqliteSubscriptions
from schemas.records.changes import DocumentChanged
from schemas.records.crawls import Coverage
from schemas.records.deliveries import ClientGone, Delivered, DeliveryFailed
from schemas.records.facts import Fact
from schemas.records.failures import DocumentUnreachable
from schemas.records.fetches import Forget
from schemas.records.notifications import Notification
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Receiver
from schemas.records.watches import Watch
from tests.connectors.stores.test_subscriptions import listed, states
from tests.fakes.regions import added
from tests.fakes.subscriptions import URL, WATCH, cancelled, expired, subscribed
from tests.harness.stores import Place

T = TypeVar("T")


CHANGED = DocumentChanged("c1", URL, "s1", 1000, 0, "text/html", "en", (added("Zeus"),), at=1000)
NOTIFICATION = Notification(
    "n1",
    "c1",
    "s1",
    "default",
    Receiver("http://c/"),
    "ok",
    URL,
    "",
    (),
    False,
    1000,
    0,
    0,
    "w",
    test=False,
)
DELIVERED = Delivered("n1", "s1", "default", "http://c/", 1, 200, at=2000)
FAILED = DeliveryFailed("n1", "s1", "default", "http://c/", 3, "answered 500", at=1500)


class TestHistory:
    async def test_each_fact_is_kept_once(self, store: Store, place: Place) -> None:
        unreachable = DocumentUnreachable("c2", URL, "s1", 2000, "", "timed out", at=2000)
        gone = ClientGone("default", "http://c/", "answered 410", at=2000)
        facts: list[Fact] = [CHANGED, unreachable, NOTIFICATION, DELIVERED, gone]
        await store.read_side.record(facts)
        await store.read_side.record(facts)
        assert [(kind, key, fact["fact"]) for kind, key, fact in place.history()] == [
            ("change", "c1", "DocumentChanged"),
            ("change", "c2", "DocumentUnreachable"),
            ("client", "default http://c/", "ClientGone"),
            ("delivery", "n1", "Delivered"),
            ("notification", "n1", "Notification"),
        ]
        assert place.history()[0][2]["regions"][0]["added"]["text"] == "Zeus"

    async def test_an_older_fact_overwrites_no_newer_one(self, store: Store, place: Place) -> None:
        await store.read_side.record([FAILED, DELIVERED])
        await store.read_side.record([FAILED])
        assert [fact["fact"] for _, _, fact in place.history()] == ["Delivered"]

    async def test_of_a_group_the_newest_fact_about_a_row_stays(
        self, store: Store, place: Place
    ) -> None:
        newer, older = subscribed(200, keywords=("hera",)), subscribed(100, watch=Watch("s1", 90))
        await store.read_side.record([newer, older, DELIVERED, FAILED])
        assert [fact["fact"] for _, _, fact in place.history()] == ["Delivered"]
        [found] = (await store.subscriptions.page("default", None, 10)).items
        assert (found.subscription.keywords, found.interval) == (("hera",), 60)

    async def test_of_two_facts_in_one_millisecond_the_later_one_stays(self, store: Store) -> None:
        group = [subscribed(keywords=("hera",)), subscribed(watch=Watch("s1", 90))]
        await store.read_side.record(group)
        [found] = (await store.subscriptions.page("default", None, 10)).items
        assert (found.subscription.keywords, found.interval) == (("zeus", "père"), 90)

    async def test_one_that_ends_in_the_group_in_which_it_begins_stays_ended(
        self, store: Store
    ) -> None:
        group = [cancelled(90), subscribed(100), cancelled(200), expired(300), subscribed(400)]
        await store.read_side.record(group)
        assert await states(store) == [("s1", "cancelled")]
        await store.read_side.record(group)
        assert await states(store) == [("s1", "cancelled")]

    async def test_a_page_that_comes_and_goes_in_one_group_is_listed_once(
        self, store: Store, place: Place
    ) -> None:
        group: list[Fact] = [page_added(100), page_removed(200), page_added(300), page_removed(400)]
        for count, kind in enumerate(("page", "removed_page", "page", "removed_page"), 1):
            await store.read_side.record(group[:count])
            assert [each for each, _, _ in place.history()] == [kind]

    async def test_each_group_gives_a_sign_of_life(self, store: Store) -> None:
        signs = list[str]()
        await store.read_side.record([subscribed()], lambda: signs.append("part"))
        assert signs

    async def test_a_command_leaves_no_trace(self, store: Store, place: Place) -> None:
        await store.read_side.record([Forget("http://d.test/", "w")])
        assert place.history() == []

    async def test_only_what_is_older_is_pruned(self, store: Store, place: Place) -> None:
        ended = [subscribed(key="s1"), cancelled(1000), subscribed(key="s2"), cancelled(2000, "s2")]
        await store.read_side.record(
            [*ended, subscribed(key="s3"), CHANGED, NOTIFICATION, DELIVERED]
        )
        await store.read_side.prune(2000, 0)
        assert await states(store) == [("s2", "cancelled"), ("s3", "active")]
        assert [kind for kind, _, _ in place.history()] == ["delivery"]


def page_added(at: int) -> PageAdded:
    return PageAdded(Coverage("s1", URL, URL, 1), "default", URL + "a", None, at, since=at)


def page_removed(at: int) -> PageRemoved:
    return PageRemoved("s1", "default", "the page is gone", URL + "a", None, at, since=at - 100)


FACTS: list[Fact] = [
    page_added(50),
    subscribed(100),
    subscribed(150, keywords=("hera",)),
    subscribed(200, "s2", receiver=Receiver("http://client.test/s1")),
    cancelled(300, "s2", WATCH),
    subscribed(400, "s3", receiver=Receiver("http://client.test/s1")),
    expired(500, "s3"),
    page_removed(550),
    subscribed(600, "s4", Watch("s4", 60)),
    FAILED,
    DELIVERED,
]


class Immediate:
    """Queries a file without a thread."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        return query(self._connection)


@given(st.lists(st.integers(0, len(FACTS)), max_size=4))
def test_replays_from_anywhere_end_in_the_same_listing(starts: list[int]) -> None:
    def outcome(facts: list[Fact]) -> object:
        connection = connect(Path(":memory:"))
        migrate(connection, Path(":memory:"))
        for do in operations(facts):
            do(connection)
        now: Any = Immediate(connection)
        page = asyncio.run(SqliteSubscriptions(now).page("default", None, 100))
        connection.close()
        return page

    replayed = [fact for start in starts for fact in FACTS[start:]]
    assert outcome(FACTS + replayed) == outcome(FACTS)


async def test_every_replay_ends_in_the_same_rows(store: Store, place: Place) -> None:
    await store.read_side.record(FACTS)
    once = await listed(store), place.history()
    for start in range(len(FACTS)):
        # A group that is cut off, and the next owner's, which has other borders.
        await store.read_side.record(FACTS[: start + 1])
        await store.read_side.record(FACTS[start // 2 :])
        assert (await listed(store), place.history()) == once
