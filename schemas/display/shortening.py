"""Long lines, cut around what changed."""

from collections.abc import Callable, Iterator, Sequence

from schemas.display.runs import Line, Run, is_marked, line_of, line_text

MAX_LINE = 120
"""Characters of one side of an edit, about; what is shown in one line may have twice as many."""
MIN_CONTEXT = 24
"""Characters of context on a side of what is marked, at least, if the line has them."""
GAP = "…"


def shortened(line: Line, size: int, is_focus: Callable[[Run], bool] = is_marked) -> Line:
    """Return a line of ``size`` characters at most, and the ellipses.

    What is in focus stays, by default all that is marked. What is between is cut from its
    middle, at words, and at last the end is cut.
    """
    if len(line_text(line)) <= size:
        return line
    focus = list(map(is_focus, line))
    needed = sum(len(run.text) for run, stays in zip(line, focus, strict=True) if stays)
    sides = max(1, sum(map(_context_sides, _with_neighbours(focus))))
    context = max(MIN_CONTEXT, (size - needed) // sides)
    runs = [
        run if stays else run._replace(text=_cut(run.text, context, before, after))
        for run, (before, stays, after) in zip(line, _with_neighbours(focus), strict=True)
    ]
    return line_of(_beginning(runs, size))


Neighbours = tuple[bool, bool, bool]
"""Whether the run before is in focus, whether a run is, and whether the next is."""


def _with_neighbours(focus: Sequence[bool]) -> list[Neighbours]:
    return list(zip([False, *focus[:-1]], focus, [*focus[1:], False], strict=True))


def _context_sides(neighbours: Neighbours) -> int:
    before, stays, after = neighbours
    return 0 if stays else before + after


def _cut(text: str, size: int, before: bool, after: bool) -> str:
    """Return so many characters of a text at each end that has something in focus next to it."""
    left = _head(text, size) if before else ""
    right = _tail(text, size) if after else ""
    if len(left) + len(right) + 3 >= len(text):
        return text
    if not before and not after:
        return text
    return f"{left}{' ' if left else ''}{GAP}{' ' if right else ''}{right}"


def _head(text: str, size: int) -> str:
    """Return the beginning of a text, whole words if it has any."""
    if len(text) <= size:
        return text
    kept = text[:size]
    return (kept if text[size].isspace() else kept[: kept.rfind(" ") + 1] or kept).rstrip()


def _tail(text: str, size: int) -> str:
    if len(text) <= size:
        return text
    return _head(text[::-1], size)[::-1]


def _beginning(runs: Sequence[Run], size: int) -> Iterator[Run]:
    """Yield the runs of so many characters, and an ellipsis if there are more."""
    left = size + len(GAP) * 4
    for run in runs:
        if len(run.text) > left:
            yield run._replace(text=_head(run.text, max(left, 1)))
            yield Run(f" {GAP}")
            return
        yield run
        left -= len(run.text)
