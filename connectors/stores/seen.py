"""The changes that a manager's own watches saw: for each document in a view, by whom, and when."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from connectors.stores import cursor
from connectors.stores.packing import document_subject, unpack_subscription
from connectors.stores.span import Span, spans_of

MAX_WATCHES = 20_000
"""Subscriptions of a manager in whose changes a search looks, the newest."""
PLAIN = ('"earlier_views": []', '"crawl": null')
"""Both are in the body of most subscriptions: their rows need not be read as a whole."""


class WatchRow(NamedTuple):
    """A row of a subscription: its times (epoch ms), and all of it, packed, unless it is plain."""

    id: str
    url: str
    view: str
    created: int
    ended: int | None
    body: str


class Coverage(NamedTuple):
    """A page that a crawl covers or covered, in the crawl's view."""

    crawl: str
    url: str
    view: str


class SeenChanges:
    """Subscriptions of one manager, by the subjects of changes."""

    def __init__(self, rows: Iterable[WatchRow]) -> None:
        """``rows`` are the newest first."""
        self._spans: defaultdict[str, list[tuple[str, Span]]] = defaultdict(list)
        self._covered: defaultdict[str, list[Coverage]] = defaultdict(list)
        self.crawls: dict[str, str] = {}
        """The view of each subscription that crawls, by its id."""
        for row in rows:
            self._add(row)

    def _add(self, row: WatchRow) -> None:
        end = cursor.LATEST if row.ended is None else row.ended
        spans = [Span(row.view, row.created, end)]
        if row.body and not all(part in row.body for part in PLAIN):
            subscription = unpack_subscription(row.body)
            spans = spans_of(spans[0], subscription)
            if subscription.options.crawl is not None:
                self.crawls[row.id] = row.view
        for span in spans:
            self._spans[document_subject(row.url, span.view)].append((row.id, span))

    def cover(self, crawl: str, url: str) -> None:
        """Add a page of a crawl."""
        view = self.crawls[crawl]
        self._covered[document_subject(url, view)].append(Coverage(crawl, url, view))

    @property
    def subjects(self) -> list[str]:
        """The subjects of the changes that may have been seen."""
        return list(self._spans.keys() | self._covered.keys())

    def watch_of(self, subject: str, at: int) -> str | None:
        """Return the newest subscription of the page that saw a change at a time, if any did."""
        found = (name for name, span in self._spans.get(subject, ()) if span.has(at))
        return next(found, None)

    def crawls_of(self, subject: str) -> Iterator[Coverage]:
        """Yield the pages of crawls with these changes; what was seen depends on their coverage."""
        yield from self._covered.get(subject, ())
