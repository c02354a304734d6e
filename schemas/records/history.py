"""Kept changes of a document."""

from dataclasses import dataclass

from schemas.records.changes import Change


@dataclass(frozen=True, slots=True)
class ChangeHistory:
    """A page of a document's changes in a view, newest first.

    They are from the time (epoch ms) of a manager's subscriptions with the view: from ``begin`` up
    to ``end``, None while a subscription lasts. ``next`` is the cursor of the page after, if any.
    """

    changes: tuple[Change, ...]
    next: str | None
    begin: int
    end: int | None
