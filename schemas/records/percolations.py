"""Messages between match and percolate, about subscriptions for several pages."""

from dataclasses import dataclass
from typing import Annotated

from schemas.records.changes import DocumentChanged
from schemas.records.field_types import Count, Id, Name, Time
from schemas.records.fields import About
from schemas.records.subscriptions import Subscription
from schemas.records.tags import MAX_TAG, TAGS_ALLOWED

MAX_WATCHER_TAGS = 200
"""The most compared tags of a manager's subscriptions to a page."""

MAX_FILTER_TERMS = 400_000
"""The most terms in a filter."""
MAX_FILTER_BYTES = 960_000
"""Bytes of the bits of a filter: with the rest of its message they stay below 1 MB."""

WatcherTags = Annotated[
    tuple[str, ...],
    About(least=1, most=MAX_TAG, most_items=MAX_WATCHER_TAGS, allowed=TAGS_ALLOWED),
]


@dataclass(frozen=True, slots=True)
class StoreQuery:
    """Match a subscription to several pages from now on, in this partition.

    ``terms`` are the hashes of its words in this partition; with ``everything`` all changes come
    here. ``since`` (epoch ms) is the time of its last replacement, pause or resumption, 0 if there
    was none. A ``leaving`` subscription has no such words any more, but is kept for a while:
    another partition may not have heard of the change yet.
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
    """A manager of the view of a changed page, with the tags of its watches."""

    manager: Name
    tags: WatcherTags


@dataclass(frozen=True, slots=True)
class Percolate:
    """Match a change with the subscriptions to several pages of these managers here."""

    change: DocumentChanged
    watchers: tuple[Watcher, ...]


@dataclass(frozen=True, slots=True)
class Interest:
    """The changes of a manager's pages wanted by a partition of percolate.

    Changes with any of the ``terms``, which are hashes of words, or a term of the ``TermFilter``
    made at the time ``filter_made``; with any word of the partition if neither covers all terms
    (``many``); or ``everything``. ``blocks``: also where a word is only in a block with a change.
    With nothing of these, none.
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
    """A Bloom filter of the terms of a manager in a partition of percolate.

    The filter has the ``bits`` of pybloom-live for so many terms (``capacity``) and so many false
    positives (``errors_per_million``); ``scheme`` numbers the way from a term to its bits. An
    ``Interest`` names the filter by its time ``made``.
    """

    manager: Name
    partition: Count
    made: Time
    scheme: Count
    capacity: Annotated[int, About(least=1, most=MAX_FILTER_TERMS, unit="terms")]
    errors_per_million: Annotated[int, About(least=1, most=999_999)]
    bits: Annotated[bytes, About(most=MAX_FILTER_BYTES, unit="bytes")]


Percolation = StoreQuery | DropQuery | Percolate
