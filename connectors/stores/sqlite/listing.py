"""The API's side: subscriptions with the state of their documents."""

import sqlite3
from typing import Any

from connectors.stores import cursor
from connectors.stores.base import Listed, ListingPage, Told
from connectors.stores.history import HistoryPage
from connectors.stores.packing import client_subject, plain, subscription_of
from connectors.stores.spans import Span
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
_WATCHED = """
    SELECT min(created), max(coalesce(ended, ?)) FROM subscriptions WHERE manager = ? AND url = ?
"""
_HISTORY = """
    SELECT at, id, fact FROM history
    WHERE kind = ? AND subject = ? AND at BETWEEN ? AND ? AND (at, id) < (?, ?)
    ORDER BY at DESC, id DESC LIMIT ?
"""


def subscriptions(
    connection: sqlite3.Connection, manager: str, after: str | None, limit: int
) -> ListingPage[Listed]:
    """One page of a manager's subscriptions, oldest first."""
    created, last = cursor.read(after)
    # One more than asked for tells whether there is a next page.
    rows = connection.execute(_PAGE, [manager, created, last, limit + 1]).fetchall()
    shown = rows[:limit]
    more = len(rows) > limit and shown
    return ListingPage(
        items=tuple(_listed(*row[2:]) for row in shown),
        next=cursor.written(shown[-1][0], shown[-1][1]) if more else None,
    )


def subscription(connection: sqlite3.Connection, manager: str, name: str) -> Listed | None:
    """One of a manager's subscriptions."""
    row = connection.execute(_ONE, [manager, name]).fetchone()
    return None if row is None else _listed(*row[2:])


def changes(
    connection: sqlite3.Connection, manager: str, url: str, after: str | None, limit: int
) -> ListingPage[Any] | None:
    """The changes of a document while a manager had subscriptions of it, newest first."""
    span = span_of(connection, manager, url)
    if span is None:
        return None
    return _history(connection, ("change", url), (span.begin, span.end), after, limit)


def span_of(connection: sqlite3.Connection, manager: str, url: str) -> Span | None:
    """Give for how long a manager has had subscriptions of a document that are listed."""
    begin, end = connection.execute(_WATCHED, [cursor.LATEST, manager, url]).fetchone()
    return None if begin is None else Span(begin, end)


def told(
    connection: sqlite3.Connection,
    kind: Told,
    manager: str,
    client: str,
    after: str | None,
    limit: int,
) -> ListingPage[Any]:
    """What a manager's client was told, or what came of it, newest first."""
    place = kind, client_subject(manager, plain(client))
    return _history(connection, place, (0, cursor.LATEST), after, limit)


def _history(
    connection: sqlite3.Connection,
    place: tuple[str, str],
    span: tuple[int, int],
    after: str | None,
    limit: int,
) -> ListingPage[Any]:
    before = cursor.read(after, cursor.LATEST)
    page = HistoryPage(limit)
    for row in connection.execute(_HISTORY, [*place, *span, *before, limit + 1]):
        if not page.add(*row):
            break
    return page.page()


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
