"""Cuts a side of a change into sentences: those that changed, and those around them."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from schemas.records.changes import Edit, Place, Region, Sentence
from streams.text.units import cut_line


class Piece(NamedTuple):
    """A sentence of a side; two with one key are one sentence. Context has no edit.

    It ``follows`` if nothing was left out before it.
    """

    key: str | tuple[str, int]
    text: str
    follows: bool
    edit: Edit | None = None
    headings: tuple[str, ...] = ()


Side = Sequence[Piece]


class _Located(NamedTuple):
    """An edit on a side: where it is in the snapshot, and its number, None if it is not shown."""

    start: int
    end: int
    number: int | None
    edit: Edit
    headings: tuple[str, ...]


def side_pieces(regions: Sequence[Region], side: str, most: int) -> list[Piece]:
    """Return the sentences of a side in document order, each once: regions may overlap.

    ``side`` is ``removed`` or ``added``. Of edits the first ``most`` are shown; what stands
    around others is left out.
    """
    shown: list[Place] = []
    found: list[_Located] = []
    number = 0
    for region in regions:
        place: Place | None = getattr(region, side)
        if place is not None:
            found += _located(region, side, place.start, number, most)
            shown += [place] if number < most else []
        number += len(region.edits)
    edits = deque(sorted(found, key=_start))
    return [piece for place in _joined(shown) for piece in _pieces(place, edits)]


def _located(region: Region, side: str, start: int, first: int, most: int) -> Iterator[_Located]:
    for number, edit in enumerate(region.edits, start=first):
        at: Sentence | None = getattr(edit, side)
        if at is not None:
            known = number if number < most else None
            yield _Located(start + at.start, start + at.end, known, edit, region.headings)


def _start(each: Place | _Located) -> int:
    return each.start


def _joined(places: Iterable[Place]) -> Iterator[Place]:
    """Yield places in order, with those that overlap as one."""
    last: Place | None = None
    for place in sorted(places, key=_start):
        if last is None:
            last = place
        elif (beyond := last.start + len(last.text) - place.start) >= 0:
            last = Place(last.start, last.text + place.text[beyond:])
        else:
            yield last
            last = place
    if last is not None:
        yield last


def _pieces(place: Place, edits: "deque[_Located]") -> Iterator[Piece]:
    """Yield the pieces of a place; the edits up to its end are taken from the first ones."""
    at, follows = place.start, False
    while edits and edits[0].start < place.start + len(place.text):
        one = edits.popleft()
        if one.start < at:
            continue
        for piece in _context(place.text[at - place.start : one.start - place.start], follows):
            yield piece
            follows = True
        if one.number is not None:
            text = place.text[one.start - place.start : one.end - place.start]
            yield Piece((one.edit.change, one.number or 0), text, follows, one.edit, one.headings)
        at, follows = one.end, one.number is not None
    yield from _context(place.text[at - place.start :], follows)


def _context(text: str, follows: bool) -> Iterator[Piece]:
    for line in text.split("\n"):
        for sentence in cut_line(line):
            if key := " ".join(sentence.split()):
                yield Piece(key, sentence, follows)
                follows = True
