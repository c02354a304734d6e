"""Semantic clean-up: edits with next to nothing between them become one edit.

The rule is that of diff-match-patch (N. Fraser, "Diff Strategies", 2006): an equal part
is given up if it is no longer than the edit before it and the edit after it, each
measured by the larger of its two sides. Here the measure is units.
"""

from collections.abc import Iterable

from streams.diff.comparison import Edit, count_units

# An equal part of more units than this stays, however large the edits around it are.
_ANCHOR = 64


def merge_close_edits(old: str, edits: Iterable[Edit]) -> list[Edit]:
    """Merge edits that are too close to each other to be understood one by one."""
    kept: list[Edit] = []
    for edit in edits:
        merged = edit
        while kept and (between := _between(old, kept[-1], merged)) is not None:
            merged = _merged(kept.pop(), merged, between)
        kept.append(merged)
    return kept


def _between(old: str, first: Edit, second: Edit) -> int | None:
    """Count the units between two edits; None if they are enough to keep the edits apart."""
    _, start, _, _, went, came = first
    end, _, _, _, goes, comes = second
    most = min(max(went, came), max(goes, comes), _ANCHOR)
    # Each word has at least one unit, and splitting is much quicker than counting units.
    if len(old[start:end].split(None, most)) > most:
        return None
    count = count_units(old, start, end)
    return count if count <= most else None


def _merged(first: Edit, second: Edit, between: int) -> Edit:
    a, _, c, _, went, came = first
    _, b, _, d, goes, comes = second
    return a, b, c, d, went + between + goes, came + between + comes
