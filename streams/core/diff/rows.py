"""Puts both sides of a region next to each other, row by row, for people."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rapidfuzz.distance import Indel

from schemas.changes import Edit, Place, Region, Sentence
from schemas.display.entries import REMARKS
from schemas.display.rows import Row
from schemas.display.runs import Line, Run, RunKind, line_of
from schemas.display.sentences import edited_lines, edited_sides
from schemas.display.shortening import shortened
from streams.core.text.units import cut_line

MAX_PIECES = 4_000
"""Sentences of a side that are put next to others; of more, only those that changed."""


class _Piece(NamedTuple):
    """A sentence of a side; two with one key are one row. Context has no edit."""

    key: str | tuple[str, int]
    text: str
    edit: Edit | None = None


_Pair = tuple[_Piece | None, _Piece | None]


def region_rows(region: Region, most: int, size: int) -> tuple[Row, ...]:
    """Return a region as rows, with about ``size`` characters of a sentence, in document order.

    Only its first edits, ``most`` at most, and the context up to the next one. Context that
    stands elsewhere among the others of the other side has moved.
    """
    removed = [(edit, edit.removed) for edit in region.edits]
    added = [(edit, edit.added) for edit in region.edits]
    before, after = _pieces(region.removed, removed, most), _pieces(region.added, added, most)
    if max(len(before), len(after)) > MAX_PIECES:
        before, after = ([each for each in side if each.edit] for side in (before, after))
    pairs = list(_aligned(before, after))
    moved = _moved(pairs)
    is_new = region.added is not None
    return tuple(
        _edit_row(old, new, size)
        if (old or new or _NONE).edit
        else _context_row(old, new, size, has_moved=at in moved, is_new=is_new)
        for at, (old, new) in enumerate(pairs)
    )


_NONE = _Piece("", "")


def _pieces(
    place: Place | None, found: Sequence[tuple[Edit, Sentence | None]], most: int
) -> list[_Piece]:
    """Cut a side into the sentences that changed, and those around them."""
    if place is None:
        return []
    several = [(at, edit, each) for at, (edit, each) in enumerate(found) if each is not None]
    end = min((each.start for at, _, each in several if at >= most), default=len(place.text))
    pieces: list[_Piece] = []
    start = 0
    for at, edit, each in sorted(several, key=lambda one: (one[2].start, one[0])):
        if at < most and each.start < end:
            pieces += _context(place.text[start : each.start])
            side = "" if edit.change == "edited" else f"{edit.removed is each}"
            pieces.append(_Piece((side, at), place.text[each.start : each.end], edit))
            start = each.end
    return [*pieces, *_context(place.text[start:end])]


def _context(text: str) -> Iterator[_Piece]:
    for line in text.split("\n"):
        for sentence in cut_line(line):
            if key := " ".join(sentence.split()):
                yield _Piece(key, sentence)


def _aligned(before: Sequence[_Piece], after: Sequence[_Piece]) -> Iterator[_Pair]:
    """Yield the rows of two sides; what has no counterpart there stands alone, the old first."""
    gone, come = 0, 0
    for code in Indel.opcodes([each.key for each in before], [each.key for each in after]):
        if code.tag != "equal":
            continue
        yield from _alone(before[gone : code.src_start], after[come : code.dest_start])
        gone, come = code.src_end, code.dest_end
        yield from zip(before[code.src_start : gone], after[code.dest_start : come], strict=True)
    yield from _alone(before[gone:], after[come:])


def _alone(old: Sequence[_Piece], new: Sequence[_Piece]) -> Iterator[_Pair]:
    yield from ((each, None) for each in old)
    yield from ((None, each) for each in new)


def _moved(pairs: Sequence[_Pair]) -> set[int]:
    """Return which rows of context are at another place of the other side."""
    both = [at for at, (old, new) in enumerate(pairs) if old and new]
    alone = [(at, old or new or _NONE, new is None) for at, (old, new) in enumerate(pairs)
             if not (old and new)]  # fmt: skip
    gone = {each.key for _, each, is_old in alone if is_old}
    come = {each.key for _, each, is_old in alone if not is_old}
    return {
        at
        for at, each, _ in alone
        if each.edit is None and (each.key in gone & come or (both and both[0] < at < both[-1]))
    }


def _context_row(
    old: _Piece | None, new: _Piece | None, size: int, *, has_moved: bool, is_new: bool
) -> Row:
    before, after = _line(old, size), _line(new, size)
    if has_moved:
        return Row("moved", before, after, (before or after,))
    # What stands around the old side alone is at another place now.
    inline = (after or before,) if new or not is_new else ()
    return Row("same", before, after, inline)


def _edit_row(old: _Piece | None, new: _Piece | None, size: int) -> Row:
    piece = old or new or _NONE
    edit: Any = piece.edit
    remark = REMARKS.get(edit.noise, "")
    if edit.change == "edited" and old and new:
        was, now = edited_sides(old.text, new.text, size)
        return Row("edited", was, now, edited_lines(old.text, new.text, size), remark)
    if edit.change == "moved":
        return Row("moved", *(_line(old, size), _line(new, size)), (_line(piece, size),), remark)
    before, after = _line(old, size, "removed"), _line(new, size, "added")
    return Row("added" if new else "removed", before, after, (after or before,), remark)


def _line(piece: _Piece | None, size: int, kind: RunKind = "same") -> Line:
    if piece is None:
        return ()
    return shortened(line_of([Run(piece.text.strip(), kind)]), size)
