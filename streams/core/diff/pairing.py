"""Pairs sentences that are gone with those that have come: which one is which one edited.

In one place of the document: the same but for digits, then the most alike by words. Anywhere
in it: short counters that are the same but for digits, then long sentences that are very alike,
which have moved as well.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from streams.core.diff.likeness import Likeness
from streams.core.text.units import Unit

_ALIKE_IN_PLACE = 0.6
_ALIKE_ANYWHERE = 0.75
_LONG = 6
_COUNTER = 4
_DIGITS = re.compile(r"\d+")

Pair = tuple[Unit, Unit]
"""A sentence that is gone, and the one that it has become."""


def pair_units(places: Sequence[tuple[Sequence[Unit], Sequence[Unit]]]) -> list[Pair]:
    """Pair units, each at most once; ``places`` are what is gone and what has come in each.

    The likeness of two units is the share of words that they have in common in the same order.
    """
    likeness = Likeness()
    pairs: list[Pair] = []
    left: tuple[list[Unit], list[Unit]] = ([], [])
    for gone, come in places:
        found = list(_in_place(gone, come, likeness)) if gone and come else []
        pairs += found
        for rest, units in zip(left, _without(found, gone, come), strict=True):
            rest.extend(units)
    found = list(_anywhere(*left, likeness)) if left[0] and left[1] else []
    return pairs + found


def _in_place(gone: Sequence[Unit], come: Sequence[Unit], likeness: Likeness) -> Iterator[Pair]:
    found = list(_but_for_digits(gone, come))
    yield from found
    gone, come = _without(found, gone, come)
    yield from _most_alike(gone, come, _ALIKE_IN_PLACE, likeness)


def _anywhere(gone: Sequence[Unit], come: Sequence[Unit], likeness: Likeness) -> Iterator[Pair]:
    found = list(_but_for_digits(*(list(_counters(side)) for side in (gone, come))))
    yield from found
    gone, come = _without(found, gone, come)
    longer = list(_long(gone, likeness))
    if longer:
        yield from _most_alike(longer, list(_long(come, likeness)), _ALIKE_ANYWHERE, likeness)


def _counters(units: Iterable[Unit]) -> Iterator[Unit]:
    return (each for each in units if len(each.text.split(None, _COUNTER)) <= _COUNTER)


def _long(units: Iterable[Unit], likeness: Likeness) -> Iterator[Unit]:
    return (each for each in units if likeness.count_words(each.text) >= _LONG)


def _without(
    pairs: Sequence[Pair], gone: Sequence[Unit], come: Sequence[Unit]
) -> tuple[Sequence[Unit], Sequence[Unit]]:
    if not pairs:
        return gone, come
    went, came = ({each.start for each in side} for side in zip(*pairs, strict=True))
    return (
        [each for each in gone if each.start not in went],
        [each for each in come if each.start not in came],
    )


def _but_for_digits(gone: Sequence[Unit], come: Sequence[Unit]) -> Iterator[Pair]:
    """Pair what is the same but for digits, in order."""
    by_mask: defaultdict[str, list[Unit]] = defaultdict(list)
    for unit in reversed(come):
        mask = _DIGITS.sub("0", unit.text)
        if "0" in mask:
            by_mask[mask].append(unit)
    for unit in gone if by_mask else ():
        others = by_mask.get(_DIGITS.sub("0", unit.text))
        if others:
            yield unit, others.pop()


def _most_alike(
    gone: Sequence[Unit], come: Sequence[Unit], least: float, likeness: Likeness
) -> Iterator[Pair]:
    """Pair the most alike first, and of equals those that are nearest in their order."""
    if not gone or not come:
        return
    taken: tuple[set[int], set[int]] = (set(), set())
    for i, j in likeness.best_first(
        [each.text for each in gone], [each.text for each in come], least
    ):
        if i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            yield gone[i], come[j]
