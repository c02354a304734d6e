"""The API's part: subscriptions, with the state of their documents."""

import json
import sqlite3
from collections.abc import Collection
from typing import Any

from connectors.stores import cursor
from connectors.stores.packing import unpack_subscription
from connectors.stores.pages import ListedSubscription, ListingPage
from connectors.stores.span import Span
from connectors.stores.sqlite.file import SqlitePart, reads
from schemas.facts import Watch

_LISTED = """
    SELECT s.created, s.id, s.body, s.state, s.reason, s.ended,
           w.id, w.interval, w.content_type, c.at, coalesce(d.failures, 0), d.last_error
    FROM subscriptions s
    LEFT JOIN watches w ON w.url = s.url AND s.ended IS NULL
    LEFT JOIN documents d ON d.url = w.url AND d.watch = w.id
    LEFT JOIN checks c ON c.url = w.url AND c.watch = w.id
    WHERE s.manager = ? AND """
_PAGE = _LISTED + "(s.created, s.id) > (?, ?) ORDER BY s.created, s.id LIMIT ?"
_ONE = _LISTED + "s.id = ?"
_SPAN = """
    SELECT min(created), max(coalesce(ended, ?)) FROM subscriptions WHERE manager = ? AND url = ?
"""


class SqliteSubscriptions(SqlitePart):
    """Implements ``connectors.stores.ports.SubscriptionReader``."""

    @reads
    def page(
        self, connection: sqlite3.Connection, manager: str, after: str | None, limit: int
    ) -> ListingPage[ListedSubscription]:
        """List a manager's subscriptions, oldest first."""
        created, last = cursor.read(after)
        # One more than asked for shows whether another page follows.
        rows = connection.execute(_PAGE, [manager, created, last, limit + 1]).fetchall()
        shown = rows[:limit]
        more = len(rows) > limit and shown
        return ListingPage(
            items=tuple(_listed(*row[2:]) for row in shown),
            next=cursor.written(shown[-1][0], shown[-1][1]) if more else None,
        )

    @reads
    def get(
        self, connection: sqlite3.Connection, manager: str, subscription: str
    ) -> ListedSubscription | None:
        """Look up one of a manager's subscriptions."""
        row = connection.execute(_ONE, [manager, subscription]).fetchone()
        return None if row is None else _listed(*row[2:])

    @reads
    def count_active(
        self, connection: sqlite3.Connection, manager: str, without: Collection[str] = ()
    ) -> int:
        """Count a manager's subscriptions that have not ended, except those with these ids."""
        query = (
            "SELECT count(*) FROM subscriptions WHERE manager = ? AND ended IS NULL "
            "AND id NOT IN (SELECT value FROM json_each(?))"
        )
        (count,) = connection.execute(query, [manager, json.dumps(list(without))]).fetchone()
        return int(count)


def span_of(connection: sqlite3.Connection, manager: str, url: str) -> Span | None:
    """Compute for how long a manager has had subscriptions of a document that are listed."""
    begin, end = connection.execute(_SPAN, [cursor.LATEST, manager, url]).fetchone()
    return None if begin is None else Span(begin, end)


def _listed(
    body: str,
    state: str,
    reason: str | None,
    ended: int | None,
    watch: str | None,
    interval: int,
    content_type: str | None,
    *document: Any,
) -> ListedSubscription:
    current = None if watch is None else Watch(watch, interval, content_type)
    return ListedSubscription(unpack_subscription(body), state, reason, ended, current, *document)
