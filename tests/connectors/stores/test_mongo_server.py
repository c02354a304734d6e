"""The MongoDB server: what is requested of it, and what happens when it is away."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

import pytest
import pytest_asyncio
from pymongo.database import Database
from pymongo.errors import AutoReconnect

from connectors.stores.errors import StoreRefused, StoreUnavailable
from connectors.stores.mongo import snapshots
from connectors.stores.mongo.address import parse_address
from connectors.stores.mongo.database import connect
from connectors.stores.mongo.store import MongoStore
from connectors.stores.opening import open_store
from schemas.records.documents import Document
from schemas.records.facts import Fact
from schemas.records.subscription_facts import Subscribed
from tests.fakes.fuses import Fuse, Fused
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import WATCH, cancelled, expired, subscription
from tests.harness.mongo_proxy import MongoProxy
from tests.harness.stores import database
from tests.harness.waiting import eventually
from tests.servers.ferretdb.server import FerretDB

T = TypeVar("T")

URL = "http://example.test/"
LONG_AGO, SOME_DAY = 1000, 4_000_000_000_000
DOCUMENT = Document(URL, "w", 1, 1, text="zeus", unpublished=(b"one", b"two"))
RECORDED = ("watches", "subscriptions", "facts")
NOBODY = "mongodb://me:secret@127.0.0.1:9/db?serverSelectionTimeoutMS=50"


def test_a_location_names_hosts_and_database_and_no_secret() -> None:
    assert parse_address("mongodb://me:secret@a,b:1/news?tls=true").location == "a:27017,b:1/news"
    assert parse_address("mongodb://[::1]").location == "[::1]:27017/vokter"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"w": "majority", "j": True, "wtimeout": 10_000}),
        ("?w=2&journal=false&wTimeoutMS=7", {"w": 2, "j": False, "wtimeout": 7}),
    ],
)
async def test_a_write_waits_for_a_majority_and_its_journal_unless_the_url_says_otherwise(
    query: str, expected: dict[str, Any]
) -> None:
    client = connect(parse_address(f"mongodb://127.0.0.1:9/{query}"))
    assert client.write_concern.document == expected
    assert client.read_concern.level == "majority"
    client.close()


@pytest.mark.parametrize("url", ["mongodb://", "mongodb://h:x/db", "mongodb://h/a%20b"])
async def test_a_url_that_is_wrong_is_refused(url: str) -> None:
    with pytest.raises(StoreRefused, match=r"VOKTER_STORE is not|the MongoDB store h:"):
        await open_store(url)


async def test_where_no_server_answers_the_store_is_unavailable_and_names_no_secret() -> None:
    with pytest.raises(StoreUnavailable, match=r"No MongoDB server answers at 127.0.0.1:9/db") as e:
        await open_store(NOBODY)
    assert "secret" not in str(e.value)


async def test_a_wrong_login_is_refused_with_what_to_check(mongo: str) -> None:
    wrong = mongo.replace("mongodb://", "mongodb://nobody:secret@")
    with pytest.raises(StoreRefused, match="Check name, password and authSource") as refused:
        await open_store(wrong)
    assert "secret" not in str(refused.value)


async def test_a_database_of_a_later_release_is_refused(mongo: str) -> None:
    await (await open_store(mongo)).close()
    with database(mongo) as rows:
        rows.meta.update_one({}, {"$set": {"version": 1000}})
    with pytest.raises(StoreRefused, match="written by a later release"):
        await open_store(mongo)


async def test_processes_that_begin_a_database_at_the_same_time_agree_on_its_identity(
    mongo: str, mongo_rows: Database[dict[str, Any]]
) -> None:
    mongo_rows.client.drop_database(mongo_rows.name)
    stores = await asyncio.gather(*(open_store(mongo) for _ in range(5)))
    assert len({store.identity for store in stores}) == 1
    for store in stores:
        await store.close()


async def test_every_query_has_an_index(mongo: str) -> None:
    await (await open_store(mongo)).close()
    with database(mongo) as rows:
        indexed = {
            (name, tuple(index["key"]))
            for name in rows.list_collection_names()
            for index in rows[name].list_indexes()
        }
    assert indexed >= {
        ("documents", ("waiting",)),
        ("spilled", ("document", "version")),
        ("subscriptions", ("manager", "created", "_id")),
        ("subscriptions", ("manager", "ended")),
        ("subscriptions", ("ended",)),
        ("watches", ("id", "at")),
        ("facts", ("at",)),
    }


async def there(call: Callable[[], Awaitable[T]]) -> T:
    """Call until a server is found: a client that waits no longer than 300 ms may miss it."""

    async def found() -> T | None:
        with suppress(StoreUnavailable):
            return await call()
        return None

    return await eventually(found, "the server is there")


async def test_a_server_that_was_away_is_unavailable_and_then_there_again(ferret: FerretDB) -> None:
    url = f"{ferret.url}db?serverSelectionTimeoutMS=300"
    with ferret:
        store = await there(lambda: open_store(url))
        assert await store.snapshots.compare_and_set(DOCUMENT, 0)
    calls = (
        store.snapshots.document(URL),
        store.snapshots.compare_and_set(DOCUMENT, 1),
        store.snapshots.clear_unpublished(URL, 1),
        store.snapshots.unpublished(),
        store.snapshots.forget(URL, "w"),
        store.snapshots.record_checks([(URL, "w", 1)]),
        store.subscriptions.page("default", None, 1),
        store.subscriptions.count_active("default"),
        store.read_side.prune(1, 0),
        store.ping(),
    )
    for error in await asyncio.gather(*calls, return_exceptions=True):
        assert isinstance(error, OSError)
    with ferret:
        assert await there(lambda: store.snapshots.document(URL)) == DOCUMENT
        await store.ping()
        await store.close()


class Rows:
    """A database of which every call passes a fuse, before it and after it."""

    def __init__(self, store: MongoStore, fuse: Fuse) -> None:
        self._database = store.snapshots.database
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        return Calls(self._database[name], self._fuse)

    __getitem__ = __getattr__


class Calls(Fused):
    def find(self, *arguments: Any, **options: Any) -> Any:
        return self._thing.find(*arguments, **options)


async def cut(step: str) -> None:
    raise AutoReconnect(f"connection lost {step}")


@pytest_asyncio.fixture
async def store(mongo: str) -> AsyncIterator[MongoStore]:
    store = await MongoStore.open(mongo)
    yield store
    await store.close()


@pytest.mark.parametrize("room", [0, snapshots.MAX_ROW])
async def test_a_document_is_set_completely_or_not_at_all_wherever_the_connection_breaks(
    store: MongoStore, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr(snapshots, "MAX_ROW", room)
    before = Document(URL, "w", 1, 1, text="hera")
    after = Document(URL, "w", 2, 2, text="zeus", unpublished=(b"one", b"two"))
    rows, broken = store.snapshots.database, 0
    for at in range(20):
        await store.snapshots.forget(URL, "w")
        assert await store.snapshots.compare_and_set(before, 0)
        fuse = Fuse(iter([at]), cut)
        store.snapshots.database = Rows(store, fuse)  # type: ignore[assignment]  # the same methods
        try:
            assert await store.snapshots.compare_and_set(after, 1)
        except StoreUnavailable:
            broken += 1
        store.snapshots.database = rows
        found = await store.snapshots.document(URL)
        assert found in (before, after)
        assert found == after or fuse.blown
        assert await store.snapshots.compare_and_set(after, 1) is (found == before)
        assert await store.snapshots.document(URL) == after
    assert broken == (6 if room == 0 else 2)


async def test_spilled_records_without_a_document_are_pruned_and_nothing_else(
    store: MongoStore, mongo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers set the same version: only one of them counts, and its records stay."""
    monkeypatch.setattr(snapshots, "MAX_ROW", 0)
    assert await store.snapshots.compare_and_set(DOCUMENT, 0)
    assert not await store.snapshots.compare_and_set(replace(DOCUMENT, unpublished=(b"x", b"y")), 0)
    with database(mongo) as rows:
        assert rows.spilled.count_documents({}) == 4
        await store.read_side.prune(LONG_AGO, 0)
        assert rows.spilled.count_documents({}) == 4
        await store.read_side.prune(SOME_DAY, 0)
        assert rows.spilled.count_documents({}) == 2
        assert await store.snapshots.document(URL) == DOCUMENT
        await store.snapshots.clear_unpublished(URL, 1)
        assert rows.spilled.count_documents({}) == 0


def group(count: int, at: int = 100) -> list[Fact]:
    """Facts about so many rows of each collection."""
    subscriptions = [
        Subscribed("r", subscription(f"s{number}"), f"{URL}{number}", WATCH, at)
        for number in range(count)
    ]
    return [*subscriptions, *(replace(NOTIFICATION, id=f"n{n}", at=at) for n in range(count))]


@pytest.mark.parametrize(
    ("repeats", "sent"),
    [(0, {"find": 3, "insert": 3, "update": 0}), (1, {"find": 3, "insert": 0, "update": 12})],
)
async def test_a_group_takes_two_round_trips_a_collection_and_one_more_per_32_updates(
    mongo: str, repeats: int, sent: dict[str, int]
) -> None:
    proxy, signs = MongoProxy(mongo), list[int]()
    with proxy.running() as url:
        store = await open_store(url)
        for _ in range(repeats):
            await store.read_side.record(group(101))
        proxy.commands.clear()
        await store.read_side.record(group(101), lambda: signs.append(1))
        assert {name: proxy.commands[name] for name in sent} == sent
        assert proxy.commands["getMore"] == 0
        assert len(signs) == sent["insert"] + sent["update"]
        await store.close()


def stored(url: str) -> list[list[dict[str, Any]]]:
    """All rows that facts become."""
    with database(url) as rows:
        return [list(rows[name].find().sort("_id", 1)) for name in RECORDED]


async def test_a_group_that_is_cut_off_anywhere_is_complete_after_a_repeat(
    store: MongoStore, mongo: str
) -> None:
    facts = [*group(2), cancelled(200, "s0"), expired(50, "s1")]
    await store.read_side.record(facts)
    complete, rows, broken = stored(mongo), store.read_side.database, 0
    for at in range(8):
        with database(mongo) as emptied:
            for name in RECORDED:
                emptied[name].delete_many({})
        store.read_side.database = Rows(store, Fuse(iter([at]), cut))  # type: ignore[assignment]  # the same methods
        try:
            await store.read_side.record(facts)
        except StoreUnavailable:
            broken += 1
        store.read_side.database = rows
        await store.read_side.record(facts[at:])
        await store.read_side.record(facts)
        assert stored(mongo) == complete
    assert broken == 6, "before and after the write of each collection"


@pytest.mark.parametrize("before", [[], group(1, at=50)])
async def test_a_group_changes_no_row_that_another_worker_changes_meanwhile(
    store: MongoStore, mongo: str, before: list[Fact]
) -> None:
    await store.read_side.record(before)
    other = await MongoStore.open(mongo)
    newer = group(1, at=200)

    async def overtake(step: str) -> None:
        await other.read_side.record(newer)

    rows = store.read_side.database
    store.read_side.database = Rows(store, Fuse(iter([0]), overtake))  # type: ignore[assignment]  # the same methods
    with pytest.raises(StoreUnavailable):
        await store.read_side.record(group(1, at=100))
    store.read_side.database = rows
    newest = stored(mongo)
    await store.read_side.record(group(1, at=100))
    assert stored(mongo) == newest
    await other.close()


async def test_many_checks_are_noted_at_once_and_none_is_replaced_by_an_earlier_one(
    store: MongoStore, mongo: str
) -> None:
    urls = [f"{URL}{number:02}" for number in range(60)]
    with database(mongo) as rows:
        rows.documents.insert_many([{"_id": url, "url": url, "watch": "w"} for url in urls])
        for at in (200, 300, 100):
            await store.snapshots.record_checks([(url, "w", at) for url in [*urls, "unknown"]])
        found = rows.checks.find().sort("_id", 1)
        assert [(row["_id"], row["watch"], row["at"]) for row in found] == [
            (url, "w", 300) for url in urls
        ]
