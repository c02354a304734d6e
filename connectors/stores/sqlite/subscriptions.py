"""The API's part: subscriptions, with the state of their documents."""

import json
import sqlite3
from collections.abc import Collection
from typing import Any

from connectors.stores import cursor
from connectors.stores.packing import receiver_key, unpack_subscription
from connectors.stores.pages import ListedSubscription, ListingPage
from connectors.stores.span import Span
from connectors.stores.sqlite.file import SqlitePart, reads
from schemas.subscriptions import Receiver

_LISTED = """
    SELECT s.created, s.id, s.body, s.state, s.reason, s.ended,
           w.interval, c.at, coalesce(d.failures, 0), d.last_error, q.since, q.reason,
           coalesce(d.flapping_until, 0), coalesce(d.title, '')
    FROM subscriptions s
    LEFT JOIN watches w ON w.url = s.url AND s.ended IS NULL
    LEFT JOIN documents d ON d.url = w.url AND d.view = s.view AND d.watch = w.id
    LEFT JOIN checks c ON c.url = w.url AND c.watch = w.id
    LEFT JOIN waits q ON q.url = w.url AND q.watch = w.id
    WHERE s.manager = ? AND """
_PAGE = _LISTED + "(s.created, s.id) > (?, ?) ORDER BY s.created, s.id LIMIT ?"
_ONE = _LISTED + "s.id = ?"
ACTIVE_ID = """
    SELECT id FROM subscriptions
    WHERE manager = :manager AND url = :url AND receiver = :receiver AND ended IS NULL
"""
_SPAN = """
    SELECT view, min(created), max(coalesce(ended, :ever)) FROM subscriptions
    WHERE manager = :manager AND url = :url AND view =
    (SELECT view FROM subscriptions
     WHERE manager = :manager AND url = :url AND coalesce(:id, id) = id
     ORDER BY ended IS NOT NULL, ended DESC, created, id LIMIT 1)
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

    @reads
    def active_id(
        self, connection: sqlite3.Connection, manager: str, url: str, receiver: Receiver
    ) -> str | None:
        """Look up the id of the subscription that a receiver has of a canonical URL, if any."""
        values = {"manager": manager, "url": url, "receiver": receiver_key(receiver)}
        row = connection.execute(ACTIVE_ID, values).fetchone()
        return None if row is None else str(row[0])


def span_of(
    connection: sqlite3.Connection, manager: str, url: str, subscription: str | None
) -> Span | None:
    """Compute for how long a manager has had subscriptions of a document that are listed.

    Those with the view of one ``subscription``, or of the oldest that has not ended.
    """
    values = {"ever": cursor.LATEST, "manager": manager, "url": url, "id": subscription}
    view, begin, end = connection.execute(_SPAN, values).fetchone()
    return None if begin is None else Span(view, begin, end)


def _listed(
    body: str,
    state: str,
    reason: str | None,
    ended: int | None,
    *document: Any,
) -> ListedSubscription:
    return ListedSubscription(unpack_subscription(body), state, reason, ended, *document)
