"""What match and percolate ask of each other: subscriptions that are for several pages."""

from dataclasses import dataclass
from typing import Annotated

from schemas.records.changes import DocumentChanged
from schemas.records.field_types import Count, Id, Name, Time
from schemas.records.fields import About
from schemas.records.subscriptions import Subscription
from schemas.records.tags import MAX_TAG, TAGS_ALLOWED

MAX_WATCHER_TAGS = 200
"""Tags of one manager's subscriptions of a page that are compared."""

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
    """What changes of a manager's pages a partition of percolate is to get.

    Those that have one of the ``terms``, which are hashes of words; where there are too
    ``many`` to list, those with any word that belongs there; or ``everything``. ``blocks``:
    also where a word is only in a block with a change. With nothing of these, none.
    """

    manager: Name
    partition: Count
    terms: tuple[int, ...]
    many: bool
    everything: bool
    blocks: bool


Percolation = StoreQuery | DropQuery | Percolate
