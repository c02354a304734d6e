"""The record agent's part: facts become rows.

A group of facts is no transaction. The rows that its facts are about are read, what becomes of
each is decided, and all changes of a collection are written at once. A group that is cut off is
written in part, and repeated. That is harmless, also from an earlier fact on: no row is
replaced by an older one, none that has ended is changed, and the last facts about a row, with
which each repeat ends, decide what it is.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal

from pymongo import DeleteOne, InsertOne, UpdateOne

from connectors.stores.errors import StoreUnavailable
from connectors.stores.mongo.database import Database, MongoPart, Row, asks
from connectors.stores.mongo.history import MongoSnapshotHistory
from connectors.stores.mongo.page_waits import prune_waits
from connectors.stores.mongo.spilling import prune_spilled
from connectors.stores.packing import (
    news_columns,
    pack_fact,
    pack_subscription,
    receiver_key,
    state_of,
)
from connectors.stores.read_side import COVERED, RowOperations
from schemas.records.facts import Fact
from schemas.records.subscription_facts import Cancelled, Expired, Subscribed, SubscriptionFact

Change = InsertOne[Row] | UpdateOne | DeleteOne
Rows = Mapping[str, Row | None]
"""Rows by their ids, None where there is none."""
_DECISIVE = {"at": 1, "ended": 1}
"""The fields by which it is decided what becomes of a row."""
_COLLECTION = attrgetter("collection")


@dataclass(frozen=True, slots=True)
class RowWrite:
    """What a fact says ``at`` a time about the row with the ``_id`` ``key``.

    A ``put`` inserts or updates the row with ``values``, an ``end`` updates it, a ``drop``
    deletes it.
    """

    kind: Literal["put", "end", "drop"]
    collection: str
    key: str
    at: int
    values: Row

    def applied(self, row: Row | None) -> Row | None:
        """Return what becomes of a row; the same one if this write does not apply to it."""
        if row is None:
            return self.values if self.kind == "put" else None
        if row.get("ended") is not None or (self.kind != "end" and row["at"] > self.at):
            return row
        return None if self.kind == "drop" else {**row, **self.values}


class MongoReadSide(MongoPart):
    """Implements ``streams.agents.record.ReadSide``."""

    def __init__(self, database: Database, location: str, history: int) -> None:
        """Keep ``history`` older snapshots of each document."""
        super().__init__(database, location)
        self._history = MongoSnapshotHistory(history)

    @asks
    async def record(self, facts: Sequence[Fact], signal: Callable[[], object] = bool) -> None:
        """Bring the read side up to date with these facts, in their order."""
        writes = sorted(await asyncio.to_thread(operations, facts), key=_COLLECTION)
        for name, several in groupby(writes, _COLLECTION):
            await self._write(name, list(several))
            signal()

    async def _write(self, name: str, writes: Sequence[RowWrite]) -> None:
        rows = self.database[name]
        query = {"_id": {"$in": list({write.key for write in writes})}}
        found = await rows.find(query, _DECISIVE).to_list(None)
        changes = list(changes_of({row["_id"]: row for row in found}, writes))
        if not changes:
            return
        # In no order, which takes fewer round trips: each row is in one change.
        done = await rows.bulk_write(changes, ordered=False)
        if done.inserted_count + done.matched_count + done.deleted_count < len(changes):
            raise StoreUnavailable(f"{name} were changed by another worker while they were written")

    @asks
    async def prune(self, facts_before: int, snapshots_before: int) -> None:
        """Delete what ended or was replaced before these times (epoch ms)."""
        database = self.database
        old = {"at": {"$lt": facts_before}, "kind": {"$ne": COVERED}}
        await database.facts.delete_many(old)
        await database.subscriptions.delete_many({"ended": {"$lt": facts_before}})
        await database.watches.delete_many({"id": None, "at": {"$lt": facts_before}})
        await prune_spilled(database, facts_before)
        await self._history.prune(database, snapshots_before)
        await prune_waits(database)


def changes_of(found: Rows, writes: Iterable[RowWrite]) -> Iterator[Change]:
    """Yield the changes of rows by which these writes are done, at most one for each row."""
    rows = dict(found)
    for write in writes:
        rows[write.key] = write.applied(rows.get(write.key))
    for key, row in rows.items():
        before = found.get(key)
        if row is before:
            continue
        if before is None:
            assert row is not None, "only a row that was found can be dropped"
            yield InsertOne({"_id": key, **row})
            continue
        same = {"_id": key, "at": before["at"], "ended": before.get("ended")}
        yield DeleteOne(same) if row is None else UpdateOne(same, {"$set": row})


def _watch(fact: SubscriptionFact) -> RowWrite:
    """The newest fact has the watch; of two in one millisecond, the later one."""
    watch = fact.watch
    values = {
        "at": fact.at,
        "id": watch and watch.id,
        "interval": watch and watch.interval,
    }
    return RowWrite("put", "watches", fact.url, fact.at, values)


def _begin(fact: Subscribed) -> RowWrite:
    subscription = fact.subscription
    values = {
        "manager": subscription.manager,
        "url": subscription.url,
        "receiver": receiver_key(subscription.receiver),
        "view": subscription.view_id,
        "created": subscription.created,
        "at": fact.at,
        "state": state_of(subscription),
        "tags": list(subscription.options.tags),
        "body": pack_subscription(subscription),
    }
    return RowWrite("put", "subscriptions", subscription.id, fact.at, values)


def _end(fact: Cancelled | Expired, state: str, reason: str | None) -> RowWrite:
    values = {"state": state, "reason": reason, "ended": fact.at}
    return RowWrite("end", "subscriptions", fact.subscription, fact.at, values)


def _note(kind: str, key: str, subject: str, fact: Any) -> RowWrite:
    values = {"kind": kind, "subject": subject, "at": fact.at, "fact": pack_fact(fact)}
    values |= news_columns(fact)
    return RowWrite("put", "facts", f"{kind} {key}", fact.at, values)


def _drop(kind: str, key: str, at: int) -> RowWrite:
    return RowWrite("drop", "facts", f"{kind} {key}", at, {})


operations = RowOperations(watch=_watch, begin=_begin, end=_end, note=_note, drop=_drop).operations
