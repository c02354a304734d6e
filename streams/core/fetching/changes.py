"""The changes of a document, in parts that fit a message."""

from collections.abc import Iterator

from schemas.changes import DocumentChanged, Hunk, Returned
from schemas.documents import Document
from streams.core.ids import content_id

MAX_PART = 12_000_000
"""Bytes of passages in one message, well below the topic's 16 MB."""
_OVERHEAD = 32
"""Bytes that a passage takes besides its texts, at most."""


def changes_of(
    after: Document, hunks: tuple[Hunk, ...], at: int, returned: Returned | None = None
) -> Iterator[DocumentChanged]:
    """Describe the hunks that led to a state, read ``at`` a time (epoch ms).

    Every part has an id that is computed from URL, view, slot and its number, so whoever
    repeats the visit publishes the same ids.
    """
    for part, several in enumerate(_parts(hunks)):
        yield DocumentChanged(
            id=content_id(after.url, after.view, after.slot, part),
            url=after.url,
            watch=after.watch,
            slot=after.slot,
            part=part,
            content_type=after.content_type or "",
            language=after.language or "und",
            hunks=several,
            at=at,
            view=after.view,
            returned=returned,
        )


def _parts(hunks: tuple[Hunk, ...]) -> Iterator[tuple[Hunk, ...]]:
    """Split hunks so that every part fits a message; a hunk is never cut."""
    part: list[Hunk] = []
    part_size = 0
    for hunk in hunks:
        size = _size(hunk)
        if part and part_size + size > MAX_PART:
            yield tuple(part)
            part, part_size = [], 0
        part.append(hunk)
        part_size += size
    if part:
        yield tuple(part)


def _size(hunk: Hunk) -> int:
    sides = (side for side in (hunk.removed, hunk.added) if side is not None)
    return sum(len((side.text + side.before + side.after).encode()) + _OVERHEAD for side in sides)
