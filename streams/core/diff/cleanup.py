"""Semantic clean-up: edits with next to nothing between them are one edit.

The rule is that of diff-match-patch (N. Fraser, "Diff Strategies", 2006): what is
equal goes if it is no longer than the edit before it and the edit behind it, each
measured by the larger of its two sides. Here the measure is units.
"""

from collections.abc import Iterable

from streams.core.diff.comparison import Edit, units

# An equality of more units than this stays whatever stands around it.
_ANCHOR = 64


def merge_close_edits(old: str, found: Iterable[Edit]) -> list[Edit]:
    """Merge changes that are too close to mean anything one by one."""
    kept: list[Edit] = []
    for change in found:
        merged = change
        while kept and (between := _between(old, kept[-1], merged)) is not None:
            merged = _merged(kept.pop(), merged, between)
        kept.append(merged)
    return kept


def _between(old: str, first: Edit, second: Edit) -> int | None:
    """Count the units between two changes, None if they are enough to part them."""
    _, start, _, _, went, came = first
    end, _, _, _, goes, comes = second
    most = min(max(went, came), max(goes, comes), _ANCHOR)
    if len(old[start:end].split(None, most)) > most:
        return None
    count = units(old, start, end)
    return count if count <= most else None


def _merged(first: Edit, second: Edit, between: int) -> Edit:
    a, _, c, _, went, came = first
    _, b, _, d, goes, comes = second
    return a, b, c, d, went + between + goes, came + between + comes
