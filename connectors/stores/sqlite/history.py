"""The record stage's side: facts become rows. Everything here may be done again."""

import sqlite3
from collections.abc import Callable
from typing import Any

from connectors.stores.history import Rows
from connectors.stores.packing import packed_fact, state, subscription_json
from schemas.facts import Cancelled, Expired, Subscribed, SubscriptionFact

Operation = Callable[[sqlite3.Connection], Any]

PRUNED_AT_ONCE = 1000
_FORMER = """
    DELETE FROM snapshots WHERE rowid IN (SELECT rowid FROM snapshots WHERE until < ? LIMIT ?)
"""
_PRUNING = (
    "DELETE FROM history WHERE rowid IN (SELECT rowid FROM history WHERE at < ? LIMIT ?)",
    """DELETE FROM subscriptions WHERE rowid IN
       (SELECT rowid FROM subscriptions WHERE ended < ? LIMIT ?)""",
    """DELETE FROM watches WHERE url IN
       (SELECT url FROM watches WHERE id IS NULL AND at < ? LIMIT ?)""",
)


def _statement(sql: str, **values: object) -> Operation:
    return lambda connection: connection.execute(sql, values)


def _watch(fact: SubscriptionFact) -> Operation:
    """The newest fact knows the watch. Of two in one millisecond, the later one does."""
    watch = fact.watch
    return _statement(
        "INSERT INTO watches (url, at, id, interval, content_type)"
        " VALUES (:url, :at, :id, :interval, :content_type)"
        " ON CONFLICT (url) DO UPDATE SET (at, id, interval, content_type)"
        " = (excluded.at, excluded.id, excluded.interval, excluded.content_type)"
        " WHERE excluded.at >= at",
        url=fact.url,
        at=fact.at,
        id=watch and watch.id,
        interval=watch and watch.interval,
        content_type=watch and watch.content_type,
    )


def _begin(fact: Subscribed) -> Operation:
    subscription = fact.subscription
    return _statement(
        "INSERT INTO subscriptions (id, manager, url, created, at, state, body)"
        " VALUES (:id, :manager, :url, :created, :at, :state, :body)"
        " ON CONFLICT (id) DO UPDATE SET (created, at, state, body)"
        " = (excluded.created, excluded.at, excluded.state, excluded.body)"
        " WHERE ended IS NULL AND excluded.at >= at",
        id=subscription.id,
        manager=subscription.manager,
        url=subscription.url,
        created=subscription.created,
        at=fact.at,
        state=state(subscription),
        body=subscription_json(subscription),
    )


def _end(fact: Cancelled | Expired, state: str, reason: str | None) -> Operation:
    return _statement(
        "UPDATE subscriptions SET state = :state, reason = :reason, ended = :at"
        " WHERE id = :id AND ended IS NULL",
        state=state,
        reason=reason,
        at=fact.at,
        id=fact.subscription,
    )


def _note(kind: str, key: str, subject: str, fact: Any) -> Operation:
    return _statement(
        "INSERT INTO history (kind, id, subject, at, fact)"
        " VALUES (:kind, :id, :subject, :at, :fact)"
        " ON CONFLICT (kind, id) DO UPDATE SET (subject, at, fact)"
        " = (excluded.subject, excluded.at, excluded.fact)"
        " WHERE excluded.at >= at",
        kind=kind,
        id=key,
        subject=subject,
        at=fact.at,
        fact=packed_fact(fact),
    )


operations = Rows(_watch, _begin, _end, _note).operations


def prune(connection: sqlite3.Connection, before: int, former_before: int) -> int:
    """Delete some of what is older than these times (epoch ms); how many rows it was.

    Only some, so that nobody waits long for this transaction.
    """
    old = [(statement, before) for statement in _PRUNING] + [(_FORMER, former_before)]
    return sum(connection.execute(sql, [time, PRUNED_AT_ONCE]).rowcount for sql, time in old)
