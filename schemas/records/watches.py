"""Watches: the fetching of documents, and the register's statements about them."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Id, Seconds, Time, Url
from schemas.records.views import DEFAULT_VIEWS, WatchedView


@dataclass(frozen=True, slots=True)
class Watch:
    """The fetching of a document: a watch per URL, for any number of subscriptions.

    ``id`` is the id of the first subscription of the watch. A watch is ``paused`` while all its
    subscriptions are; the document is not fetched then. Each fetch is read once for each of the
    ``views``. ``managers`` are the managers of the active subscriptions, four at most, each by a
    short hash: fetch serves managers in turn. With a ``max_interval``, fetch leaves out visits of a
    rarely changing page, up to this interval.
    """

    id: Id
    interval: Seconds
    views: tuple[WatchedView, ...] = DEFAULT_VIEWS
    paused: bool = False
    managers: tuple[str, ...] = ()
    max_interval: Seconds | None = None


@dataclass(frozen=True, slots=True)
class StateWatches:
    """State the watches of a partition again, for comparison by the ticker.

    Those of URLs with a ``url_hash`` from ``first`` to ``last``.
    """

    first: Count
    last: Count


@dataclass(frozen=True, slots=True)
class StatedWatch:
    """The register's watch of a URL."""

    url: Url
    watch: Watch


@dataclass(frozen=True, slots=True)
class WatchesStated:
    """All watches of a partition with a ``url_hash`` from ``first`` to ``last``.

    Watches begun after ``at`` may be missing.
    """

    first: Count
    last: Count
    watches: tuple[StatedWatch, ...]
    at: Time
