"""The record agent's part: facts become rows. Every operation may be repeated."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from connectors.stores.mongo.database import Database, MongoPart, Row, asks, upsert
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

Operation = Callable[[Database], Awaitable[object]]


class MongoReadSide(MongoPart):
    """Implements ``streams.agents.record.ReadSide``."""

    def __init__(self, database: Database, location: str, history: int) -> None:
        """Keep ``history`` older snapshots of each document."""
        super().__init__(database, location)
        self._history = MongoSnapshotHistory(history)

    @asks
    async def record(self, facts: Sequence[Fact]) -> None:
        """Bring the read side up to date with these facts, in their order."""
        for write in await asyncio.to_thread(operations, facts):
            await write(self.database)

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


def _watch(fact: SubscriptionFact) -> Operation:
    """The newest fact has the watch; of two in one millisecond, the later one."""
    watch = fact.watch
    values = {
        "at": fact.at,
        "id": watch and watch.id,
        "interval": watch and watch.interval,
    }
    return partial(_put, "watches", {"_id": fact.url, "at": {"$lte": fact.at}}, {"$set": values})


def _begin(fact: Subscribed) -> Operation:
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
    query = {"_id": subscription.id, "ended": None, "at": {"$lte": fact.at}}
    return partial(_put, "subscriptions", query, {"$set": values})


def _end(fact: Cancelled | Expired, state: str, reason: str | None) -> Operation:
    query = {"_id": fact.subscription, "ended": None}
    values = {"state": state, "reason": reason, "ended": fact.at}
    return lambda database: database.subscriptions.update_one(query, {"$set": values})


def _note(kind: str, key: str, subject: str, fact: Any) -> Operation:
    query = {"_id": f"{kind} {key}", "at": {"$lte": fact.at}}
    values = {"kind": kind, "subject": subject, "at": fact.at, "fact": pack_fact(fact)}
    values |= news_columns(fact)
    return partial(_put, "facts", query, {"$set": values})


def _drop(kind: str, key: str, at: int) -> Operation:
    query = {"_id": f"{kind} {key}", "at": {"$lte": at}}
    return lambda database: database.facts.delete_one(query)


operations = RowOperations(watch=_watch, begin=_begin, end=_end, note=_note, drop=_drop).operations


async def _put(collection: str, query: Row, values: Row, database: Database) -> None:
    await upsert(database[collection], query, values)
