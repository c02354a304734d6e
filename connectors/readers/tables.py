"""The cells of a table with the headers of their columns.

Cells across columns or rows are placed as in https://html.spec.whatwg.org/#table-processing-model.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

MAX_SPAN = 1_000
"""The most columns or rows of a cell."""
MAX_LABEL = 100
"""Characters of the header of a column."""
SEPARATOR = " · "
MAX_ROW = 2_000
"""Characters of a row on a line, except one cell of several, such as the outline of a country."""
_SEVERAL = 3


@dataclass(frozen=True, slots=True)
class Cell(Generic[T]):
    """A cell, or a header, by the reader's id."""

    source: T
    text: str
    is_header: bool = False
    width: int = 1
    height: int = 1


@dataclass(frozen=True, slots=True)
class Labelled(Generic[T]):
    """A cell of a row with the header of its column; ``is_own`` unless from a row above."""

    cell: Cell[T]
    label: str
    is_own: bool = True

    @property
    def text(self) -> str:
        """The text with its header."""
        return f"{self.label}: {self.cell.text}" if self.label else self.cell.text


def is_row(line: str, cells: Sequence[str]) -> bool:
    """Return whether cells on a line are the row of a table, and no columns of a page.

    >>> cells = ["AT", "Austria", "x" * 9_000]
    >>> is_row(" ".join(cells), cells), is_row("x" * 9_000, ["x" * 4_000, "x" * 5_000])
    (True, False)
    """
    if len(line) <= MAX_ROW:
        return True
    others = len(line) - max(map(len, cells))
    return others <= MAX_ROW and len(cells) - cells.count("") >= _SEVERAL


Placed = list[tuple[int, Cell[T], bool]]
"""The cells of a row by their first columns, and whether each is the row's own."""


def labelled_rows(rows: Iterable[Sequence[Cell[T]]]) -> Iterator[list[Labelled[T]] | None]:
    """Yield the cells of each row with their headers; None for a row of headers, or before any.

    Rows of headers hold headers alone; of several such rows in sequence, all count.

    >>> head = [Cell(0, "Name", is_header=True), Cell(0, "Price", is_header=True)]
    >>> [[each.text for each in row or ()] for row in labelled_rows([head, [Cell(0, "A")]])]
    [[], ['Name: A']]
    """
    labels: dict[int, str] = {}
    was_header = False
    for placed in _placed(rows):
        is_header = bool(placed) and all(cell.is_header for _, cell, _ in placed)
        if is_header:
            if not was_header:
                labels.clear()
            _add_labels(labels, placed)
        was_header = is_header
        yield None if is_header or not labels else _labelled(placed, labels)


def _placed(rows: Iterable[Sequence[Cell[T]]]) -> Iterator[Placed[T]]:
    """Yield the cells of each row, with the cells reaching down from rows above."""
    above: dict[int, tuple[Cell[T], int]] = {}
    for row in rows:
        placed = [(column, cell, False) for column, (cell, _) in above.items()]
        taken = {at for column, cell, _ in placed for at in range(column, column + cell.width)}
        column = 0
        for cell in row:
            while column in taken:
                column += 1
            placed.append((column, cell, True))
            column += cell.width
        spanned = [(at, cell, cell.height) for at, cell, is_own in placed if is_own]
        spanned += [(at, cell, left) for at, (cell, left) in above.items()]
        above = {at: (cell, left - 1) for at, cell, left in spanned if left > 1}
        yield sorted(placed, key=lambda each: each[0])


def _add_labels(labels: dict[int, str], placed: Placed[T]) -> None:
    for column, cell, is_own in placed:
        for at in range(column, column + cell.width) if is_own else ():
            labels[at] = f"{labels.get(at, '')} {cell.text}".strip()[:MAX_LABEL]


def _labelled(placed: Placed[T], labels: dict[int, str]) -> list[Labelled[T]]:
    """Return cells with their headers; a cell across the whole row has none."""
    found = []
    for column, cell, is_own in placed:
        own = [labels.get(at, "") for at in range(column, column + cell.width)]
        label = "" if len(placed) == 1 and cell.width > 1 else " / ".join(filter(None, own))
        found.append(Labelled(cell, label[:MAX_LABEL], is_own))
    return found
