"""Changes with patience: the visits of a page, and the waiting edits."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Id, Text, Time, Url


@dataclass(frozen=True, slots=True)
class Stood:
    """The age of a change at its notification.

    The change was found ``since`` a time, and at so many ``visits`` in a row.
    """

    since: Time
    visits: Count


@dataclass(frozen=True, slots=True)
class DocumentVisited:
    """A visit has read a document in a view; its changes, if any, were published before.

    Published only while a subscription may wait for a change of the view to stand. A lost document
    postpones the waiting edits to the next visit.
    """

    id: Id
    url: Url
    watch: Id
    slot: Time
    at: Time
    view: Id = ""


@dataclass(frozen=True, slots=True)
class ChangesWaiting:
    """The patience shared by subscriptions of a view, and their waiting changes.

    ``patience`` is in seconds; 0 in ``patience`` or ``patience_visits`` stands for none of this
    kind. Of so many ``changes`` something waits, ``since`` a time (0: nothing waits). ``dropped``
    counts the edits which did not stand; of the last of them, ``reason`` says why, and
    ``dropped_at`` when.
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
