"""Moves regions of one side to where blocks of lines begin.

If an item ends as the one before it does, the lines that came may as well be the end of that one
and the start of the new one.
"""

from collections.abc import Iterator, Sequence

from streams.diff.alignment import Region


def at_blocks(found: Sequence[Region], old: Sequence[str], new: Sequence[str]) -> list[Region]:
    """Return regions of lines: those of one side as whole blocks, if the lines allow it.

    at_blocks([(1, 1, 1, 4)], ["A", "c"], ["A", "c", "", "B", "c"]) is ``[(2, 2, 2, 5)]``.
    """
    ends = [*(each[0] for each in found[1:]), len(old)]
    placed: list[Region] = []
    last = 0
    for (a, b, c, d), end in zip(found, ends, strict=True):
        step = 0
        if a == b:
            step = _step(new, c, d, (last - a, end - b))
        elif c == d:
            step = _step(old, a, b, (last - a, end - b))
        placed.append((a + step, b + step, c + step, d + step))
        last = b + step
    return placed


def _step(lines: Sequence[str], start: int, end: int, bounds: tuple[int, int]) -> int:
    """Return by how many lines, within bounds, a region moves to the nearest block."""
    steps = _steps(lines, start, end, bounds)
    return next((each for each in steps if _are_blocks(lines, start + each, end + each)), 0)


def _steps(lines: Sequence[str], start: int, end: int, bounds: tuple[int, int]) -> Iterator[int]:
    """Yield the steps that leave the other lines as they are."""
    yield 0
    step = 0
    while step < bounds[1] and lines[start + step] == lines[end + step]:
        step += 1
        yield step
    step = 0
    while step > bounds[0] and lines[start + step - 1] == lines[end + step - 1]:
        step -= 1
        yield step


def _are_blocks(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether some lines are whole blocks, with the empty line after or before them."""
    if lines[start].strip():
        return not lines[end - 1].strip() and not (start and lines[start - 1].strip())
    return end == len(lines) or not lines[end].strip()
