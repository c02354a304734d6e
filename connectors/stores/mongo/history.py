"""The record stage's side: facts become rows. Everything here may be done again."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from connectors.stores.history import Rows
from connectors.stores.mongo.database import Database, Row
from connectors.stores.mongo.snapshots import prune_spilled
from connectors.stores.mongo.upserts import upsert
from connectors.stores.packing import packed_fact, state, subscription_json
from schemas.facts import Cancelled, Expired, Subscribed, SubscriptionFact

Operation = Callable[[Database], Awaitable[object]]


def _watch(fact: SubscriptionFact) -> Operation:
    """The newest fact knows the watch. Of two in one millisecond, the later one does."""
    watch = fact.watch
    values = {
        "at": fact.at,
        "id": watch and watch.id,
        "interval": watch and watch.interval,
        "content_type": watch and watch.content_type,
    }
    return partial(_put, "watches", {"_id": fact.url, "at": {"$lte": fact.at}}, {"$set": values})


def _begin(fact: Subscribed) -> Operation:
    subscription = fact.subscription
    values = {
        "manager": subscription.manager,
        "url": subscription.url,
        "created": subscription.created,
        "at": fact.at,
        "state": state(subscription),
        "body": subscription_json(subscription),
    }
    place = {"_id": subscription.id, "ended": None, "at": {"$lte": fact.at}}
    return partial(_put, "subscriptions", place, {"$set": values})


def _end(fact: Cancelled | Expired, state: str, reason: str | None) -> Operation:
    place = {"_id": fact.subscription, "ended": None}
    values = {"state": state, "reason": reason, "ended": fact.at}
    return lambda database: database.subscriptions.update_one(place, {"$set": values})


def _note(kind: str, key: str, subject: str, fact: Any) -> Operation:
    place = {"_id": f"{kind} {key}", "at": {"$lte": fact.at}}
    values = {"kind": kind, "subject": subject, "at": fact.at, "fact": packed_fact(fact)}
    return partial(_put, "history", place, {"$set": values})


operations = Rows(_watch, _begin, _end, _note).operations


async def _put(collection: str, place: Row, values: Row, database: Database) -> None:
    await upsert(database[collection], place, values)


async def prune(database: Database, before: int) -> None:
    """Delete what is older than ``before`` (epoch ms)."""
    await database.history.delete_many({"at": {"$lt": before}})
    await database.subscriptions.delete_many({"ended": {"$lt": before}})
    await database.watches.delete_many({"id": None, "at": {"$lt": before}})
    await prune_spilled(database, before)
