"""An edited sentence as a line, if its changes are short, or as two."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from connectors.display.directions import Direction, arrow, direction
from connectors.display.runs import Line, Run, is_marked, line_of, line_text, one_line
from connectors.display.shortening import MAX_LINE, around_change, shortened
from connectors.display.words import (
    Change,
    changed_letters,
    changed_words,
    compared_by_letters,
    words,
)

MAX_INLINE = 60
"""Characters of the former and of the present text within a line."""
MAX_LETTERS = 400
"""Characters of a sentence's words compared by characters."""

Sides = tuple[Line, Line]
"""The runs of a part before and after."""


class Edited(NamedTuple):
    """An edited sentence before and after, and ``inline``: as a line, or as two."""

    was: Line
    now: Line
    inline: tuple[Line, ...]


def edited_lines(before: str, after: str) -> tuple[Line, ...]:
    """Return an edited sentence, marked, with about MAX_LINE characters of each side.

    A single line shows replaced words, ``Price: €1,299.00 → €1,199.00``, if none came or went
    alone: without marks nobody would see those. Otherwise there are two lines: before, and after.
    """
    return edited(before, after).inline


def edited(before: str, after: str, size: int = MAX_LINE) -> Edited:
    """Return an edited sentence, each side marked and of about ``size``.

    >>> [run.text for run in edited("Price: €1,299.00", "Price: €1,199.00").now]
    ['Price: ', '€1,199.00']
    """
    texts = around_change(before.strip(), after.strip(), size)
    parts = changed_words(*map(one_line, texts))
    sides = list(_sides(parts))
    was = _one_side((run for removed, _ in sides for run in removed), size)
    now = _one_side((run for _, added in sides for run in added), size)
    changes = [text.strip() for part in parts if not part.same for text in part]
    is_single = len(changes) == 2 or all(len(words(text)) == 1 for text in changes)
    if not is_single or not all(0 < len(text) <= MAX_INLINE for text in changes):
        text = line_text(now)
        return Edited(was, now, (was, (Run(f"{arrow('', text, direction(text))} "), *now)))
    inline = _inline(parts, sides, direction("".join(texts)))
    return Edited(was, now, (shortened(line_of(inline), 2 * size),))


def _one_side(runs: Iterable[Run], size: int) -> Line:
    """Return a side of an edit; a side with no mark is cut around the place of the other's."""
    marked = tuple(runs)
    line = line_of(marked)
    return shortened(line, size) if any(map(is_marked, line)) else line_of(shortened(marked, size))


def _inline(parts: Sequence[Change], sides: Sequence[Sides], base: Direction) -> Iterator[Run]:
    rest = ["".join(part.after for part in parts[at + 1 :]) for at in range(len(parts))]
    said = ""
    for part, (removed, added), then in zip(parts, sides, rest, strict=True):
        yield from removed
        if not part.same:
            yield Run(f" {arrow(said + part.before, part.after + then, base)} ")
            yield from added
        said += part.before if part.same else part.after


def _sides(parts: Sequence[Change]) -> Iterator[Sides]:
    letters = MAX_LETTERS
    for part in parts:
        size = len(part.before) + len(part.after)
        if part.same:
            yield (Run(part.before),), (Run(part.after),)
        elif size > letters:
            yield _whole(part)
        else:
            letters -= size
            yield _changed(part)


def _changed(part: Change) -> Sides:
    """Compare the words of a part in pairs, if there are as many on both sides."""
    old, new = words(part.before), words(part.after)
    if len(old) != len(new) or not any(map(compared_by_letters, old, new)):
        return _whole(part)
    removed: list[Run] = []
    added: list[Run] = []
    for was, now in zip(old, new, strict=True):
        if was == now:
            sides: Sides = (Run(was),), (Run(now),)
        elif compared_by_letters(was, now):
            sides = changed_letters(was, now)
        else:
            sides = _whole(Change(was, now))
        removed += sides[0]
        added += sides[1]
    return tuple(removed), tuple(added)


def _whole(part: Change) -> Sides:
    return (Run(part.before, "removed"),), (Run(part.after, "added"),)
