"""Changes within two sentences of which one is the other edited."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TO_LAST_SPACE = re.compile(r"(?:.*\s)?", re.DOTALL)

# Longer texts are cut into pieces of what changed, with so much around it.
_MAX_WHOLE = 4_000
_AROUND = 200
# Pieces of a sentence; one with more is a piece, such as the coordinates of a border.
_MOST = 4

Edits = list[tuple[int, int, int, int]]
Bounds = tuple[int, int]


class EditedPiece(NamedTuple):
    """A piece of the old text that became one of the new text, and the changed words in both.

    Bounds are of characters in the two texts.
    """

    old: Bounds
    new: Bounds
    removed: list[Bounds]
    added: list[Bounds]


def changed_pieces(old: str, new: str, edits: Edits) -> Iterator[EditedPiece]:
    """Yield what changed between two sentences: as one piece, or some if they are very long.

    ``edits`` are the characters that differ; there is no piece if there are none::

        (piece,) = changed_pieces("It is 2 %.", "It is 4 %.", [(6, 7, 6, 7)])
        piece.removed, piece.added  # [(6, 7)], [(6, 7)]
    """
    # The first cell of a row says which row it is, however far away.
    is_cut = max(len(old), len(new)) > _MAX_WHOLE and "\t" not in new
    pieces = list(_near(edits)) if is_cut else []
    if not 0 < len(pieces) <= _MOST:
        if edits:
            yield _piece(old, new, edits, (0, len(old), 0, len(new)))
        return
    for near in pieces:
        (a, _, c, _), (_, b, _, d) = near[0], near[-1]
        bounds = (*_around(old, a, b), *_around(new, c, d))
        yield _piece(old, new, near, bounds)


def _around(text: str, start: int, end: int) -> tuple[int, int]:
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return start - _reach(before[::-1]), end + _reach(after)


def _near(edits: Edits) -> Iterator[Edits]:
    """Group edits with so little between them that what is around them would overlap."""
    several: Edits = []
    for edit in edits:
        if several and edit[0] - several[-1][1] > 2 * _AROUND:
            yield several
            several = []
        several.append(edit)
    if several:
        yield several


def _reach(around: str) -> int:
    """Count the characters up to the last white space, or all if there are less than wanted."""
    if len(around) < _AROUND:
        return len(around)
    found = _TO_LAST_SPACE.match(around)
    assert found is not None
    return found.end()


def _piece(old: str, new: str, edits: Edits, bounds: tuple[int, int, int, int]) -> EditedPiece:
    a, b, c, d = bounds
    removed = [_printed(old, each[0], each[1]) for each in edits]
    added = [_printed(new, each[2], each[3]) for each in edits]
    return EditedPiece((a, b), (c, d), list(filter(None, removed)), list(filter(None, added)))


def _printed(text: str, start: int, end: int) -> Bounds | None:
    """Return bounds without the white space within them; None if nothing is left."""
    words = text[start:end]
    kept = words.strip()
    if not kept:
        return None
    if len(kept) < len(words):
        start = text.index(kept, start)
    return start, start + len(kept)
