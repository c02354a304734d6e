"""Moved and changed items of two snapshots: blocks of the same name in other places."""

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from streams.diff.changed_lines import Window
from streams.text.units import Unit

# Lines of an item.
_MAX_LINES = 60


class MovedItem(NamedTuple):
    """The new or former units of an item, and the first lines of its blocks."""

    gone: Sequence[Unit]
    come: Sequence[Unit]
    was: int
    now: int

    def has_pair(self, pairs: Mapping[int, int]) -> bool:
        """Return whether a unit is another unit, edited; else another item has the name.

        ``pairs`` are the starts of units, before and after.
        """
        come = {unit.start for unit in self.come}
        return any(pairs.get(unit.start) in come for unit in self.gone)


class _Item(NamedTuple):
    """A side of an item, with the numbers of the places of its units."""

    first: int
    units: list[Unit]
    places: set[int]


def moved_items(
    before: Window,
    after: Window,
    places: Sequence[tuple[Sequence[Unit], Sequence[Unit]]],
    names: frozenset[str],
) -> list[MovedItem]:
    """Return the changed items with a name, in other places than before.

    ``places`` are the gone and the new units of each; a name stands once in both snapshots.
    """
    if not names or len(places) < 2:
        return []
    old = _items(before, (gone for gone, _ in places), names)
    new = _items(after, (come for _, come in places), names)
    return [
        MovedItem(item.units, other.units, item.first, other.first)
        for name, item in old.items()
        if (other := new.get(name)) and item.places.isdisjoint(other.places)
    ]


def _items(
    window: Window, places: Iterable[Sequence[Unit]], names: frozenset[str]
) -> dict[str, _Item]:
    """Return the items of the units of some places by their names."""
    found: dict[str, _Item] = {}
    starts = [first for first, _ in window.blocks]
    for number, units in enumerate(places):
        for unit in units:
            first, end = window.blocks[bisect(starts, unit.line) - 1]
            name = window.lines[first].strip()
            if name in names and window.line_counts[name] == 1 and end - first <= _MAX_LINES:
                item = found.setdefault(name, _Item(first, [], set()))
                item.units.append(unit)
                item.places.add(number)
    return found
