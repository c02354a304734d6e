"""The API's side: subscriptions with the state of their documents."""

import sqlite3
from typing import Any

from connectors.stores import cursor
from connectors.stores.base import Listed, Page
from connectors.stores.packing import subscription_of
from schemas.facts import Watch

_QUERY = """
    SELECT s.created, s.id, s.body, s.state, s.reason, s.ended,
           w.id, w.interval, w.content_type, c.at, coalesce(d.failures, 0), d.last_error
    FROM subscriptions s
    LEFT JOIN watches w ON w.url = s.url AND s.ended IS NULL
    LEFT JOIN documents d ON d.url = w.url AND d.watch = w.id
    LEFT JOIN checks c ON c.url = w.url AND c.watch = w.id
    WHERE s.manager = ? AND (s.created, s.id) > (?, ?)
    ORDER BY s.created, s.id LIMIT ?
"""


def subscriptions(
    connection: sqlite3.Connection, manager: str, after: str | None, limit: int
) -> Page:
    """One page of a manager's subscriptions, oldest first."""
    created, last = cursor.read(after)
    # One more than asked for tells whether there is a next page.
    rows = connection.execute(_QUERY, [manager, created, last, limit + 1]).fetchall()
    shown = rows[:limit]
    more = len(rows) > limit and shown
    return Page(
        items=tuple(_listed(*row[2:]) for row in shown),
        next=cursor.written(shown[-1][0], shown[-1][1]) if more else None,
    )


def count_active(connection: sqlite3.Connection, manager: str) -> int:
    """Count a manager's subscriptions that have not ended."""
    query = "SELECT count(*) FROM subscriptions WHERE manager = ? AND ended IS NULL"
    (count,) = connection.execute(query, [manager]).fetchone()
    return int(count)


def _listed(
    body: str,
    state: str,
    reason: str | None,
    ended: int | None,
    watch: str | None,
    interval: int,
    content_type: str | None,
    *document: Any,
) -> Listed:
    current = None if watch is None else Watch(watch, interval, content_type)
    return Listed(subscription_of(body), state, reason, ended, current, *document)
