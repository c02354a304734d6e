"""Finds sentences that came or went although the other snapshot has them as well.

A status page says "Major Outage" of one more component; that sentence is not new, but there
is one more of it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from streams.diff.alignment import Region
from streams.diff.blocks import Differing
from streams.diff.changed_lines import Window
from streams.diff.common_ends import has_same_units
from streams.text.units import FIELD, Unit

# A sentence that stands more often on a page is a label of its items.
_MAX_COPIES = 8
# Lines below its heading in which the states of a card are.
_MAX_CARD = 8
# Words that a state has at most.
_SHORT = 4
_NOTHING: frozenset[str] = frozenset()


class Lines(NamedTuple):
    """Lines that differ, with the units in them that came or went.

    ``copies`` are where those start that the other snapshot has as well, on each side.
    """

    bounds: Region
    gone: list[Unit]
    come: list[Unit]
    copies: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())

    @property
    def differing(self) -> tuple[Differing, Differing]:
        """Both sides, without the copies."""
        a, b, c, d = self.bounds
        gone, come = (
            [unit for unit in units if unit.start not in copies]
            for units, copies in zip((self.gone, self.come), self.copies, strict=True)
        )
        replaces = bool(gone and come)
        return Differing(range(a, b), gone, replaces), Differing(range(c, d), come, replaces)


class _Sides(NamedTuple):
    """All units of lines that differ; none if they differ in white space alone."""

    old: list[Unit]
    new: list[Unit]


def with_copies(
    before: Window, after: Window, places: list[Lines], names: frozenset[str]
) -> list[Lines]:
    """Add the units of which there are more or fewer than before, to places that lack news.

    If nothing is new anywhere, those are all places; and if the number of no unit changed, the
    states that components have exchanged. If something is, they are those in which
    units were replaced by units that the other snapshot has as well; what has more words than
    a state is left out then, and so is what stands often, but for the line below a name. The
    headings of the new snapshot are ``names`` of what is below them, such as a product.
    """
    if names:
        places = [_with_states(before, after, place, names) for place in places]
        exchanges = {
            _states_of(before, after, place) for place in places if place.gone and place.come
        }
        places = [_with_other_half(before, after, place, exchanges) for place in places]
    places = [_with_values(before, after, place) for place in places]
    if all(place.gone and place.come for place in places):
        return places
    sides = [_sides(before, after, place.bounds) for place in places]
    has_news = any(place.gone or place.come for place in places)
    lacking = [
        not has_news or (bool(side.old and side.new) and not (place.gone and place.come))
        for place, side in zip(places, sides, strict=True)
    ]
    if not any(lacking):
        return places
    old = Counter(_words(unit) for side in sides for unit in side.old)
    new = Counter(_words(unit) for side in sides for unit in side.new)
    fewer, more = every = old - new, new - old
    if has_news:
        windows = before, after
        fewer, more = _states(fewer, windows), _states(more, windows)
    elif not fewer and not more:
        return _exchanged(before, after, names) or places
    numbers = [number for number, lacks in enumerate(lacking) if lacks]
    for number in sorted(numbers, key=lambda each: not (sides[each].old and sides[each].new)):
        # Lines that were replaced in place come before blocks, which may have moved.
        own = _own(before, after, places[number], every)
        fewer, more = (fewer - own[0], more - own[1]) if own else (fewer, more)
        places[number] = _completed(places[number], sides[number], *(own or (fewer, more)))
    return places


def _with_states(before: Window, after: Window, place: Lines, names: frozenset[str]) -> Lines:
    """Add the states below headings that stay, though those of others are the same."""
    a, b, c, d = place.bounds
    if b - a != d - c:
        return place
    pairs = [each for each in zip(range(a, b), range(c, d), strict=True)
             if _name_above(before, after, *each, names) >= 0]  # fmt: skip
    gone = Counter(before.lines[at].strip() for at, _ in pairs)
    come = Counter(after.lines[to].strip() for _, to in pairs)
    if gone == come:
        return place
    return _completed(place, _sides(before, after, place.bounds), gone - come, come - gone)


def _with_other_half(
    before: Window, after: Window, place: Lines, exchanges: Collection[tuple[str, str]]
) -> Lines:
    """Add the states of a line if another line, in ``exchanges``, has exchanged them with it."""
    old, new = _states_of(before, after, place)
    if not old or not new or place.gone or place.come or (new, old) not in exchanges:
        return place
    return _completed(place, _sides(before, after, place.bounds), Counter([old]), Counter([new]))


def _states_of(before: Window, after: Window, place: Lines) -> tuple[str, str]:
    """Return the state of one line, old and new; empty ones of several lines."""
    a, b, c, d = place.bounds
    if not b - a == d - c == 1:
        return "", ""
    old, new = before.lines[a].strip(), after.lines[c].strip()
    return (old, new) if _is_state(old) and _is_state(new) else ("", "")


def _with_values(before: Window, after: Window, place: Lines) -> Lines:
    """Add the value of a field that is in the place of a new or gone one, if others have it, too.

    There must be more of it than before, or fewer: else it has moved.
    """
    a, b, c, d = place.bounds
    gone, come = ({unit.line for unit in units} for units in (place.gone, place.come))
    if b - a != d - c or len(gone) == len(come):
        return place
    fewer, more = Counter[str](), Counter[str]()
    for at, to in zip(range(a, b), range(c, d), strict=True):
        one, other = before.lines[at].strip(), after.lines[to].strip()
        if (at in gone) != (to in come) and _are_of_one_field(one, other):
            fewer[one] = before.line_counts[one] - after.line_counts[one]
            more[other] = after.line_counts[other] - before.line_counts[other]
    if not (+fewer and +more):
        return place
    return _completed(place, _sides(before, after, place.bounds), fewer, more)


def _are_of_one_field(one: str, other: str) -> bool:
    field = FIELD.match(one)
    return bool(field and other.startswith(field[0]) and _is_state(one) and _is_state(other))


def _name_above(before: Window, after: Window, at: int, to: int, names: frozenset[str]) -> int:
    """Return the line of the heading above two lines that are states in one card, else -1."""
    both = before.lines[at].strip(), after.lines[to].strip()
    if not all(map(_is_state, both)) or not names.isdisjoint(both):
        return -1
    for step in range(1, min(at, to, _MAX_CARD) + 1):
        line, other = before.lines[at - step].strip(), after.lines[to - step].strip()
        if step == 1 and not (line or other) and _is_alone(before, at) and _is_alone(after, to):
            continue  # a paragraph of Markdown
        if not (line and other) or line in names:
            return to - step if line == other and line in names else -1
    return -1


def _is_alone(window: Window, number: int) -> bool:
    return not "".join(window.lines[number + 1 : number + 2]).strip()


def _own(
    before: Window, after: Window, place: Lines, surplus: tuple[Counter[str], Counter[str]]
) -> tuple[Counter[str], Counter[str]] | None:
    """Return the states of a component that is named in the line above; None if it is not.

    A name stands once in each snapshot. A state that stands once in each has moved, unless the
    name begins a block.
    """
    a, b, c, d = place.bounds
    if not (a and c and b - a == d - c == 1):
        return None
    name = before.lines[a - 1].strip()
    windows = before, after
    if name != after.lines[c - 1].strip() or any(each.has_several(name) for each in windows):
        return None
    lines = before.lines[a].strip(), after.lines[c].strip()
    is_first = _begins_block(before, a - 1) and _begins_block(after, c - 1)
    gone, come = (
        Counter(
            [line]
            if _is_state(line)
            and (more[line] > 0 or is_first or all(each.has_several(line) for each in windows))
            else []
        )
        for line, more in zip(lines, surplus, strict=True)
    )
    return gone, come


def _begins_block(window: Window, number: int) -> bool:
    return not number or not window.lines[number - 1].strip()


def _exchanged(before: Window, after: Window, names: frozenset[str]) -> list[Lines]:
    """Return the lines that changed below a line that stays, if they are states; else none.

    Of two states that lines exchange one stands several times, or the line that stays begins a
    block; else the lines themselves moved. Below one of the ``names`` all short lines are states,
    unless they changed places below one and the same.
    """
    lines = list(zip(before.lines, after.lines, strict=False))
    if len(before.lines) != len(after.lines):
        return []
    numbers = [number for number, (old, new) in enumerate(lines) if old != new]
    below: defaultdict[int, list[int]] = defaultdict(list)
    for number in numbers:
        name = _name_above(before, after, number, number, names)
        if name >= 0:
            below[name].append(number)
            continue
        above, here = lines[max(0, number - 1)], lines[number]
        is_below = number and above[0] == above[1] and above[0].strip()
        are_short = all(0 < len(each.split(None, _SHORT)) <= _SHORT for each in here)
        are_states = any(before.line_counts[each.strip()] > 1 for each in here)
        are_states = are_states or _begins_block(before, number - 1)
        if not (is_below and are_short and are_states):
            return []
    if any(_have_moved(before, after, each) for each in below.values()):
        return []
    return [_line(before, after, number) for number in numbers]


def _have_moved(before: Window, after: Window, numbers: Sequence[int]) -> bool:
    """Whether lines of these numbers are the same in another order."""
    old, new = ([window.lines[number] for number in numbers] for window in (before, after))
    return sorted(old) == sorted(new)


def _line(before: Window, after: Window, number: int) -> Lines:
    bounds = (number, number + 1)
    gone, come = (list(each.units(*bounds, _NOTHING)) for each in (before, after))
    copies = (frozenset(unit.start for unit in gone), frozenset(unit.start for unit in come))
    return Lines((*bounds, *bounds), gone, come, copies)


def _completed(place: Lines, side: _Sides, fewer: Counter[str], more: Counter[str]) -> Lines:
    gone = list(_counted({unit.start for unit in place.gone}, side.old, fewer))
    come = list(_counted({unit.start for unit in place.come}, side.new, more))
    return Lines(
        place.bounds,
        sorted([*place.gone, *gone], key=lambda unit: unit.start),
        sorted([*place.come, *come], key=lambda unit: unit.start),
        (frozenset(unit.start for unit in gone), frozenset(unit.start for unit in come)),
    )


def _sides(before: Window, after: Window, bounds: Region) -> _Sides:
    a, b, c, d = bounds
    if has_same_units(before.between(a, b), after.between(c, d)):
        return _Sides([], [])
    return _Sides(list(before.units(a, b, _NOTHING)), list(after.units(c, d, _NOTHING)))


def _words(unit: Unit) -> str:
    return " ".join(unit.text.split())


def _states(surplus: Counter[str], windows: Iterable[Window]) -> Counter[str]:
    return Counter(
        {
            text: count
            for text, count in surplus.items()
            if _is_state(text) and all(each.unit_counts[text] <= _MAX_COPIES for each in windows)
        }
    )


def _is_state(text: str) -> bool:
    return text.count(" ") < _SHORT


def _counted(known: set[int], units: Iterable[Unit], surplus: Counter[str]) -> Iterator[Unit]:
    for unit in units:
        words = _words(unit)
        if unit.start not in known and surplus[words] > 0:
            surplus[words] -= 1
            yield unit
