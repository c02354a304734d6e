"""Moved and changed items of two snapshots: blocks of the same name in other places."""

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from streams.diff.changed_lines import Window
from streams.diff.repeated_sentences import Lines
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
    places: Sequence[Lines],
    names: frozenset[str],
) -> list[MovedItem]:
    """Return the changed items with a name, in other places than before.

    A name stands once in both snapshots, and has moved itself; below a heading that stays, such as
    that of a list, one entry comes and another goes.
    """
    if not names or len(places) < 2:
        return []
    old = _items(before, (place.gone for place in places), names)
    new = _items(after, (place.come for place in places), names)
    found = (
        MovedItem(item.units, other.units, item.first, other.first)
        for name, item in old.items()
        if (other := new.get(name)) and item.places.isdisjoint(other.places)
    )
    return [each for each in found if _has_moved(each, places)]


def _has_moved(item: MovedItem, places: Iterable[Lines]) -> bool:
    """Whether the first line of an item is among the lines that differ."""
    return any(a <= item.was < b for (a, b, _, _), *_ in places)


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
