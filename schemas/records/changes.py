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
"""Characters of context on each side of what changed, at most."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters from ``start`` up to ``end``, which is not among them."""

    start: Count
    end: Count


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of one snapshot in which something changed, with what stands around it.

    ``text`` is an exact slice of the snapshot, from the character offset ``start`` on. Before
    the first change and after the last one it has as many sentences as MAX_CONTEXT characters
    hold, and always the whole block (lines with no empty line between) if that is not large.
    """

    start: Count
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, line or row that changed; offsets are in the text of its place.

    ``changed`` are the runs of changed words of an edited one, none if the other side alone has
    them. One that was removed, added or moved has none: it changed as a whole.
    """

    start: Count
    end: Count
    changed: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A sentence that is gone (``removed`` alone), new (``added`` alone), edited or moved (both).

    ``noise`` is what alone differs between the two sides. One that is ``dropped`` was removed with
    an entry that new ones pushed off the end of its list.
    """

    change: ChangeKind
    removed: Sentence | None
    added: Sentence | None
    noise: NoiseKind
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """A place of a document where something changed, with all that changed there.

    A side is None if no edit has it. ``headings`` are those above it in the new snapshot, the
    outermost first; ``edits`` are in document order, removed before added at the same place.
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
    """A number that became another one, as they are written."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Diff:
    """One entry of a notification: a passage that one keyword matches.

    ``before`` and ``after`` are the sentences of an edit, ``values`` the numbers that changed
    in it. ``link`` leads to the passage in the page (W3C text fragment), as far as it is there.
    ``dropped``: new entries of a list pushed this one off its end.
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
    """The beginnings of both snapshots, for keywords that may be anywhere in the document."""

    removed: str
    added: str


@dataclass(frozen=True, slots=True)
class Returned:
    """A document went back to a text that it had before.

    It first had it ``since`` a time, to the minute, and has now gone back to it ``times``
    times; both among its last 64 texts.
    """

    since: Time
    times: Count


def shown_return(returned: Returned | None, begin: int) -> Returned | None:
    """Return what a page returned to, None if it first had that before a time (epoch ms).

    Who subscribed then cannot know that the text is not new. Times are to the minute.
    """
    if returned is None or returned.since <= max(0, begin - MINUTE_MS):
        return None
    return Returned(max(returned.since, begin), returned.times)


@dataclass(frozen=True, slots=True)
class DocumentChanged:
    """Two snapshots of a document in one view differ; ``part`` counts from 0.

    ``title`` is the page's; ``returned`` says that the new snapshot is a text that the document
    had before. ``texts`` are there if a subscription has the scope ``document``.
    ``picture_change`` of each 10,000 pixels changed, if there are two pictures to compare.
    ``body_sha256`` is that of the bytes that were received ``at`` a time, in which the new
    snapshot was read, 64 hexadecimal digits.
    ``numbers`` is the series of a number, its present one last.
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
