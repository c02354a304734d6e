"""The changes of a document, in parts that fit a message."""

from collections.abc import Iterator

from schemas.records.changes import DocumentChanged, Edit, Region, Returned, Texts
from schemas.records.documents import Document
from streams.values.ids import content_id
from streams.values.parts import parts

MAX_PART = 12_000_000
"""Bytes of regions in one message: with two texts still below the topic's 16 MB."""
MAX_TEXTS = 1_500_000
"""Bytes of each of the two texts in a message: about as many words as are looked at."""
_OVERHEAD = 32
"""Bytes that a region takes besides its texts and edits, at most."""
_EDIT, _SPAN = 264, 72
"""Weights of an edit and of a run of changed words: twelve times the reads that decoding takes.

So a part takes no more of them than a reader allows (``wire``), however short its sentences are.
"""


def changes_of(
    after: Document,
    regions: tuple[Region, ...],
    at: int,
    *,
    title: str = "",
    returned: Returned | None = None,
    texts: Texts | None = None,
    body_sha256: str = "",
) -> Iterator[DocumentChanged]:
    """Describe the regions that led to a state, read ``at`` a time (epoch ms).

    Every part has an id that is computed from URL, view, slot and its number, so a
    repeated visit publishes the same ids.
    """
    for part, several in enumerate(parts(regions, _size, MAX_PART)):
        yield DocumentChanged(
            id=content_id(after.url, after.view, after.slot, part),
            url=after.url,
            watch=after.watch,
            slot=after.slot,
            part=part,
            content_type=after.content_type or "",
            language=after.language or "und",
            regions=several,
            at=at,
            view=after.view,
            title=title,
            returned=returned,
            texts=texts,
            body_sha256=body_sha256,
        )


def texts_of(old: str, new: str) -> Texts:
    """Return the beginnings of two texts, cut to MAX_TEXTS bytes each."""
    return Texts(_cut(old), _cut(new))


def _cut(text: str) -> str:
    return text.encode()[:MAX_TEXTS].decode(errors="ignore")


def _size(region: Region) -> int:
    texts = [side.text for side in (region.removed, region.added) if side is not None]
    sizes = (len(text.encode()) for text in (*texts, *region.headings))
    return _OVERHEAD + sum(sizes) + sum(map(_edit_size, region.edits))


def _edit_size(edit: Edit) -> int:
    sides = (side for side in (edit.removed, edit.added) if side is not None)
    return _EDIT + _SPAN * sum(len(side.changed) for side in sides)
