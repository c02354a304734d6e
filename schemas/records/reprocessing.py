"""The commands and results of reprocess: kept pages that other readers and stemmers read again."""

from dataclasses import dataclass
from typing import Annotated

from schemas.records.field_types import MAX_NAME, Count, Id, Text, Time, Url
from schemas.records.fields import About
from schemas.records.views import WatchedView

MAX_TIMES = 50
"""Snapshots and changes of a page that are looked at, the newest."""
MAX_SUBSCRIPTIONS = 100
"""Subscriptions of a page whose notifications are compared, the oldest."""

Subscriptions = Annotated[
    tuple[str, ...],
    About(
        most=MAX_NAME,
        most_items=MAX_SUBSCRIPTIONS,
        allowed=f"at most {MAX_SUBSCRIPTIONS} ids",
    ),
]


@dataclass(frozen=True, slots=True)
class Reprocess:
    """Read what is kept of a page again, in the view ``watched``.

    ``view`` is the id of the view of which it was kept, the same one unless another is tried. What
    held no longer ``since`` a time is left out. With ``replace``, the newest text is replaced by
    the one that its body is now read as, if nothing else has replaced it. ``run`` names who asked.
    """

    run: Id
    url: Url
    view: Id
    watched: WatchedView
    since: Time = 0
    replace: bool = False


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """A snapshot or a change of a page ``at`` a time, as it was and as it is now.

    ``reader`` has read the text that is kept, ``reader_now`` the body of it now, empty without
    one; ``body_sha256`` is that of the body. They differ in so many sentences or lines (``edits``),
    and ``difference`` has the first. ``problem`` says why the body is not read.
    ``was_change`` says that a change was recorded at that time, ``is_change`` that what is read now
    differs from what is read of the snapshot before. ``is_compared`` is False where neither
    is known. Subscriptions were notified and would be as before (``same``), would be notified now
    alone (``added``), or were before alone (``removed``).
    """

    at: Time
    reader: Id = ""
    reader_now: Id = ""
    body_sha256: Id = ""
    edits: Count = 0
    difference: Text = ""
    problem: Text = ""
    was_change: bool = False
    is_change: bool = False
    is_compared: bool = False
    same: Subscriptions = ()
    added: Subscriptions = ()
    removed: Subscriptions = ()


@dataclass(frozen=True, slots=True)
class Reprocessed:
    """The result of a page; ``outcome`` says what became of its newest text.

    ``unread`` says why not everything was looked at, empty if it was.
    """

    run: Id
    url: Url
    view: Id
    times: Annotated[
        tuple[ReadAgain, ...], About(most_items=MAX_TIMES, allowed=f"at most {MAX_TIMES} times")
    ]
    outcome: Text = ""
    unread: Text = ""
