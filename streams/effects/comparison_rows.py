"""Puts both sides of a change next to each other, row by row, for people."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Indel

from connectors.display.entries import remark_of
from connectors.display.rows import Row
from connectors.display.runs import Line, Run, RunKind, line_of
from connectors.display.sentences import edited
from connectors.display.shortening import MOST_SPACED, shortened
from schemas.records.changes import Region
from streams.diff.pieces import Piece, Side, side_pieces

MAX_PIECES = 4_000
"""The most sentences of a side next to others; of more, only the changed."""


class _Pair(NamedTuple):
    old: Piece | None
    new: Piece | None

    @property
    def piece(self) -> Piece:
        found = self.new or self.old
        assert found is not None, "a row has a side"
        return found

    @property
    def key(self) -> str | tuple[str, int]:
        return self.piece.key

    @property
    def follows(self) -> bool:
        return any(each.follows for each in self if each)


def change_rows(regions: Sequence[Region], most: int, size: int) -> list[Row]:
    """Return the changes as rows in document order, with their contexts.

    The first edits alone, ``most`` at most, with about ``size`` characters of a sentence. Context
    present once on each side, but in another order, has moved.
    """
    before, after = (side_pieces(regions, side, most) for side in ("removed", "added"))
    if max(len(before), len(after)) > MAX_PIECES:
        before, after = ([each for each in side if each.edit] for side in (before, after))
    pairs = list(_aligned(before, after))
    counts = [Counter(each.key for each in side) for side in (before, after)]
    alone = {pair.key for pair in pairs if not (pair.old and pair.new)}
    moved = {key for key in alone if all(count[key] == 1 for count in counts)}
    sides = {each.key: each.text for each in before}, {each.key: each.text for each in after}
    rows: list[Row] = []
    for pair in pairs:
        if rows and not pair.follows:
            rows.append(Row("gap"))
        if pair.piece.edit:
            rows.append(_edit_row(pair, sides, size))
        else:
            old, new = _line(pair.old, size), _line(pair.new, size)
            rows.append(Row("moved" if pair.key in moved else "same", old, new, (new or old,)))
    return rows


def _aligned(before: Side, after: Side) -> Iterator[_Pair]:
    """Yield the rows of two sides; sentences without a counterpart stand alone, the old first."""
    gone, come = 0, 0
    for code in Indel.opcodes([each.key for each in before], [each.key for each in after]):
        if code.tag != "equal":
            continue
        yield from _alone(before[gone : code.src_start], after[come : code.dest_start])
        gone, come = code.src_end, code.dest_end
        both = zip(before[code.src_start : gone], after[code.dest_start : come], strict=True)
        yield from (_Pair(*each) for each in both)
    yield from _alone(before[gone:], after[come:])


def _alone(old: Side, new: Side) -> Iterator[_Pair]:
    yield from (_Pair(each, None) for each in old)
    yield from (_Pair(None, each) for each in new)


_Texts = dict[str | tuple[str, int], str]


def _edit_row(pair: _Pair, sides: tuple[_Texts, _Texts], size: int) -> Row:
    old, new = pair.old, pair.new
    edit = pair.piece.edit
    assert edit is not None, "it is no context"
    remark, headings = remark_of(edit), pair.piece.headings
    if edit.change == "edited":
        texts = [side[pair.key] for side in sides]
        was, now, lines = edited(texts[0], texts[1], size)
        # One that moved as well is marked at its new place.
        inline = lines if new else ()
        return Row("edited", was if old else (), now if new else (), inline, remark, headings)
    marks: tuple[RunKind, RunKind] = ("removed", "added")
    kind = edit.change
    if kind == "moved":
        marks = ("same", "same")
    before, after = _line(old, size, marks[0]), _line(new, size, marks[1])
    return Row(kind, before, after, (after or before,), remark, headings)


def _line(piece: Piece | None, size: int, kind: RunKind = "same") -> Line:
    if piece is None:
        return ()
    # A sentence may be long: without its end, it is still longer than what is shown.
    beginning = piece.text.strip()[: MOST_SPACED * size]
    return shortened(line_of([Run(beginning, kind)]), size)
