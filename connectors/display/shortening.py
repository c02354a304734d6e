"""Long lines, cut around their changes."""

from collections.abc import Callable, Sequence
from itertools import chain, groupby

from connectors.display.runs import Line, Run, is_marked, line_of, line_text

MAX_LINE = 120
"""Characters of a side of an edit, about; a line with both may have twice as many."""
MIN_CONTEXT = 24
"""Characters of context on a side of the marked text, at least, if the line has them."""
GAP = "…"

MAX_CHANGED = 2_000
"""Characters of the change to examine, and twice as many as are shown."""
MOST_SPACED = 4
"""Characters of a text for each shown character, where spaces are merged."""
SLACK = 100
"""Characters beyond the limit, so a cut is visible."""


def shortened(line: Line, size: int, is_focus: Callable[[Run], bool] = is_marked) -> Line:
    """Return a line of ``size`` characters at most, and the ellipses.

    The focus stays, by default all marked text. The text between is cut from its middle, at words,
    and at last the end is cut.
    """
    if len(line_text(line)) <= size:
        return line
    blocks = [(stays, list(runs)) for stays, runs in groupby(line, is_focus)]
    needed = sum(len(line_text(runs)) for stays, runs in blocks if stays)
    sides = sum(
        2 - (at in {0, len(blocks) - 1}) for at, (stays, _) in enumerate(blocks) if not stays
    )
    context = max(MIN_CONTEXT, (size - needed) // max(1, sides))
    shown = (
        runs if stays else _cut(runs, context if at else 0, context if at < len(blocks) - 1 else 0)
        for at, (stays, runs) in enumerate(blocks)
    )
    has_focus = any(stays for stays, _ in blocks)
    kept = line_of(chain.from_iterable(shown) if has_focus else line)
    limit = size + 4 * len(GAP)
    return kept if len(line_text(kept)) <= limit else (*_head(kept, limit), Run(f" {GAP}"))


def _cut(runs: Sequence[Run], first: int, last: int) -> Sequence[Run]:
    """Return so many characters of the beginning and of the end of some context."""
    if first + last + len(GAP) + 2 >= len(line_text(runs)):
        return runs
    left = [*_head(runs, first), Run(" ")] if first else []
    right = [Run(" "), *_reversed(_head(_reversed(runs), last))] if last else []
    return [*left, Run(GAP), *right]


def _head(runs: Sequence[Run], size: int) -> list[Run]:
    """Return the beginning of some runs, in whole words if any."""
    kept: list[Run] = []
    for run in runs:
        if len(run.text) > size:
            text = run.text[:size]
            if not run.text[size].isspace():
                text = text[: text.rfind(" ") + 1] or text
            return [*kept, run._replace(text=text.rstrip())]
        kept.append(run)
        size -= len(run.text)
    return kept


def _reversed(runs: Sequence[Run]) -> list[Run]:
    return [run._replace(text=run.text[::-1]) for run in reversed(runs)]


def around_change(before: str, after: str, size: int) -> tuple[str, str]:
    """Return both sides of an edit as far as they matter where ``size`` characters are shown.

    The stretch is the beginning, shown where nothing is marked, the change, without its middle if
    long, and the context.
    """
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    near, most = 2 * size + SLACK, MAX_CHANGED + 2 * size
    shown: list[str] = []
    for text in (before, after):
        left, changed = text[:start], text[start : len(text) - end]
        if len(left) > 2 * near:
            left = left[:near] + left[-near:]
        if len(changed) > most + SLACK:
            # The last of it differs on both sides: so it shows that there is more.
            changed = changed[:most] + changed[-SLACK:]
        shown.append(left + changed + text[len(text) - end :][:near])
    return shown[0], shown[1]


def _common(one: str, other: str) -> int:
    """Count the first characters common to two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
