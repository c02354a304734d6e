"""Kept changes of a document."""

from dataclasses import dataclass

from schemas.records.changes import Change


@dataclass(frozen=True, slots=True)
class ChangeHistory:
    """A page of a document's changes in one view, newest first.

    They are from the time (epoch ms) in which a manager had subscriptions with that view: from
    ``begin`` up to ``end``, None if one of them has not ended. ``next`` is the cursor of the
    page after it, if there is one.
    """

    changes: tuple[Change, ...]
    next: str | None
    begin: int
    end: int | None
