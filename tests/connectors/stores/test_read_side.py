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
from schemas.records.deliveries import ClientGone, Delivered, DeliveryFailed
from schemas.records.facts import Fact
from schemas.records.failures import DocumentUnreachable
from schemas.records.fetches import Forget
from schemas.records.notifications import Notification
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


FACTS = [
    subscribed(100),
    subscribed(150, keywords=("hera",)),
    subscribed(200, "s2", receiver=Receiver("http://client.test/s1")),
    cancelled(300, "s2", WATCH),
    subscribed(400, "s3", receiver=Receiver("http://client.test/s1")),
    expired(500, "s3"),
    subscribed(600, "s4", Watch("s4", 60)),
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
