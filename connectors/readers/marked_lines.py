"""The lines and empty lines of a document's text, by its elements."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from connectors.readers.page_text import PageText
from connectors.readers.tables import SEPARATOR, is_row
from schemas.records.answers import Heading

MAX_LABELS = 2
"""The most lines before the heading of an article or item to include."""
MAX_RECORD = 10_000
"""Characters on a line of a row whose cells have their headers."""
_TERM_CELLS = 2
MAX_STACKED = 400
"""The same for a row with several lines in a cell, and for a heading with several lines."""


ScopeKind = Literal["section", "card", "aside"]


@dataclass(slots=True)
class _Row:
    """An open row: its first line, and the first line of each cell."""

    first: int
    cells: list[int] = field(default_factory=list)
    is_layout: bool = False
    is_record: bool = False
    is_term: bool = False
    """Of a list of terms: a line for a single short description."""


class MarkedLines:
    """The lines so far, and the open elements."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._gaps: set[int] = set()
        """The lines after an empty line."""
        self._newest_gap = 0
        self._headings: list[tuple[int, int]] = []
        """The headings, with their levels."""
        self._open_headings: list[tuple[int, int]] = []
        self._lasting: list[int] = []
        """The headings, by number, still in force."""
        self._ends: dict[int, int] = {}
        """The lines up to which other headings, by number, count."""
        self._scopes: list[tuple[int, ScopeKind]] = []
        """The first line of each open scope, and its kind."""
        self._cards: list[tuple[int, int]] = []
        """The first line of each open article and item, and ``_inner`` at its begin."""
        self._articles = 0
        self._inner = 0
        """The number of lines of inner items, or after a line break."""
        self._broken_at = 0
        """The number of lines at the last line break."""
        self._rows: list[_Row] = []
        self._pres = 0

    def page(self) -> PageText:
        """Return the text, and where its headings are."""
        lines = self.lines
        self._gaps.discard(0)
        for at in self._gaps:
            if at < len(lines):
                lines[at] = "\n" + lines[at]
        headings = tuple(self._located()) if self._headings else ()
        return PageText("\n".join(lines), headings=headings)

    def _located(self) -> Iterator[Heading]:
        starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        for number, (at, level) in enumerate(self._headings):
            end = self._ends.get(number)
            if end is not None:
                end = starts[end] + (end in self._gaps) if end < len(self.lines) else starts[-1] - 1
            yield Heading(starts[at] + (at in self._gaps), level, end)

    def add_text(self, piece: str) -> None:
        """Add the text between two marks."""
        if "\n" not in piece:
            self.lines.append(piece.strip())
        elif self._pres <= 0:
            self.lines.append(" ".join(piece.split()))
        else:
            for line in piece.strip().split("\n"):
                if text := line.strip():
                    self.lines.append(text)
                else:
                    self.add_gap()

    def add_gap(self) -> None:
        """Put an empty line before the next line."""
        self._newest_gap = len(self.lines)
        self._gaps.add(self._newest_gap)

    def add_section(self) -> None:
        """Begin or end a section; those of an article are no blocks of their own."""
        if self._articles <= 0:
            self.add_gap()

    def enter_article(self) -> None:
        """Begin an article."""
        self.add_gap()
        self._articles += 1
        self._cards.append((len(self.lines), self._inner))

    def leave_article(self) -> None:
        """End an article."""
        self.add_gap()
        self._articles -= 1
        if self._cards:
            self._end_headings(self._cards.pop()[0])

    def enter_scope(self, kind: ScopeKind = "section") -> None:
        """Begin a scope, whose headings end with the scope."""
        self._scopes.append((len(self.lines), kind))

    def leave_scope(self) -> None:
        """End a scope; its last headings without text belong to the text after the scope.

        Those of an aside never are.
        """
        if self._scopes:
            first, kind = self._scopes.pop()
            self._end_headings(first, is_sure=kind == "aside")

    def _end_headings(self, first: int, *, is_sure: bool = True) -> None:
        """End the headings from a line on; if not sure, only headings with lines below."""
        if not self._lasting or self._line_of(self._lasting[-1]) < first:
            return
        lines = len(self.lines)
        first_inside = bisect_left(self._lasting, first, key=self._line_of)
        inside = self._lasting[first_inside:]
        del self._lasting[first_inside:]
        if inside and not is_sure and self._line_of(inside[-1]) + 1 >= lines:
            self._lasting.append(inside.pop())
        self._ends.update(dict.fromkeys(inside, lines))

    def enter_heading(self, level: int) -> None:
        """Begin a heading; its label in the article or item stays with the heading."""
        card = self._cards[-1][0] if self._cards else 0
        is_labelled = self._cards and len(self.lines) - card <= MAX_LABELS
        if is_labelled:
            self._gaps.add(card)
        else:
            self.add_gap()
        if self._rows and self._rows[-1].first < len(self.lines):
            self._rows[-1].is_layout = True
        self._open_headings.append((len(self.lines), level))

    def leave_heading(self) -> None:
        """End a heading on one line, unless the heading is very long."""
        if self._open_headings:
            at, level = self._open_headings.pop()
            if at < len(self.lines):
                self._lasting.append(len(self._headings))
                self._headings.append((at, level))
                line = " ".join(self.lines[at:]) if self._newest_gap <= at else None
                if line is not None and len(line) <= MAX_STACKED:
                    self.lines[at:] = [line]

    def break_line(self) -> None:
        """Begin a line in the same block."""
        if self._broken_at < len(self.lines):
            self._broken_at = len(self.lines)
            self._inner += 1

    def enter_item(self) -> None:
        """Begin an item of a list."""
        self._cards.append((len(self.lines), self._inner))

    def leave_item(self) -> None:
        """End an item, set apart if the item has several blocks."""
        if self._cards:
            first, inner = self._cards.pop()
            lines = len(self.lines) - first
            if lines - (self._inner - inner) > 1:
                self._gaps.add(first)
                self.add_gap()
            self._inner = inner + lines
            self._end_headings(first)

    def leave_list(self) -> None:
        """End a list or table, set apart except in an article, item or card."""
        if not (self._cards or self._rows or any(kind == "card" for _, kind in self._scopes)):
            self.add_gap()

    def enter_row(self) -> None:
        """Begin the row of a table."""
        if self._rows:
            self._rows[-1].is_layout = True
        self._rows.append(_Row(len(self.lines)))

    def enter_term(self) -> None:
        """Begin a term, which ends the term before with its description."""
        self.leave_terms()
        self.enter_row()
        self._rows[-1].is_term = True

    def leave_terms(self) -> None:
        """End the last term of a list."""
        if self._rows and self._rows[-1].is_term:
            self._rows[-1].is_layout |= len(self._rows[-1].cells) != _TERM_CELLS
            self.leave_row()

    def enter_cell(self) -> None:
        """Begin a cell."""
        if self._rows:
            self._rows[-1].cells.append(len(self.lines))

    def enter_record(self) -> None:
        """Note headers for the cells of the open row."""
        if self._rows:
            self._rows[-1].is_record = True

    def leave_row(self) -> None:
        """End a row, on one line unless the row only lays out the page."""
        if self._rows:
            row = self._rows.pop()
            if row.is_record:
                self._join_record(row)
            elif not row.is_layout and self._newest_gap <= row.first:
                self.lines[row.first :] = self._joined(row)
            self._end_headings_in(row)

    def _end_headings_in(self, row: _Row) -> None:
        """End each heading of a row with its cell, or with the row, if lines follow there."""
        lines, last = len(self.lines), len(self._headings) - 1
        if last in self._ends:  # the row may have become one line
            self._ends[last] = min(self._ends[last], lines)
        open_before = bisect_left(self._lasting, row.first, key=self._line_of)
        inside = self._lasting[open_before:]
        del self._lasting[open_before:]
        for number in inside:
            below = self._line_of(number) + 1
            later = bisect_right(row.cells, below - 1)
            end = row.cells[later] if later < len(row.cells) else lines
            if below < lines:
                self._ends[number] = end if below < end else lines
            else:
                self._lasting.append(number)

    def _line_of(self, number: int) -> int:
        return self._headings[number][0]

    def _join_record(self, row: _Row) -> None:
        """Make a block of a line of a row with headers."""
        cells = [" ".join(self.lines[start:end]) for start, end in self._cells(row)]
        line = SEPARATOR.join(filter(None, cells))
        if not row.is_layout and len(line) <= MAX_RECORD:
            self._gaps.difference_update(range(row.first + 1, len(self.lines) + 1))
            self.lines[row.first :] = [line] if line else []
        self._gaps.add(row.first)
        self.add_gap()

    def _cells(self, row: _Row) -> Iterator[tuple[int, int]]:
        """Return where the lines of each cell of a row begin and end."""
        return zip(row.cells, (*row.cells[1:], len(self.lines)), strict=False)

    def _joined(self, row: _Row) -> list[str]:
        """Join the lines of a row with several cells of text, unless too long."""
        lines = self.lines
        cells = [
            lines[start] if end - start == 1 else " ".join(lines[start:end])
            for start, end in self._cells(row)
        ]
        filled = len(cells) - cells.count("")
        line = "\t".join(cells).strip()
        is_stacked = filled != len(lines) - row.first
        is_short = len(line) <= MAX_STACKED if is_stacked else is_row(line, cells)
        return [line] if filled > 1 and is_short else lines[row.first :]

    def enter_pre(self) -> None:
        """Begin text in which line feeds are seen."""
        self._pres += 1

    def leave_pre(self) -> None:
        """End such text."""
        self._pres -= 1
