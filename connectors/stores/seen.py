"""The changes seen by a manager's watches: by which subscription, and when."""

from collections.abc import Iterable
from typing import NamedTuple

from connectors.stores import cursor
from connectors.stores.packing import document_subject, unpack_subscription
from connectors.stores.span import SubscribedTime, spans_of
from schemas.records.subscriptions import Subscription


class WatchRow(NamedTuple):
    """A row of a subscription of a page: its times (epoch ms), and all of it, packed."""

    view: str
    created: int
    ended: int | None
    body: str


class CoveredView(NamedTuple):
    """A page covered by a crawl now or before, by the ids of the subscription and of its view."""

    crawl: str
    view: str
    url: str

    @property
    def subject(self) -> str:
        """The subject of the changes of the page."""
        return document_subject(self.url, self.view)


def url_of(subject: str) -> str:
    """Return the page of a subject.

    >>> url_of(document_subject("https://example.org/", "v"))
    'https://example.org/'
    """
    return subject.partition(" ")[0]


def watch_of(rows: Iterable[WatchRow], subject: str, at: int) -> Subscription | None:
    """Return the first subscription with a change of a page at a time, if any."""
    for row in rows:
        subscription = unpack_subscription(row.body)
        span = SubscribedTime(
            row.view, row.created, cursor.LATEST if row.ended is None else row.ended
        )
        for each in spans_of(span, subscription):
            if each.has(at) and document_subject(subscription.url, each.view) == subject:
                return subscription
    return None
