"""Changes of a document: the facts of ``changes`` and their parts."""

from dataclasses import dataclass
from typing import Annotated

from schemas.records.failures import DocumentUnreachable, FailureNotice
from schemas.records.field_types import (
    ChangeKind,
    Count,
    DiffEvent,
    Id,
    NoiseKind,
    Text,
    Time,
    Title,
    Url,
)
from schemas.records.fields import About
from schemas.records.losses import LossNotice
from schemas.records.numbers import MAX_POINTS, NumberPoint

MINUTE_MS = 60_000
MAX_CONTEXT = 200
"""The most characters of context on each side of a change."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters from ``start`` up to ``end``, which is not among them."""

    start: Count
    end: Count


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a snapshot with changes and their context.

    ``text`` is an exact slice of the snapshot, from the character offset ``start`` on. Before the
    first and after the last change the context has as many sentences as MAX_CONTEXT characters
    hold, and always the whole block (lines with no empty line between) unless large.
    """

    start: Count
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A changed sentence, line or row; offsets are in the text of its place.

    ``changed`` are the runs of changed words of an edited sentence, none if only the other side has
    any. A removed, added or moved sentence has none: all of the sentence changed.
    """

    start: Count
    end: Count
    changed: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A sentence that is gone (``removed`` alone), new (``added`` alone), edited or moved (both).

    ``noise`` is the only difference between the two sides. A ``dropped`` sentence was removed with
    an entry pushed off the end of its list by new entries.
    """

    change: ChangeKind
    removed: Sentence | None
    added: Sentence | None
    noise: NoiseKind
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """A place of a document with changes, and all its changes.

    A side is None if no edit has the side. ``headings`` are the headings above in the new snapshot,
    the outermost first; ``edits`` are in document order, removed before added at the same place.
    """

    removed: Place | None
    added: Place | None
    headings: tuple[str, ...]
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """Which characters of a text are changed words, and which are words of the keyword."""

    changed: tuple[Span, ...] = ()
    keyword: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks in the text and in the snippet of an entry."""

    text: Marked = Marked()
    snippet: Marked = Marked()


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A number changed to another, both as written."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Diff:
    """An entry of a notification: a passage with a matching keyword.

    ``before`` and ``after`` are the sentences of an edit, ``values`` its changed numbers. ``link``
    leads to the passage in the page (W3C text fragment), as far as present. ``dropped``: new
    entries of a list pushed this entry off its end.
    """

    event: DiffEvent
    keyword: str
    text: str
    snippet: str
    change: ChangeKind = "added"
    before: str = ""
    after: str = ""
    marks: Annotated[Marks, About(json_name="offsets")] = Marks()
    headings: tuple[str, ...] = ()
    values: tuple[ValueChange, ...] = ()
    link: str = ""
    noise: NoiseKind = ""
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Texts:
    """The beginnings of both snapshots, for keywords anywhere in the document."""

    removed: str
    added: str


@dataclass(frozen=True, slots=True)
class Returned:
    """A document went back to an earlier text.

    The document first had the text ``since`` a time, to the minute, and has now gone back ``times``
    times; both among its last 64 texts.
    """

    since: Time
    times: Count


def shown_return(returned: Returned | None, begin: int) -> Returned | None:
    """Return a page's return, None if the text is from before a time (epoch ms).

    A later subscriber cannot know the earlier text. Times are to the minute.
    """
    if returned is None or returned.since <= max(0, begin - MINUTE_MS):
        return None
    return Returned(max(returned.since, begin), returned.times)


@dataclass(frozen=True, slots=True)
class DocumentChanged:
    """Two snapshots of a document in a view differ; ``part`` counts from 0.

    ``title`` is the page's; ``returned`` says when the document had the new text before. ``texts``
    are there if a subscription has the scope ``document``. ``picture_change`` of each 10,000 pixels
    changed, if there are two pictures to compare. ``body_sha256`` is the hash of the bytes received
    ``at`` a time with the new snapshot, 64 hexadecimal digits. ``numbers`` is the series of a
    number, its present number last.
    """

    id: Id
    url: Url
    watch: Id
    slot: Time
    part: Count
    content_type: Text
    language: Id
    regions: tuple[Region, ...]
    at: Time
    view: Id = ""
    title: Title = ""
    returned: Returned | None = None
    texts: Texts | None = None
    picture_change: Count | None = None
    body_sha256: Id = ""
    numbers: Annotated[
        tuple[NumberPoint, ...],
        About(most_items=MAX_POINTS, allowed=f"at most {MAX_POINTS} points"),
    ] = ()


Change = DocumentChanged | DocumentUnreachable | FailureNotice | LossNotice
