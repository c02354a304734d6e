"""A change in its context, row by row, for who reads both sides next to each other."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from schemas.display.runs import Line

RowKind = Literal["same", "removed", "added", "edited", "moved", "gap"]
"""What happened to a row; a gap stands for context that is left out."""


class Row(NamedTuple):
    """A sentence as it was and as it is; a side is empty if it has nothing there.

    ``inline`` is what is shown where both sides are one text: no, one or two lines. ``remark``
    says that the edit is noise.
    """

    kind: RowKind
    before: Line = ()
    after: Line = ()
    inline: tuple[Line, ...] = ()
    remark: str = ""


def with_gaps(rows: Iterable[Row], around: int) -> Iterator[Row]:
    """Yield the rows that changed, and of the others so many next to those, with gaps between.

    >>> rows = [Row("added"), Row("same"), Row("same"), Row("same"), Row("removed")]
    >>> [row.kind for row in with_gaps(rows, 1)]
    ['added', 'same', 'gap', 'same', 'removed']
    """
    blocks = [(is_same, list(found)) for is_same, found in groupby(rows, _is_same)]
    for at, (is_same, found) in enumerate(blocks):
        if not is_same:
            yield from found
            continue
        first, last = around if at else 0, around if at < len(blocks) - 1 else 0
        yield from _cut(found, first, last)


def _is_same(row: Row) -> bool:
    return row.kind == "same"


def _cut(rows: Sequence[Row], first: int, last: int) -> Iterator[Row]:
    if len(rows) <= first + last:
        yield from rows
        return
    yield from rows[:first]
    if first and last:
        yield Row("gap")
    yield from rows[len(rows) - last :]
