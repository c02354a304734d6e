"""Watches: the fetching of documents, and the register's statements of it."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Id, Seconds, Time, Url
from schemas.records.views import DEFAULT_VIEWS, WatchedView


@dataclass(frozen=True, slots=True)
class Watch:
    """The fetching of a document: one watch per URL, however many subscriptions.

    ``id`` is that of the subscription that began the watch. It is ``paused`` while all its
    subscriptions are; the document is not fetched then. Each fetch is read once for each of
    the ``views``. ``managers`` are those of the subscriptions that are not paused, four at
    most, each by a short hash: fetch serves managers in turn. With a
    ``max_interval``, fetch leaves out visits of a page that seldom changes, up to that.
    """

    id: Id
    interval: Seconds
    views: tuple[WatchedView, ...] = DEFAULT_VIEWS
    paused: bool = False
    managers: tuple[str, ...] = ()
    max_interval: Seconds | None = None


@dataclass(frozen=True, slots=True)
class StateWatches:
    """State the watches of one partition again, so that the ticker can compare.

    Those of URLs with a ``url_hash`` from ``first`` to ``last``.
    """

    first: Count
    last: Count


@dataclass(frozen=True, slots=True)
class StatedWatch:
    """The watch that the register has for a URL."""

    url: Url
    watch: Watch


@dataclass(frozen=True, slots=True)
class WatchesStated:
    """All watches of one partition with URLs that have a ``url_hash`` from ``first`` to ``last``.

    Watches that began after ``at`` may be missing.
    """

    first: Count
    last: Count
    watches: tuple[StatedWatch, ...]
    at: Time
