"""Items of two snapshots: what belongs to a new one, and which one replaced another.

"Medical aid" stands in each second entry of a list, and "This incident has been resolved." in
all of them; yet they have come with a new entry, or gone with one. Two outages have a date, a
number and a cause each; that those are alike makes no outage the other one edited.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from streams.diff.blocks import Blocks
from streams.diff.pairing import Pair
from streams.text.cards import RECORD_NAME
from streams.text.units import FIELD, Unit, cut_lines

# How often a line stands in both snapshots that comes with any item.
_RECURRING = 2
# Words that a label has less of, and lines of labels between two new lines.
_SHORT = 5
_MAX_BETWEEN = 3

_Block = tuple[int, int]


class Items:
    """The items of one snapshot: blocks of lines, with no empty line between them."""

    def __init__(
        self,
        blocks: Blocks,
        there: Blocks,
        found: Sequence[Unit],
        new: Iterable[Unit],
        copies: frozenset[int],
    ) -> None:
        """``found`` are the units that came or went; of them ``new`` are no edit of another.

        ``there``, the other snapshot, has none of them but those that start at ``copies``.
        """
        self._blocks = blocks
        self._here = blocks.window
        self._there = there
        self._found = {unit.start for unit in found}
        self._copies = copies
        self._new = {unit.line for unit in new if unit.start not in copies}
        self._taken: set[int] = set()
        self._completed: set[int] = set()

    def complete(
        self, units: Sequence[Unit], bounds: tuple[int, int], others: tuple[int, int]
    ) -> list[Unit]:
        """Return new units with what belongs to them.

        ``bounds`` are lines around them, which stand where ``others`` do in the other snapshot.
        """
        found = list(units)
        if any(unit.start not in self._copies for unit in units):
            found += self._known(self._recurring(bounds, others))
        for unit in units:
            if unit.start in self._copies:
                continue
            block = self._blocks.around(unit.line)
            if block[0] == block[1] or not self._blocks.is_new(block):
                found += self._known(self._labels(unit.line, bounds))
            elif block[0] not in self._completed:
                self._completed.add(block[0])
                found += self._known(range(*block))
        return sorted(found, key=lambda unit: unit.start)

    @cached_property
    def _more(self) -> Counter[str]:
        """The count of each line beyond that in the other snapshot."""
        return self._here.line_counts - self._there.window.line_counts

    def _recurring(self, bounds: tuple[int, int], others: tuple[int, int]) -> Iterator[int]:
        """Yield lines that both snapshots have several times, if there are more of them now.

        There must be more here, among ``bounds``, and in the whole snapshot.
        """
        if self._blocks.fresh.issuperset(range(*bounds)):
            return
        left = Counter(map(str.strip, self._there.window.lines[slice(*others)]))
        for number in range(*bounds):
            line = self._here.lines[number].strip()
            if left[line] > 0:
                left[line] -= 1
            elif line and number not in self._blocks.fresh and self._more[line] > 0:
                counts = (each.all_line_counts[line] for each in (self._here, self._there.window))
                if min(counts) >= _RECURRING:
                    self._more[line] -= 1
                    yield number

    def _labels(self, line: int, bounds: tuple[int, int]) -> Iterator[int]:
        """Yield the short lines next to a new one, and all of a few between it and another."""
        for step in (-1, 1):
            between: list[int] = []
            number = line + step
            while len(between) <= _MAX_BETWEEN and self._is_label(number):
                between.append(number)
                number += step
            is_between = len(between) <= _MAX_BETWEEN and number in self._new
            for each in between if is_between else between[:1]:
                if is_between or bounds[0] <= each < bounds[1]:
                    yield each

    def _is_label(self, number: int) -> bool:
        if not 0 <= number < len(self._here.lines) or number in self._blocks.fresh:
            return False
        line = self._here.lines[number]
        return bool(line.strip()) and len(line.split(None, _SHORT)) < _SHORT

    def _known(self, numbers: Iterable[int]) -> Iterator[Unit]:
        """Yield the units of lines that the other snapshot has as well, each once; no rows."""
        lines = {number: self._here.lines[number] for number in numbers}
        if not lines:
            return
        counts = Counter(map(str.strip, lines.values()))
        for number, line in lines.items():
            if number not in self._taken and "\t" not in line:
                self._taken.add(number)
                for unit in cut_lines([(number, self._here.starts[number], line)]):
                    count = counts[line.strip()]
                    if unit.start not in self._found and not self._has_moved(unit, count):
                        yield unit

    def _has_moved(self, unit: Unit, count: int) -> bool:
        """Whether a unit stands in both snapshots as often as its item: then it is the same one.

        ``count`` is how often its line is among those that it came or went with. A field of a new
        record is another one if it stood in a record that is gone.
        """
        line = self._here.lines[unit.line].strip()
        most = max(count, self._blocks.copies(self._blocks.around(unit.line)))
        if len(line) == len(unit.text):
            return self._blocks.is_only(line, most) and not self._there.has_new_field(line)
        here, there = (each.unit_counts for each in (self._here, self._there.window))
        return here[unit.text] == there[unit.text] <= most


def of_same_items(
    pairs: Iterable[Pair], old: Blocks, new: Blocks, names: frozenset[str]
) -> list[Pair]:
    """Leave out the pairs of which one sentence is of a gone item and the other of a new one.

    A gone and a new block are one item if half of the lines in which they differ are paired with
    each other, by the weights of the pairs; if they begin with one of the ``names``, which
    stands once in both snapshots, or with a field that names them, and no other has their fields.
    """
    kept: list[Pair] = []
    between: defaultdict[tuple[_Block, _Block], list[Pair]] = defaultdict(list)
    for pair in pairs:
        blocks = old.around(pair.gone.line), new.around(pair.come.line)
        if pair.is_same or all(start + 1 >= end for start, end in blocks):
            kept.append(pair)
        else:
            between[blocks].append(pair)
    for (gone, come), several in between.items():
        if (
            not (old.is_new(gone) and new.is_new(come))
            or _is_one(several, old, gone, new, come)
            or _have_one_name(several, old, gone, new, come, names)
        ):
            kept += several
    return kept


def _have_one_name(
    pairs: Iterable[Pair],
    old: Blocks,
    gone: _Block,
    new: Blocks,
    come: _Block,
    names: frozenset[str],
) -> bool:
    name = _name(old, gone)
    if not name or name != _name(new, come):
        return False
    texts = old.window.text, new.window.text
    is_record = RECORD_NAME.match(name) and all(_is_of_only_field(pair, *texts) for pair in pairs)
    return name in names or bool(is_record)


def _is_one(pairs: list[Pair], old: Blocks, gone: _Block, new: Blocks, come: _Block) -> bool:
    paired = sum({pair.gone.line: pair.weight for pair in pairs}.values())
    others = sum({pair.come.line: pair.weight for pair in pairs}.values())
    before, after = _lines(old, gone), _lines(new, come)
    return paired >= len(before - after) and others >= len(after - before)


def _is_of_only_field(pair: Pair, *texts: str) -> bool:
    field = FIELD.match(pair.gone.text)
    return bool(
        field
        and pair.come.text.startswith(field[0])
        and all(text.count(field[0]) == 1 for text in texts)
    )


def _name(blocks: Blocks, block: _Block) -> str:
    """Return the line that a block begins with, empty if it stands elsewhere as well."""
    line = blocks.window.lines[block[0]].strip()
    return line if blocks.window.line_counts[line] == 1 else ""


def _lines(blocks: Blocks, block: _Block) -> set[str]:
    return {line for each in blocks.window.lines[slice(*block)] if (line := each.strip())}
