"""Changes that are not notified before they stand: the visits of a page, and what waits."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Id, Text, Time, Url


@dataclass(frozen=True, slots=True)
class Stood:
    """For how long a change stood before it was notified.

    It was found ``since`` a time, and at so many ``visits`` in a row.
    """

    since: Time
    visits: Count


@dataclass(frozen=True, slots=True)
class DocumentVisited:
    """A visit has read a document in a view; its changes, if any, were published before.

    Published only while a subscription may wait for a change of the view to stand. One that is
    lost puts off what waits to the next visit.
    """

    id: Id
    url: Url
    watch: Id
    slot: Time
    at: Time
    view: Id = ""


@dataclass(frozen=True, slots=True)
class ChangesWaiting:
    """The patience that subscriptions of a view share, and the changes that wait for it.

    ``patience`` is in seconds; it and ``patience_visits`` are 0 if they have none of that kind.
    Of so many ``changes`` something waits, ``since`` a time (0: nothing waits). ``dropped`` counts
    the edits that did not stand; of the last of them, ``reason`` says why, and ``dropped_at`` when.
    """

    id: Id
    url: Url
    watch: Id
    patience: Count
    patience_visits: Count
    changes: Count
    since: Time
    dropped: Count
    reason: Text
    dropped_at: Time
    at: Time
    view: Id = ""
