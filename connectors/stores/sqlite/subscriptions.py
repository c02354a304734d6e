"""The API's part: subscriptions, with the state of their documents."""

import json
import sqlite3
from collections.abc import Collection
from typing import Any

from connectors.stores import cursor
from connectors.stores.packing import packed_text, receiver_key, unpack_subscription
from connectors.stores.pages import (
    MAX_SEARCHED,
    ListedSubscription,
    ListingPage,
    SubscriptionSearch,
)
from connectors.stores.span import Span
from connectors.stores.sqlite.file import SqlitePart, reads
from schemas.subscriptions import Receiver

_FIELDS = """
    SELECT s.created, s.id, s.body, s.state, s.reason, s.ended,
           w.interval, c.at, coalesce(d.failures, 0), d.last_error, q.since, q.reason,
           coalesce(d.flapping_until, 0), coalesce(d.title, ''), d.missing,
           CASE WHEN d.lost <> '' THEN d.missing_since END, d.confidence
"""
_JOINED = """
    LEFT JOIN watches w ON w.url = s.url AND s.ended IS NULL
    LEFT JOIN documents d ON d.url = w.url AND d.view = s.view AND d.watch = w.id
    LEFT JOIN checks c ON c.url = w.url AND c.watch = w.id
    LEFT JOIN waits q ON q.url = w.url AND q.watch = w.id
"""
_LISTED = f"{_FIELDS} FROM subscriptions s {_JOINED} WHERE s.manager = ? AND "
_LAST_SEARCHED = """
    SELECT created, id FROM subscriptions
    WHERE manager = :manager AND (created, id) < (:created, :id)
    ORDER BY created DESC, id DESC LIMIT 1 OFFSET :most
"""
_FOUND = f"""
    WITH s AS (
        SELECT * FROM subscriptions
        WHERE manager = :manager AND (created, id) < (:created, :id)
        AND (created, id) >= (:last_created, :last_id) AND (:ended OR ended IS NULL)
        AND instr(lower(body), :text) > 0  -- quick, though it finds more
        AND instr(lower(url || receiver || json_extract(body, '$.document_url', '$.keywords')),
                  :text) > 0
        ORDER BY created DESC, id DESC LIMIT :limit
    )
    {_FIELDS} FROM s {_JOINED} ORDER BY s.created DESC, s.id DESC
"""  # noqa: S608 - a constant
_PAGE = _LISTED + "(s.created, s.id) > (?, ?) ORDER BY s.created, s.id LIMIT ?"
_OF_DOCUMENT = _LISTED + "s.url = ? ORDER BY s.created DESC, s.id DESC LIMIT ?"
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
    def search(
        self,
        connection: sqlite3.Connection,
        manager: str,
        asked: SubscriptionSearch,
        after: str | None,
        limit: int,
    ) -> ListingPage[ListedSubscription]:
        """List a manager's subscriptions that a search asks for, newest first."""
        created, first = cursor.read(after, cursor.LATEST)
        begin = {"manager": manager, "created": created, "id": first}
        last = connection.execute(_LAST_SEARCHED, {**begin, "most": MAX_SEARCHED - 1}).fetchone()
        values = {
            **begin,
            "last_created": last[0] if last else -1,
            "last_id": last[1] if last else "",
            "ended": asked.ended,
            "text": packed_text(asked.text),
            "limit": limit + 1,
        }
        rows = connection.execute(_FOUND, values).fetchall()
        shown = rows[:limit]
        following = shown[-1] if len(rows) > limit and shown else last
        return ListingPage(
            items=tuple(_listed(*row[2:]) for row in shown),
            next=cursor.written(following[0], following[1]) if following else None,
        )

    @reads
    def get(
        self, connection: sqlite3.Connection, manager: str, subscription: str
    ) -> ListedSubscription | None:
        """Look up one of a manager's subscriptions."""
        row = connection.execute(_ONE, [manager, subscription]).fetchone()
        return None if row is None else _listed(*row[2:])

    @reads
    def of_document(
        self, connection: sqlite3.Connection, manager: str, url: str, limit: int
    ) -> list[ListedSubscription]:
        """List a manager's newest subscriptions of a canonical URL, also those that have ended."""
        rows = connection.execute(_OF_DOCUMENT, [manager, url, limit])
        return [_listed(*row[2:]) for row in rows]

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
