"""What changed in a document: the facts of ``changes`` and their parts."""

from dataclasses import dataclass

from schemas.failures import DocumentUnreachable, FailureNotice
from schemas.kinds import Count, DiffEvent, Id, Text, Time, Url

MAX_CONTEXT = 200
"""Characters of context on each side of a passage, at most."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of whole words of a snapshot, with the text before and after it.

    ``start`` is the character offset of ``text`` in the snapshot; ``before`` and ``after``
    hold at most MAX_CONTEXT characters each.
    """

    text: str
    start: Count
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """What was removed, added, or both, in one place of a document."""

    removed: Passage | None
    added: Passage | None


@dataclass(frozen=True, slots=True)
class Diff:
    """One entry of a notification: a passage that one keyword matches."""

    event: DiffEvent
    keyword: str
    text: str
    snippet: str


@dataclass(frozen=True, slots=True)
class DocumentChanged:
    """Two snapshots of a document in one view differ; ``part`` counts from 0."""

    id: Id
    url: Url
    watch: Id
    slot: Time
    part: Count
    content_type: Text
    language: Id
    hunks: tuple[Hunk, ...]
    at: Time
    view: Id = ""


Change = DocumentChanged | DocumentUnreachable | FailureNotice
