"""The record agent's part: facts become rows.

A group of facts is no transaction. The rows of its facts are read, the changes of each are decided,
and the writes of a collection are sent together. A group may be written in part, and is then
repeated. A repeat is harmless, also with earlier facts before it: no row is replaced by an older
row, no ended row is changed, and the repeat ends with the same facts.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal

from pymongo import DeleteOne, InsertOne, UpdateOne

from connectors.stores.errors import StoreUnavailable
from connectors.stores.mongo.database import (
    Database,
    MongoPart,
    Row,
    asks,
    document_key,
    in_parts,
)
from connectors.stores.mongo.history import MongoSnapshotHistory
from connectors.stores.mongo.page_waits import prune_waits, prune_watches
from connectors.stores.mongo.spilling import prune_spilled
from connectors.stores.mongo.terms import with_terms
from connectors.stores.objects import Objects
from connectors.stores.packing import (
    pack_fact,
    pack_subscription,
    receiver_key,
    search_columns,
    state_of,
)
from connectors.stores.read_side import COVERED, RowOperations, Terms, no_terms
from schemas.records.facts import Fact
from schemas.records.subscription_facts import Cancelled, Expired, Subscribed, SubscriptionFact

_DECISIVE = {"at": 1, "ended": 1}
"""The fields for the decision about a row."""
_COLLECTION = attrgetter("collection")


@dataclass(frozen=True, slots=True)
class RowWrite:
    """A write of a fact, ``at`` its time, to the row with the ``_id`` ``key``.

    A ``put`` inserts or updates the row with ``values``, an ``end`` updates a row, a ``drop``
    deletes a row.
    """

    kind: Literal["put", "end", "drop"]
    collection: str
    key: str
    at: int
    values: Row

    def applied(self, row: Row | None) -> Row | None:
        """Return the row after this write; the same row if the write does not apply."""
        if row is None:
            return self.values if self.kind == "put" else None
        if row.get("ended") is not None or (self.kind != "end" and row["at"] > self.at):
            return row
        return None if self.kind == "drop" else {**row, **self.values}


class MongoReadSide(MongoPart):
    """Implements ``streams.agents.record.ReadSide``."""

    def __init__(self, database: Database, location: str, history: int, objects: Objects) -> None:
        """Keep ``history`` older snapshots of each document."""
        super().__init__(database, location)
        self._history = MongoSnapshotHistory(history)
        self._objects = objects

    @asks
    async def record(
        self,
        facts: Sequence[Fact],
        signal: Callable[[], object] = bool,
        terms: Terms = no_terms,
    ) -> None:
        """Bring the read side up to date with these facts, in their order."""
        writes = await asyncio.to_thread(operations, facts, terms)
        # Watches, then subscriptions, then facts: each is listed with those before it.
        writes.sort(key=_COLLECTION, reverse=True)
        for name, several in groupby(writes, _COLLECTION):
            await self._write(name, list(several), signal)

    async def _write(
        self, name: str, writes: Sequence[RowWrite], signal: Callable[[], object]
    ) -> None:
        rows = self.database[name]
        keys = list({write.key for write in writes})
        asked = rows.find({"_id": {"$in": keys}}, _DECISIVE, batch_size=len(keys) + 1)
        found = {row["_id"]: row for row in await asked.to_list(None)}
        inserts, updates = changes_of(found, writes)
        for part in (inserts, *in_parts(updates)):
            if not part:
                continue
            # In no order, which takes fewer round trips: each row is in one change.
            done = await rows.bulk_write(part, ordered=False)
            if done.inserted_count + done.matched_count + done.deleted_count < len(part):
                raise StoreUnavailable(f"another worker changed {name} at the same time")
            signal()

    @asks
    async def prune(self, facts_before: int, snapshots_before: int) -> None:
        """Delete the rows ended or replaced before these times (epoch ms)."""
        database = self.database
        old = {"at": {"$lt": facts_before}, "kind": {"$ne": COVERED}}
        await database.facts.delete_many(old)
        await database.subscriptions.delete_many({"ended": {"$lt": facts_before}})
        await prune_watches(database, facts_before)
        await prune_spilled(database, facts_before)
        await self._history.prune(database, snapshots_before)
        await prune_waits(database)
        await self._objects.sweep(self._named, datetime.now(UTC))

    async def _named(self, url: str, view: str) -> set[bytes]:
        fields = dict.fromkeys(("body", "picture", "earlier_picture"), 1)
        key = {"_id": document_key(url, view)}
        rows = await self.database.documents.find(key, fields).to_list(None)
        older = self.database.snapshots.find({"url": url, "view": view}, {"body": 1})
        rows += await older.to_list(None)
        return {value for row in rows for name, value in row.items() if name != "_id" and value}


def changes_of(
    found: Mapping[str, Row], writes: Iterable[RowWrite]
) -> tuple[list[InsertOne[Row]], list[UpdateOne | DeleteOne]]:
    """Return the changes by these writes, one for each row: inserts, and all others.

    ``found`` are the rows of now by their ids. Only they are updated or deleted, and only if they
    are still the same.
    """
    rows: dict[str, Row | None] = dict(found)
    for write in writes:
        rows[write.key] = write.applied(rows.get(write.key))
    inserts = [
        InsertOne({"_id": key, **row}) for key, row in rows.items() if row and key not in found
    ]
    updates: list[UpdateOne | DeleteOne] = []
    for key, was in found.items():
        if (row := rows[key]) is not was:
            same = {"_id": was["_id"], "at": was["at"], "ended": was.get("ended")}
            updates.append(DeleteOne(same) if row is None else UpdateOne(same, {"$set": row}))
    return inserts, updates


def _watch(fact: SubscriptionFact) -> RowWrite:
    """The newest fact has the watch; of two in a millisecond, the later fact."""
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
        "receiver": receiver_key(subscription.receiver, subscription.name),
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


def _note(kind: str, key: str, subject: str, fact: Any, terms: str) -> RowWrite:
    values = {"kind": kind, "subject": subject, "at": fact.at, "fact": pack_fact(fact)}
    values |= with_terms(kind, search_columns(fact, terms))
    return RowWrite("put", "facts", f"{kind} {key}", fact.at, values)


def _drop(kind: str, key: str, at: int) -> RowWrite:
    return RowWrite("drop", "facts", f"{kind} {key}", at, {})


operations = RowOperations(watch=_watch, begin=_begin, end=_end, note=_note, drop=_drop).operations
