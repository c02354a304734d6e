"""The record agent's part: facts become rows. Every operation may be repeated."""

import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from connectors.stores.objects import MARK, Objects
from connectors.stores.packing import (
    pack_fact,
    pack_subscription,
    receiver_key,
    search_columns,
    state_of,
)
from connectors.stores.read_side import RowOperations, Terms, no_terms
from connectors.stores.sqlite.file import SqliteFile, SqlitePart, reads, writes
from schemas.records.facts import Fact
from schemas.records.subscription_facts import Cancelled, Expired, Subscribed, SubscriptionFact

Operation = Callable[[sqlite3.Connection], Any]

PRUNED_AT_ONCE = 1000
_OLD_FACTS = (
    """DELETE FROM facts WHERE rowid IN
       (SELECT rowid FROM facts WHERE at < ? AND kind <> 'page' LIMIT ?)""",
    """DELETE FROM subscriptions WHERE rowid IN
       (SELECT rowid FROM subscriptions WHERE ended < ? LIMIT ?)""",
    """DELETE FROM checks WHERE url IN
       (SELECT url FROM watches WHERE id IS NULL AND at < ? LIMIT ?)""",
    """DELETE FROM watches WHERE url IN
       (SELECT url FROM watches WHERE id IS NULL AND at < ? LIMIT ?)""",
)
_OLD_SNAPSHOTS = """
    DELETE FROM snapshots WHERE rowid IN (SELECT rowid FROM snapshots WHERE until < ? LIMIT ?)
"""
_ENDED_WAITS = """
    DELETE FROM waits WHERE url IN (SELECT url FROM waits w
    WHERE NOT EXISTS (SELECT 1 FROM watches WHERE url = w.url AND id = w.watch)
    AND NOT EXISTS (SELECT 1 FROM documents WHERE url = w.url AND watch = w.watch) LIMIT ?)
"""


_NAMES = """
    SELECT name FROM (
        SELECT body AS name FROM documents WHERE url = :url AND view = :view
        UNION ALL SELECT picture FROM documents WHERE url = :url AND view = :view
        UNION ALL SELECT earlier_picture FROM documents WHERE url = :url AND view = :view
        UNION ALL SELECT body FROM snapshots WHERE url = :url AND view = :view
    ) WHERE substr(name, 1, length(:mark)) = :mark
"""


class SqliteReadSide(SqlitePart):
    """Implements ``streams.agents.record.ReadSide``."""

    def __init__(self, file: SqliteFile, objects: Objects) -> None:
        """Delete the objects without a row when rows are pruned."""
        super().__init__(file)
        self._objects = objects

    async def record(
        self,
        facts: Sequence[Fact],
        signal: Callable[[], object] = bool,
        terms: Terms = no_terms,
    ) -> None:
        """Bring the read side up to date with these facts, in one transaction."""
        several = await self.file.compute(partial(operations, facts, terms))

        def run(connection: sqlite3.Connection) -> None:
            for operation in several:
                operation(connection)

        await self.file.write(run)
        signal()

    async def prune(self, facts_before: int, snapshots_before: int) -> None:
        """Delete the rows ended or replaced before these times (epoch ms)."""
        while await self._prune_some(facts_before, snapshots_before):
            pass
        while await self._prune_waits():
            pass
        await self._objects.sweep(self._named, datetime.now(UTC))

    @reads
    def _named(self, connection: sqlite3.Connection, url: str, view: str) -> set[bytes]:
        values = {"url": url, "view": view, "mark": MARK}
        return {name for (name,) in connection.execute(_NAMES, values)}

    @writes
    def _prune_some(
        self, connection: sqlite3.Connection, facts_before: int, snapshots_before: int
    ) -> int:
        """Delete some rows, in short transactions for the sake of others; count them."""
        old = [(sql, facts_before) for sql in _OLD_FACTS] + [(_OLD_SNAPSHOTS, snapshots_before)]
        return sum(connection.execute(sql, [time, PRUNED_AT_ONCE]).rowcount for sql, time in old)

    @writes
    def _prune_waits(self, connection: sqlite3.Connection) -> int:
        """Delete some waits without a watch and a document; count them."""
        return connection.execute(_ENDED_WAITS, [PRUNED_AT_ONCE]).rowcount


def _statement(sql: str, **values: object) -> Operation:
    return lambda connection: connection.execute(sql, values)


def _watch(fact: SubscriptionFact) -> Operation:
    """The newest fact has the watch; of two in a millisecond, the later fact."""
    watch = fact.watch
    return _statement(
        "INSERT INTO watches (url, at, id, interval) VALUES (:url, :at, :id, :interval)"
        " ON CONFLICT (url) DO UPDATE SET (at, id, interval)"
        " = (excluded.at, excluded.id, excluded.interval)"
        " WHERE excluded.at >= at",
        url=fact.url,
        at=fact.at,
        id=watch and watch.id,
        interval=watch and watch.interval,
    )


def _begin(fact: Subscribed) -> Operation:
    subscription = fact.subscription
    return _statement(
        "INSERT INTO subscriptions (id, manager, url, receiver, view, created, at, state, body)"
        " VALUES (:id, :manager, :url, :receiver, :view, :created, :at, :state, :body)"
        " ON CONFLICT (id) DO UPDATE SET (receiver, view, created, at, state, body)"
        " = (excluded.receiver, excluded.view, excluded.created, excluded.at, excluded.state,"
        " excluded.body)"
        " WHERE ended IS NULL AND excluded.at >= at",
        id=subscription.id,
        manager=subscription.manager,
        url=subscription.url,
        receiver=receiver_key(subscription.receiver, subscription.name),
        view=subscription.view_id,
        created=subscription.created,
        at=fact.at,
        state=state_of(subscription),
        body=pack_subscription(subscription),
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


def _note(kind: str, key: str, subject: str, fact: Any, terms: str) -> Operation:
    return _statement(
        "INSERT INTO facts (kind, id, subject, at, manager, tags, words, fact)"
        " VALUES (:kind, :id, :subject, :at, :manager, :tags, :words, :fact)"
        " ON CONFLICT (kind, id) DO UPDATE SET (subject, at, manager, tags, words, fact) ="
        " (excluded.subject, excluded.at, excluded.manager, excluded.tags, excluded.words,"
        " excluded.fact)"
        " WHERE excluded.at >= at",
        kind=kind,
        id=key,
        subject=subject,
        at=fact.at,
        **search_columns(fact, terms),
        fact=pack_fact(fact),
    )


def _drop(kind: str, key: str, at: int) -> Operation:
    return _statement(
        "DELETE FROM facts WHERE kind = :kind AND id = :id AND at <= :at", kind=kind, id=key, at=at
    )


operations = RowOperations(watch=_watch, begin=_begin, end=_end, note=_note, drop=_drop).operations
