"""Pairs sentences that are gone with those that have come: which one is which one edited.

In one place of the document: the same but for numbers, then rows of a name and a state with the
same name, then lines that exchange their states, then the most alike by words, then what has the
same label. Anywhere in it: short counters that are the same but for numbers, next to the same line,
then long sentences that are very alike, which have moved as well.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from streams.diff.neighbours import AGE, Neighbours, masked
from streams.diff.noise import differ_in_age
from streams.diff.similarity import Likeness
from streams.text.units import Unit

_ALIKE_IN_PLACE = 0.6
_ALIKE_ANYWHERE = 0.75
_LONG = 6
_COUNTER = 4
_FEW = 6
_LETTER = re.compile(r"[^\W\d_]")
_LABEL_END = re.compile("\t|: ")


class Pair(NamedTuple):
    """A sentence that is gone, and the one that it has become.

    ``weight``, from 0 to 2, is how much it says about the lines around them, and ``mask`` what both
    are but for their numbers. It is not sure if other pairs are the same but for theirs. It is
    ``is_same`` if both are ages, or entries with another number in their list.
    """

    gone: Unit
    come: Unit
    weight: int = 2
    mask: str = ""
    is_sure: bool = True
    is_same: bool = False


def pair_units(
    places: Sequence[tuple[Sequence[Unit], Sequence[Unit]]], neighbours: Neighbours
) -> list[Pair]:
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
    others = _anywhere(*left, likeness) if left[0] and left[1] else ()
    paired = [*_with_doubts(pairs, neighbours), *_moved(others, neighbours, likeness)]
    return [
        each._replace(is_same=True)
        if each.mask == AGE or neighbours.differ_in_place(each.gone, each.come)
        else each
        for each in paired
    ]


def _with_doubts(pairs: Sequence[Pair], neighbours: Neighbours) -> Iterator[Pair]:
    """Yield pairs; of several that are the same but for numbers none is sure without neighbours."""
    masks = Counter(pair.mask for pair in pairs)
    for pair in pairs:
        is_one_of_several = masks[pair.mask] > 1 and _LETTER.search(pair.mask)
        if is_one_of_several and not neighbours.are_same(pair.gone, pair.come):
            yield pair._replace(is_sure=False)
        else:
            yield pair


def _moved(pairs: Iterable[Pair], neighbours: Neighbours, likeness: Likeness) -> Iterator[Pair]:
    """Yield the pairs that are one sentence in another place, and no two entries of a list.

    Numbers alone make entries of a list; a row has other cells that say which one it is.
    """
    for pair in pairs:
        gone, come = pair.gone, pair.come
        if neighbours.are_same(gone, come) or differ_in_age(gone.text, come.text):
            yield pair
        elif not _are_entries(pair, neighbours, likeness):
            is_of_numbers = masked(gone.text) == masked(come.text)
            yield pair._replace(is_sure=not is_of_numbers or "\t" in come.text)


def _are_entries(pair: Pair, neighbours: Neighbours, likeness: Likeness) -> bool:
    """Whether other lines are like two sentences, as the other entries of a list are."""
    mask = masked(pair.come.text)
    if mask == masked(pair.gone.text):
        if _is_counter(mask) or mask in neighbours.masks:
            return True
        if "\t" in mask:
            return False
    beside = neighbours.beside(pair.gone, pair.come)
    return any(likeness.best_first([pair.come.text], beside, _ALIKE_IN_PLACE))


def _in_place(gone: Sequence[Unit], come: Sequence[Unit], likeness: Likeness) -> Iterator[Pair]:
    found = list(_but_for_numbers(gone, come))
    yield from found
    gone, come = _without(found, gone, come)
    found = [each for each in _of_one_label(gone, come) if _has_state(each.gone, each.come)]
    yield from found
    gone, come = _without(found, gone, come)
    found = list(_with_exchanged_states(gone, come))
    yield from found
    gone, come = _without(found, gone, come)
    found = list(_most_alike(gone, come, _ALIKE_IN_PLACE, likeness))
    yield from found
    yield from _of_one_label(*_without(found, gone, come))


def _anywhere(gone: Sequence[Unit], come: Sequence[Unit], likeness: Likeness) -> Iterator[Pair]:
    found = list(_but_for_numbers(*(list(filter(_is_short, side)) for side in (gone, come))))
    yield from found
    gone, come = _without(found, gone, come)
    found = list(_rows_but_for_numbers(gone, come))
    yield from found
    gone, come = _without(found, gone, come)
    longer = list(_long(gone, likeness))
    if longer:
        yield from _most_alike(longer, list(_long(come, likeness)), _ALIKE_ANYWHERE, likeness)


def _is_short(unit: Unit) -> bool:
    return len(unit.text.split(None, _COUNTER)) <= _COUNTER


def _is_counter(mask: str) -> bool:
    """Whether a few words at most stand with the numbers."""
    return sum(1 for word in mask.split(None, _COUNTER) if _LETTER.search(word)) < _COUNTER - 1


def _long(units: Iterable[Unit], likeness: Likeness) -> Iterator[Unit]:
    return (each for each in units if likeness.count_words(each.text) >= _LONG)


def _without(
    pairs: Sequence[Pair], gone: Sequence[Unit], come: Sequence[Unit]
) -> tuple[Sequence[Unit], Sequence[Unit]]:
    if not pairs:
        return gone, come
    went, came = {pair.gone.start for pair in pairs}, {pair.come.start for pair in pairs}
    return (
        [each for each in gone if each.start not in went],
        [each for each in come if each.start not in came],
    )


def _but_for_numbers(gone: Sequence[Unit], come: Sequence[Unit]) -> Iterator[Pair]:
    """Pair what is the same but for numbers, in order."""
    by_mask: defaultdict[str, list[Unit]] = defaultdict(list)
    for unit in reversed(come):
        mask = masked(unit.text)
        if "0" in mask:
            by_mask[mask].append(unit)
    for unit in gone if by_mask else ():
        mask = masked(unit.text)
        if others := by_mask.get(mask):
            yield Pair(unit, others.pop(), 1 if _is_counter(mask) else 2, mask)


def _rows_but_for_numbers(gone: Iterable[Unit], come: Iterable[Unit]) -> Iterator[Pair]:
    """Pair rows equal but for numbers, with the same first cell, if they stand once."""
    before, after = _by_label_and_mask(gone), _by_label_and_mask(come)
    for key, units in before.items():
        others = after.get(key, ())
        if len(units) == len(others) == 1:
            yield Pair(units[0], others[0], mask=key[1])


def _by_label_and_mask(units: Iterable[Unit]) -> dict[tuple[str, str], list[Unit]]:
    found: defaultdict[tuple[str, str], list[Unit]] = defaultdict(list)
    for unit in units:
        label, cell, _ = unit.text.partition("\t")
        if cell and _LETTER.search(label):
            found[label, masked(unit.text)].append(unit)
    return found


def _of_one_label(gone: Iterable[Unit], come: Iterable[Unit]) -> Iterator[Pair]:
    """Pair rows with the same first cell, and short lines "label: value", if it stands once."""
    before, after = _by_label(gone), _by_label(come)
    for label, units in before.items():
        others = after.get(label, ())
        if len(units) == len(others) == 1:
            yield Pair(units[0], others[0], 0)


def _with_exchanged_states(gone: Sequence[Unit], come: Sequence[Unit]) -> Iterator[Pair]:
    """Pair lines that begin alike, if what follows in one follows in another line now, or did."""
    if not 1 < len(gone) == len(come):
        return
    ends = [_ends(*pair) for pair in zip(gone, come, strict=True)]
    before, after = ({each[side] for each in ends if each} for side in (0, 1))
    for one, other, each in zip(gone, come, ends, strict=True):
        if each and (each[0] in after or each[1] in before):
            yield Pair(one, other)


def _ends(gone: Unit, come: Unit) -> tuple[str, str] | None:
    """Return how two lines end after their common words, None if there are none, or too many."""
    lines = [unit.text.split(None, _COUNTER + _FEW) for unit in (gone, come)]
    count = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(*lines, strict=False))))
    is_short = all(count < len(line) <= count + _COUNTER for line in lines)
    old, new = (" ".join(line[count:]) for line in lines)
    return (old, new) if count and is_short else None


def _has_state(*units: Unit) -> bool:
    """Whether rows have little but their label, as rows have that exchange their states."""
    rests = (_LABEL_END.split(unit.text, maxsplit=1)[1].split(None, _COUNTER) for unit in units)
    return all(0 < len(rest) <= _COUNTER for rest in rests)


def _by_label(units: Iterable[Unit]) -> dict[str, list[Unit]]:
    found: defaultdict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        label, cell, _ = unit.text.partition("\t")
        if not cell and len(unit.text.split(None, _FEW)) <= _FEW:
            label, cell, _ = unit.text.partition(": ")
        if cell and _LETTER.search(label):
            found[label].append(unit)
    return found


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
            yield Pair(gone[i], come[j])
