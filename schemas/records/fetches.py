"""The commands of the ticker: due fetches and forgotten documents."""

from dataclasses import dataclass

from schemas.records.field_types import Id, Seconds, Time, Url
from schemas.records.views import DEFAULT_VIEWS, WatchedView


@dataclass(frozen=True, slots=True)
class Due:
    """A document to fetch for the due time ``slot``, and to read in each of the views.

    ``managers`` are those of its watch. The next slot comes ``interval`` later; the interval is
    None for the first slot of a watch and for the first after a pause, which no earlier failure
    postpones. ``elsewhere`` are the ids of further views of the document, read in by other
    commands: with another request part, or for another agent. With a ``max_interval``, the visit
    may be left out if the page seldom changes.
    """

    url: Url
    watch: Id
    slot: Time
    views: tuple[WatchedView, ...] = DEFAULT_VIEWS
    managers: tuple[str, ...] = ()
    interval: Seconds | None = None
    elsewhere: tuple[str, ...] = ()
    max_interval: Seconds | None = None


@dataclass(frozen=True, slots=True)
class FetchDue:
    """Everything due for a partition of ``fetches`` at a tick."""

    due: tuple[Due, ...]


@dataclass(frozen=True, slots=True)
class Forget:
    """Delete the state of a document after its last watch."""

    url: Url
    watch: Id
