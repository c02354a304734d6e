"""A change in its context, row by row, for who reads both sides next to each other."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from connectors.display.runs import Line


class Row(NamedTuple):
    """A sentence before and after; a side is empty if there is nothing.

    ``kind`` is ``same``, a kind of change, or ``gap``: omitted context. ``inline`` is the display
    with both sides in a text: no, one or two lines. ``remark`` names noise, or an entry pushed off
    its list; ``headings`` are the headings above an edit.
    """

    kind: str
    before: Line = ()
    after: Line = ()
    inline: tuple[Line, ...] = ()
    remark: str = ""
    headings: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether the row is more than context."""
        return self.kind not in ("same", "gap")


class Section(NamedTuple):
    """Rows below the same headings."""

    headings: tuple[str, ...]
    rows: tuple[Row, ...]


def with_gaps(rows: Sequence[Row], around: int) -> Iterator[Row]:
    """Yield the changed rows, and of the others some next to those, with gaps between.

    >>> rows = [Row("added"), Row("same"), Row("same"), Row("same"), Row("removed")]
    >>> [row.kind for row in with_gaps(rows, 1)]
    ['added', 'same', 'gap', 'same', 'removed']
    """
    kept = {at for at, near in enumerate(_near(rows, around)) if near}
    kept |= {len(rows) - 1 - at for at, near in enumerate(_near(rows[::-1], around)) if near}
    last = min(kept, default=0)
    for at in sorted(kept):
        if at > last + 1:
            yield Row("gap")
        yield rows[at]
        last = at


def _near(rows: Iterable[Row], around: int) -> Iterator[bool]:
    left = 0
    for row in rows:
        left = around + 1 if row.is_change else 0 if row.kind == "gap" else left - 1
        yield left > 0


def sections(rows: Iterable[Row]) -> list[Section]:
    """Return rows in parts: a new part begins after a gap, if its edits have other headings.

    >>> gap, one, two = Row("gap"), Row("added", headings=("One",)), Row("added", headings=("Two",))
    >>> [(each.headings, len(each.rows)) for each in sections([one, gap, one, gap, two])]
    [(('One',), 3), (('Two',), 1)]
    """
    found: list[Section] = []
    for is_gap, each in groupby(rows, lambda row: row.kind == "gap"):
        if is_gap:
            continue
        part = tuple(each)
        above = next((row.headings for row in part if row.is_change), ())
        if found and found[-1].headings == above:
            found[-1] = Section(above, (*found[-1].rows, Row("gap"), *part))
        else:
            found.append(Section(above, part))
    return found
