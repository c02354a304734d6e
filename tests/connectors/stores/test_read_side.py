"""The read side in a store: listing, replays, pruning."""

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.stores.opening import Store
from connectors.stores.pages import ListedSubscription
from connectors.stores.sqlite.read_side import operations
from connectors.stores.sqlite.schema import connect, migrate
from connectors.stores.sqlite.subscriptions import SqliteSubscriptions
from schemas.documents import Document
from schemas.facts import (
    Cancelled,
    ClientGone,
    Delivered,
    DeliveryFailed,
    DocumentChanged,
    DocumentUnreachable,
    Expired,
    Fact,
    Hunk,
    Notification,
    Options,
    Passage,
    Receiver,
    Rejected,
    Subscribed,
    Subscription,
    Tick,
    Watch,
)
from tests.harness.stores import Place

T = TypeVar("T")

URL = "http://example.test/"
WATCH = Watch("s1", 60, None)


def subscription(key: str = "s1", **fields: Any) -> Subscription:
    """A subscription by ``key``; each has another client."""
    given_fields = {
        "id": key,
        "watch": "s1",
        "manager": "default",
        "document_url": "http://EXAMPLE.test",
        "url": URL,
        "receiver": Receiver(f"http://client.test/{key}"),
        "keywords": ("zeus", "père"),
        "options": Options(interval=60, enable_stemming=True, ignore_case=True),
        "created": 100,
    }
    return Subscription(**{**given_fields, **fields})


def subscribed(at: int = 100, key: str = "s1", watch: Watch | None = WATCH, **fields: Any) -> Fact:
    return Subscribed("r", subscription(key, created=at, **fields), URL, watch, at)


def cancelled(at: int, key: str = "s1", watch: Watch | None = None) -> Fact:
    return Cancelled("r", key, "default", URL, watch, at)


def expired(at: int, key: str = "s1", watch: Watch | None = None) -> Fact:
    return Expired(key, "default", "ten failures", URL, watch, at)


async def listed(store: Store, manager: str = "default") -> list[ListedSubscription]:
    return list((await store.subscriptions.page(manager, None, 100)).items)


async def states(store: Store) -> list[tuple[str, str]]:
    return [(item.subscription.id, item.state) for item in await listed(store)]


class TestListing:
    async def test_a_subscription_is_listed_with_its_watch(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        assert await listed(store) == [
            ListedSubscription(subscription(), "active", None, None, WATCH, None, 0, None)
        ]

    async def test_a_subscription_is_listed_with_the_state_of_its_document(
        self, store: Store
    ) -> None:
        await store.read_side.record([subscribed()])
        document = Document(URL, "s1", 1000, 1000, failures=2, last_error="timed out")
        await store.snapshots.compare_and_set(document, 0)
        await store.snapshots.record_checks([(URL, "s1", 1500), (URL, "s1", 1400)])
        [item] = await listed(store)
        assert (item.last_check, item.failures, item.last_error) == (1500, 2, "timed out")

    async def test_the_state_of_another_watch_is_not_shown(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        await store.snapshots.compare_and_set(Document(URL, "s0", 1000, 1000, failures=9), 0)
        await store.snapshots.record_checks([(URL, "s0", 1500)])
        [item] = await listed(store)
        assert (item.last_check, item.failures) == (None, 0)

    async def test_a_check_of_a_new_watch_replaces_that_of_the_old_one(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        await store.snapshots.compare_and_set(Document(URL, "s0", 1000, 1000), 0)
        await store.snapshots.record_checks([(URL, "s0", 1500)])
        await store.snapshots.compare_and_set(Document(URL, "s1", 1200, 1200), 1000)
        await store.snapshots.record_checks(
            [(URL, "s1", 1400), ("http://forgotten.test/", "s9", 1400)]
        )
        assert [item.last_check for item in await listed(store)] == [1400]

    async def test_a_forgotten_document_has_no_last_check(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        await store.snapshots.compare_and_set(Document(URL, "s1", 1000, 1000), 0)
        await store.snapshots.record_checks([(URL, "s1", 1500)])
        await store.snapshots.forget(URL, "s1")
        await store.snapshots.record_checks([(URL, "s1", 1600)])
        assert [item.last_check for item in await listed(store)] == [None]

    async def test_a_manager_sees_only_its_own(self, store: Store) -> None:
        await store.read_side.record([subscribed(), subscribed(key="s2", manager="other")])
        assert [item.subscription.id for item in await listed(store)] == ["s1"]
        assert [item.subscription.id for item in await listed(store, "other")] == ["s2"]

    async def test_only_a_managers_active_subscriptions_are_counted(self, store: Store) -> None:
        await store.read_side.record([subscribed(), subscribed(key="s2"), subscribed(key="s3")])
        await store.read_side.record([subscribed(key="s4", manager="other"), cancelled(200, "s2")])
        assert await store.subscriptions.count_active("default") == 2
        assert await store.subscriptions.count_active("nobody") == 0

    async def test_pages_hold_each_subscription_once_oldest_first(self, store: Store) -> None:
        facts = [subscribed(at=100 + number // 3, key=f"s{number}") for number in range(9)]
        await store.read_side.record(facts)
        found, cursor = [], None
        while True:
            page = await store.subscriptions.page("default", cursor, 2)
            found += [item.subscription.id for item in page.items]
            cursor = page.next
            if cursor is None:
                break
        assert found == [f"s{number}" for number in range(9)]

    async def test_a_full_last_page_has_no_next(self, store: Store) -> None:
        await store.read_side.record([subscribed(), subscribed(key="s2")])
        assert (await store.subscriptions.page("default", None, 2)).next is None

    @pytest.mark.parametrize("cursor", ["", "x", "x-y", "-1-y", "²-y", "9" * 30 + "-y"])
    async def test_a_cursor_of_no_page_is_an_error(self, store: Store, cursor: str) -> None:
        with pytest.raises(ValueError, match="not a cursor"):
            await store.subscriptions.page("default", cursor, 2)


class TestEnds:
    async def test_a_cancelled_subscription_is_listed_as_such(self, store: Store) -> None:
        await store.read_side.record([subscribed(), cancelled(200)])
        [item] = await listed(store)
        assert (item.state, item.ended, item.reason, item.watch) == ("cancelled", 200, None, None)

    async def test_an_expired_subscription_keeps_its_reason(self, store: Store) -> None:
        await store.read_side.record([subscribed(), expired(200), cancelled(300)])
        [item] = await listed(store)
        assert (item.state, item.ended, item.reason) == ("expired", 200, "ten failures")

    async def test_a_subscription_that_ended_stays_ended(self, store: Store) -> None:
        await store.read_side.record([subscribed(), cancelled(200)])
        await store.read_side.record([subscribed()])
        await store.read_side.record([subscribed(at=300)])
        assert await states(store) == [("s1", "cancelled")]

    async def test_a_changed_subscription_shows_its_newest_options(self, store: Store) -> None:
        changed = subscribed(at=200, keywords=("hera",))
        await store.read_side.record([subscribed(), changed])
        await store.read_side.record([subscribed()])
        assert [item.subscription.keywords for item in await listed(store)] == [("hera",)]

    async def test_the_newest_fact_has_the_watch(self, store: Store) -> None:
        slower = replace(WATCH, interval=600)
        await store.read_side.record(
            [subscribed(), subscribed(key="s2"), cancelled(200, "s2", slower)]
        )
        await store.read_side.record([subscribed(key="s2")])
        assert (await listed(store))[0].watch == slower

    async def test_a_paused_subscription_is_paused_until_it_is_resumed_or_ends(
        self, store: Store
    ) -> None:
        await store.read_side.record([subscribed(), subscribed(at=200, paused=True)])
        assert await states(store) == [("s1", "paused")]
        assert await store.subscriptions.count_active("default") == 1
        await store.read_side.record([subscribed(at=300)])
        assert await states(store) == [("s1", "active")]
        await store.read_side.record([subscribed(at=200, paused=True)])
        assert await states(store) == [("s1", "active")]
        await store.read_side.record([subscribed(at=400, paused=True), cancelled(500)])
        assert await states(store) == [("s1", "cancelled")]

    async def test_a_rejection_changes_no_subscription(self, store: Store) -> None:
        await store.read_side.record([subscribed(), Rejected("r", 5, "", URL, WATCH, 200)])
        assert await states(store) == [("s1", "active")]


PASSAGE = Passage("Zeus", 0, "", "")
CHANGED = DocumentChanged(
    "c1", URL, "s1", 1000, 0, "text/html", "en", (Hunk(None, PASSAGE),), at=1000
)
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
        assert place.history()[0][2]["hunks"][0]["added"]["text"] == "Zeus"

    async def test_an_older_fact_overwrites_no_newer_one(self, store: Store, place: Place) -> None:
        await store.read_side.record([FAILED, DELIVERED])
        await store.read_side.record([FAILED])
        assert [fact["fact"] for _, _, fact in place.history()] == ["Delivered"]

    async def test_a_command_leaves_no_trace(self, store: Store, place: Place) -> None:
        await store.read_side.record([Tick(1000)])
        assert place.history() == []

    async def test_only_what_is_older_is_pruned(self, store: Store, place: Place) -> None:
        ended = [subscribed(key="s1"), cancelled(1000), subscribed(key="s2"), cancelled(2000, "s2")]
        await store.read_side.record(
            [*ended, subscribed(key="s3"), CHANGED, NOTIFICATION, DELIVERED]
        )
        await store.read_side.prune(2000, 0)
        assert await states(store) == [("s2", "cancelled"), ("s3", "active")]
        assert [kind for kind, _, _ in place.history()] == ["delivery"]


FACTS = [
    subscribed(100),
    subscribed(150, keywords=("hera",)),
    subscribed(200, "s2", receiver=Receiver("http://client.test/s1")),
    cancelled(300, "s2", WATCH),
    subscribed(400, "s3", receiver=Receiver("http://client.test/s1")),
    expired(500, "s3"),
    subscribed(600, "s4", Watch("s4", 60, None)),
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


async def test_every_replay_ends_in_the_same_listing(store: Store) -> None:
    await store.read_side.record(FACTS)
    once = await listed(store)
    for start in range(len(FACTS)):
        await store.read_side.record(FACTS[start:])
        assert await listed(store) == once
