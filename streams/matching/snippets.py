"""The part of a sentence that a client is shown, and the text around it."""

from collections.abc import Collection, Iterable
from itertools import takewhile

from schemas.records.changes import MAX_CONTEXT
from streams.matching.marks import Bounds
from streams.text.tokens import PART, PARTIAL_WORD, UNIT, WORD
from streams.text.units import Unit, cut_lines

MAX_TEXT = 4_000
"""Characters of a sentence that is shown as a whole."""
MAX_CELL = 500
"""Characters shown of a longer sentence, and of one with a longer cell or word."""
BEYOND = 50
"""Characters beyond those that fit, so that an end of a sentence is found by what follows it."""
MAX_SEEN = MAX_CONTEXT + BEYOND
"""Characters on each side in which sentences are sought: those that begin beyond never fit."""

GAP = "..."


def most_shown(text: str, bounds: Bounds) -> int:
    r"""Return how many characters of a sentence are shown: few if it is long, or has a long cell.

    >>> most_shown("Border\t" + "12.5,13.7," * 100, (0, 1_000))
    500
    """
    low, high = bounds
    if high - low <= MAX_CELL:
        return MAX_TEXT
    if high - low > MAX_TEXT:
        return MAX_CELL
    sentence = text[low:high]
    parts = sentence.split("\t") if "\t" in sentence else sentence.split()
    return MAX_CELL if max(map(len, parts), default=0) > MAX_CELL else MAX_TEXT


def excerpt(
    text: str, bounds: Bounds, around: Bounds, most: int = MAX_TEXT, *, is_keyword: bool = True
) -> Bounds:
    """Return start and end of at most so many characters around a span, within some bounds.

    Cuts are between words. If the span itself is longer, its end is cut, but never the first word
    of a keyword, however long that is.
    """
    first, last = bounds
    if last - first <= most:
        return bounds
    start, end = around if around[1] > around[0] else (first, first)
    spare = max(0, most - (end - start))
    low = max(first, min(start - spare // 2, last - most))
    unit = next(UNIT.finditer(text, start, min(start + PART, last)), None)
    floor = last if unit is None else unit.end()
    if not is_keyword:
        floor = min(floor, start + most)
    end = _last_cut(text, floor, min(low + most, last), last)
    return min(start, _first_cut(text, low, first)), end


def context(text: str, shown: Bounds, offset: int, new: Collection[int]) -> tuple[Bounds, str, str]:
    """Return the bounds of a snippet around ``shown``, and what stands for text cut off around it.

    Whole sentences are taken until the next would exceed ``offset`` characters on its side;
    those that are ``new``, or gone, too, by where they begin, up to MAX_CONTEXT. If not even one
    fits, it is cut at a word::

        context("Argus has a hundred eyes.", (0, 5), 7, ())  # (0, 11), "", " ..."
    """
    start, end = shown
    low, high = max(0, start - MAX_SEEN), min(len(text), end + MAX_SEEN)
    if not new and "\t" not in text[low:high]:  # of a row, all in sight counts as one
        low, high = max(low, start - offset - BEYOND), min(high, end + offset + BEYOND)
    before = reversed(list(_units(text, low, start)))
    left = _whole(((start - each.start, each) for each in before), offset, new)
    right = _whole(((each.end - end, each) for each in _units(text, end, high)), offset, new)
    gaps = "", ""
    if left is None:
        # Not from a full stop on, which would stand alone.
        near = max(low, text.rfind(" ", low, max(low, start - offset)))
        starts = (word.start() for word in WORD.finditer(text, near, start))
        left = start - next((at for at in starts if at >= start - offset), start)
        gaps = f"{GAP} ", ""
    if right is None:
        right = _end_of_whole(text, (end, high), end + offset) - end
        gaps = gaps[0], f" {GAP}"
    return (start - left, end + right), *gaps


def _whole(sentences: Iterable[tuple[int, Unit]], offset: int, new: Collection[int]) -> int | None:
    """Return the characters of the whole sentences that fit, None if not even the first does.

    Each comes with how far it reaches.
    """
    taken, is_first = 0, True
    for size, sentence in sentences:
        limit = MAX_CONTEXT if offset and sentence.start in new else offset
        if size > limit:
            return None if is_first else taken
        taken, is_first = size, False
    return taken


def _units(text: str, low: int, high: int) -> Iterable[Unit]:
    """Yield the sentences between two offsets; the outermost ones may be cut."""
    if low == high:
        return ()
    at, lines = low, []
    for line in text[low:high].split("\n"):
        lines.append((0, at, line))
        at += len(line) + 1
    return cut_lines(lines)


def _end_of_whole(text: str, bounds: Bounds, limit: int) -> int:
    """Return where the last unit within bounds ends that ends before a limit."""
    start, high = bounds
    # No unit has a blank within, so none before the last one need be looked at.
    near = max(start, text.rfind(" ", start, limit))
    ends = takewhile(limit.__ge__, (unit.end() for unit in UNIT.finditer(text, near, high)))
    return max(ends, default=start + len(text[start:near].rstrip()))


def _first_cut(text: str, low: int, first: int) -> int:
    """Return the start of the first whole word from ``low`` on."""
    if low > first and not text[low - 1].isspace():
        low += _partial(text[low : low + MAX_TEXT])
    near = text[low : low + MAX_TEXT]
    return low + len(near) - len(near.lstrip())


def _last_cut(text: str, floor: int, high: int, last: int) -> int:
    """Return the end of the last whole word before ``high``, but not less than ``floor``."""
    kept = text[floor:high]
    if high < last and not text[high].isspace():
        partial = _partial(kept[::-1])
        # Marks that follow would belong to the character before them, too.
        partial += not kept[: len(kept) - partial][-1:].isspace()
        kept = kept[: max(0, len(kept) - partial)]
    return floor + len(kept.rstrip())


def _partial(text: str) -> int:
    """Count the characters at the start that may belong to a word that began before."""
    return next(PARTIAL_WORD.finditer(text)).end()
