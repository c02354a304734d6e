"""The commands and results of reprocess: kept pages read again with other readers and stemmers."""

from dataclasses import dataclass
from typing import Annotated

from schemas.records.field_types import MAX_NAME, Count, Id, Text, Time, Url
from schemas.records.fields import About
from schemas.records.views import WatchedView

MAX_TIMES = 50
"""The most snapshots and changes of a page to examine, the newest."""
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
    """Read the kept history of a page again, in the view ``watched``.

    ``view`` is the id of the view of the history, the same unless another is tried. Snapshots
    replaced before ``since`` are left out. With ``replace``, the newest text is replaced by the new
    reading of its body, unless replaced by something else. ``run`` names who asked.
    """

    run: Id
    url: Url
    view: Id
    watched: WatchedView
    since: Time = 0
    replace: bool = False


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """A snapshot or a change of a page ``at`` a time, before and now.

    ``reader`` has read the kept text, ``reader_now`` its body now, empty without a body;
    ``body_sha256`` is the body's. They differ in so many sentences or lines (``edits``), and
    ``difference`` has the first. ``problem`` says why the body is not read. ``was_change`` says
    whether a change was recorded at this time, ``is_change`` whether the new reading differs from
    the new reading of the snapshot before. ``is_compared`` is False where neither is known.
    Subscriptions were notified and would be as before (``same``), would be notified now alone
    (``added``), or were before alone (``removed``).
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
    """The result of a page; ``outcome`` is the outcome of its newest text.

    ``unread`` says why something was left out, empty if nothing.
    """

    run: Id
    url: Url
    view: Id
    times: Annotated[
        tuple[ReadAgain, ...], About(most_items=MAX_TIMES, allowed=f"at most {MAX_TIMES} times")
    ]
    outcome: Text = ""
    unread: Text = ""
