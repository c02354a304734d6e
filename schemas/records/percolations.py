"""Messages between match and percolate, about subscriptions for several pages."""

from dataclasses import dataclass
from typing import Annotated

from schemas.records.changes import DocumentChanged
from schemas.records.field_types import Count, Id, Name, Time
from schemas.records.fields import About
from schemas.records.subscriptions import Subscription
from schemas.records.tags import MAX_TAG, TAGS_ALLOWED

MAX_WATCHER_TAGS = 200
"""Tags of one manager's subscriptions of a page that are compared."""

MAX_FILTER_TERMS = 400_000
"""Terms for which one filter has room."""
MAX_FILTER_BYTES = 960_000
"""Bytes of the bits of a filter: with the rest of its message they stay below 1 MB."""

WatcherTags = Annotated[
    tuple[str, ...],
    About(least=1, most=MAX_TAG, most_items=MAX_WATCHER_TAGS, allowed=TAGS_ALLOWED),
]


@dataclass(frozen=True, slots=True)
class StoreQuery:
    """Match a subscription that is for several pages from now on, in this partition.

    ``terms`` are the hashes of those of its words by which changes come here; ``everything``
    says that all changes do. ``since`` (epoch ms) is when it was replaced, paused or resumed last,
    0 if it never was. One that is ``leaving`` has no such words any more, but is kept for a while:
    another partition may not have heard of that yet.
    """

    subscription: Subscription
    terms: tuple[int, ...]
    everything: bool
    since: Time = 0
    leaving: bool = False


@dataclass(frozen=True, slots=True)
class DropQuery:
    """Match a subscription no more in this partition."""

    subscription: Id


@dataclass(frozen=True, slots=True)
class Watcher:
    """A manager that watches the view of a page that changed, and the tags with which it does."""

    manager: Name
    tags: WatcherTags


@dataclass(frozen=True, slots=True)
class Percolate:
    """Match a change with the subscriptions for several pages that these managers have here."""

    change: DocumentChanged
    watchers: tuple[Watcher, ...]


@dataclass(frozen=True, slots=True)
class Interest:
    """The changes of a manager's pages that a partition of percolate is to get.

    Those that have one of the ``terms``, which are hashes of words, or a term of the
    ``TermFilter`` that was made at the time ``filter_made``; those with any word that belongs
    there if neither covers all terms (``many``); or ``everything``. ``blocks``: also where a word
    is only in a block with a change. With nothing of these, none.
    """

    manager: Name
    partition: Count
    terms: tuple[int, ...]
    many: bool
    everything: bool
    blocks: bool
    filter_made: Time | None = None


@dataclass(frozen=True, slots=True)
class TermFilter:
    """A Bloom filter of the terms that a manager has in a partition of percolate.

    It has the ``bits`` of pybloom-live for so many terms (``capacity``) and for so many wrong
    answers (``errors_per_million``); ``scheme`` numbers the way from a term to its bits.
    An ``Interest`` names the filter by the time at which it was ``made``.
    """

    manager: Name
    partition: Count
    made: Time
    scheme: Count
    capacity: Annotated[int, About(least=1, most=MAX_FILTER_TERMS, unit="terms")]
    errors_per_million: Annotated[int, About(least=1, most=999_999)]
    bits: Annotated[bytes, About(most=MAX_FILTER_BYTES, unit="bytes")]


Percolation = StoreQuery | DropQuery | Percolate
