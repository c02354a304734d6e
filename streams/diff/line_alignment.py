"""Lines in which two snapshots differ, so that each line stays in its place.

A line that stands once in both says where it is; one that recurs, such as "Read more", does not.
The longest common subsequence may have many lines of that kind instead of the others, and then the
second entry of a list would be compared with the third.

If an item ends as the one before it does, the lines that came may as well be the end of that one
and the start of the new one. Whole blocks came.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from streams.diff.alignment import Region, differing_regions

Lines = Sequence[str]


def differing_blocks(old: Lines, new: Lines) -> list[Region]:
    """Return the regions of lines that differ, in order: whole blocks, if the lines allow it.

    differing_blocks(["A", "c"], ["A", "c", "", "B", "c"]) is ``[(2, 2, 2, 5)]``.
    """
    return _at_blocks(_by_place(old, new), old, new)


def _by_place(old: Lines, new: Lines) -> list[Region]:
    """Return the regions that differ, with as many lines that stand once in place as there can."""
    found = differing_regions(old, new)
    gone = {old[at] for a, b, _, _ in found for at in range(a, b)}
    if not any(new[at] in gone for _, _, c, d in found for at in range(c, d)):
        return found
    once = _once(old) & _once(new)
    moved = sum(1 for a, b, _, _ in found for at in range(a, b) if old[at] in once)
    anchors = list(_anchors(old, new, once))
    return list(_between(anchors, old, new)) if len(anchors) > len(once) - moved else found


def _once(lines: Lines) -> set[str]:
    return {line for line, count in Counter(lines).items() if count == 1 and line.strip()}


def _anchors(old: Lines, new: Lines, once: set[str]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of lines that stand once in both, as many as are in one order."""
    before, after = ([at for at, line in enumerate(side) if line in once] for side in (old, new))
    found = differing_regions([old[at] for at in before], [new[at] for at in after])
    at = to = 0
    for a, b, c, d in (*found, (len(before), 0, len(after), 0)):
        yield from zip(before[at:a], after[to:c], strict=True)
        at, to = b, d


def _between(anchors: Iterable[tuple[int, int]], old: Lines, new: Lines) -> Iterator[Region]:
    at = to = 0
    for start, end in (*anchors, (len(old), len(new))):
        for a, b, c, d in differing_regions(old[at:start], new[to:end]):
            yield at + a, at + b, to + c, to + d
        at, to = start + 1, end + 1


def _at_blocks(found: Sequence[Region], old: Lines, new: Lines) -> list[Region]:
    """Return regions of lines: those of one side as whole blocks, if the lines allow it."""
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


def _step(lines: Lines, start: int, end: int, bounds: tuple[int, int]) -> int:
    """Return by how many lines, within bounds, a region moves to the nearest block."""
    steps = _steps(lines, start, end, bounds)
    return next((each for each in steps if _are_blocks(lines, start + each, end + each)), 0)


def _steps(lines: Lines, start: int, end: int, bounds: tuple[int, int]) -> Iterator[int]:
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


def _are_blocks(lines: Lines, start: int, end: int) -> bool:
    """Whether some lines are whole blocks, with the empty line after or before them."""
    if lines[start].strip():
        return not lines[end - 1].strip() and not (start and lines[start - 1].strip())
    return end == len(lines) or not lines[end].strip()
