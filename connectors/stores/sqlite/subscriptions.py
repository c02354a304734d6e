"""The API's part: subscriptions, with the state of their documents."""

import json
import sqlite3
from collections.abc import Collection
from typing import Any

from connectors.stores import cursor
from connectors.stores.packing import (
    ascii_lower,
    packed_text,
    page_fact_id,
    receiver_key,
    unpack_fact,
    unpack_subscription,
)
from connectors.stores.pages import (
    MAX_SEARCHED,
    ListedSubscription,
    ListingPage,
    SubscriptionSearch,
)
from connectors.stores.span import SubscribedTime, covered_span, spans_of
from connectors.stores.sqlite.file import SqlitePart, reads
from connectors.stores.sqlite.listing_queries import (
    FOUND,
    LAST_SEARCHED,
    OF_DOCUMENT,
    ONE,
    PAGE,
    TAGS,
)
from connectors.stores.sqlite.subscription_flags import with_noted
from schemas.records.subscriptions import Receiver, Subscription

ACTIVE_ID = """
    SELECT id FROM subscriptions
    WHERE manager = :manager AND url = :url AND receiver = :receiver AND ended IS NULL
"""
_SPAN = """
    SELECT view, min(created), max(coalesce(ended, :ever)) FROM subscriptions
    WHERE manager = :manager AND url = :url AND view = coalesce(:view,
    (SELECT view FROM subscriptions
     WHERE manager = :manager AND url = :url AND coalesce(:id, id) = id
     ORDER BY ended IS NOT NULL, ended DESC, created, id LIMIT 1))
"""


_COVERED = """
    SELECT f.fact, s.view FROM subscriptions s JOIN facts f
    ON f.kind IN ('page', 'removed_page') AND f.id = :page
    WHERE s.id = :crawl AND s.manager = :manager ORDER BY f.at DESC LIMIT 1
"""
_CRAWLS = """
    SELECT body FROM subscriptions
    WHERE manager = ? AND json_extract(body, '$.options.crawl') IS NOT NULL
    ORDER BY created DESC, id DESC LIMIT ?
"""
_BODY = "SELECT body FROM subscriptions WHERE manager = ? AND id = ?"


class SqliteSubscriptions(SqlitePart):
    """Implements ``connectors.stores.ports.SubscriptionReader``."""

    @reads
    def page(
        self,
        connection: sqlite3.Connection,
        manager: str,
        after: str | None,
        limit: int,
        tag: str = "",
    ) -> ListingPage[ListedSubscription]:
        """List a manager's subscriptions, oldest first."""
        created, last = cursor.read(after)
        # One more than asked for shows whether another page follows.
        values = {"created": created, "id": last, "limit": limit + 1}
        values |= {"manager": manager, "tag": tag}
        rows = connection.execute(PAGE[bool(tag)], values).fetchall()
        shown = rows[:limit]
        more = len(rows) > limit and shown
        return ListingPage(
            items=tuple(with_noted(connection, [_listed(*row[2:]) for row in shown])),
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
        """List the subscriptions of a manager which a search finds, newest first."""
        created, first = cursor.read(after, cursor.LATEST)
        begin = {"manager": manager, "tag": asked.tag, "created": created, "id": first}
        most, is_tagged = {"most": MAX_SEARCHED - 1}, bool(asked.tag)
        last = connection.execute(LAST_SEARCHED[is_tagged], {**begin, **most}).fetchone()
        values = {
            **begin,
            "last_created": last[0] if last else -1,
            "last_id": last[1] if last else "",
            "text": packed_text(asked.text),
            "title": ascii_lower(asked.text),
            "limit": limit + 1,
        }
        rows = connection.execute(FOUND[is_tagged], values).fetchall()
        shown = rows[:limit]
        following = shown[-1] if len(rows) > limit and shown else last
        return ListingPage(
            items=tuple(with_noted(connection, [_listed(*row[2:]) for row in shown])),
            next=cursor.written(following[0], following[1]) if following else None,
        )

    @reads
    def tags(self, connection: sqlite3.Connection, manager: str, limit: int) -> list[str]:
        """List the first tags of a manager's subscriptions; each costs a search in the index."""
        rows = connection.execute(TAGS, {"manager": manager, "limit": limit})
        return [tag for (tag,) in rows]

    @reads
    def get(
        self, connection: sqlite3.Connection, manager: str, subscription: str
    ) -> ListedSubscription | None:
        """Load a subscription of a manager."""
        row = connection.execute(ONE, [manager, subscription]).fetchone()
        return None if row is None else with_noted(connection, [_listed(*row[2:])])[0]

    @reads
    def of_document(
        self, connection: sqlite3.Connection, manager: str, url: str, limit: int
    ) -> list[ListedSubscription]:
        """List a manager's newest subscriptions to a canonical URL, ended subscriptions too."""
        rows = connection.execute(OF_DOCUMENT, [manager, url, limit])
        return with_noted(connection, [_listed(*row[2:]) for row in rows])

    @reads
    def crawls(
        self, connection: sqlite3.Connection, manager: str, limit: int
    ) -> list[Subscription]:
        """List a manager's newest crawl subscriptions, ended subscriptions too."""
        rows = connection.execute(_CRAWLS, [manager, limit])
        return [unpack_subscription(body) for (body,) in rows]

    @reads
    def count_active(
        self, connection: sqlite3.Connection, manager: str, without: Collection[str] = ()
    ) -> int:
        """Count a manager's subscriptions which have not ended, except for these ids."""
        query = (
            "SELECT count(*) FROM subscriptions WHERE manager = ? AND ended IS NULL "
            "AND id NOT IN (SELECT value FROM json_each(?))"
        )
        (count,) = connection.execute(query, [manager, json.dumps(list(without))]).fetchone()
        return int(count)

    @reads
    def active_id(
        self,
        connection: sqlite3.Connection,
        manager: str,
        url: str,
        receiver: Receiver,
        name: str = "",
    ) -> str | None:
        """Look up the id of a receiver's subscription of a canonical URL, by its name."""
        values = {"manager": manager, "url": url, "receiver": receiver_key(receiver, name)}
        row = connection.execute(ACTIVE_ID, values).fetchone()
        return None if row is None else str(row[0])


def span_of(
    connection: sqlite3.Connection,
    manager: str,
    url: str,
    subscription: str | None = None,
    view: str | None = None,
) -> SubscribedTime | None:
    """Compute the time of a manager's listed subscriptions to a document.

    The subscriptions with a ``view``, the view of a ``subscription``, or of the oldest which has
    not ended. A ``subscription`` to another document may cover this document.
    """
    asked = {"manager": manager, "url": url, "id": subscription, "view": view}
    row = connection.execute(_SPAN, {"ever": cursor.LATEST, **asked}).fetchone()
    if row[1] is not None or subscription is None:
        return None if row[1] is None else SubscribedTime(*row)
    page = {"page": page_fact_id(subscription, url), "crawl": subscription, "manager": manager}
    covered = connection.execute(_COVERED, page).fetchone()
    return None if covered is None else covered_span(unpack_fact(covered[0]), covered[1])


def spans_with_earlier(
    connection: sqlite3.Connection, manager: str, url: str, subscription: str | None
) -> list[SubscribedTime]:
    """Compute the same for a subscription with its earlier views; empty if there are none."""
    span = span_of(connection, manager, url, subscription)
    if span is None:
        return []
    row = connection.execute(_BODY, [manager, subscription]).fetchone()
    found = None if row is None else unpack_subscription(row[0])
    return [span] if found is None or found.url != url else spans_of(span, found)


def _listed(
    body: str,
    state: str,
    reason: str | None,
    ended: int | None,
    *document: Any,
) -> ListedSubscription:
    return ListedSubscription(unpack_subscription(body), state, reason, ended, *document)
