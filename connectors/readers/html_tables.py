"""Tables of HTML as rows with the header of its column before each cell."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from connectors.readers.html import remove_hidden
from connectors.readers.marks import CELL, RECORD
from connectors.readers.parts import without_labels
from connectors.readers.tables import MAX_SPAN, Cell, Labelled, labelled_rows

MAX_COPIED = 1_000_000
"""The most characters added in a page to the rows below by cells across rows."""
_CELLS = ("td", "th")


def spread_headers(root: LexborNode) -> None:
    """Put headers before the cells of tables, and repeat cells across rows; changes the page."""
    remove_hidden(root)
    left = MAX_COPIED
    for table in root.css("table:not(:has(table))"):  # one with another only lays out the page
        rows = list(_rows(table))
        cells = ([_cell(node) for node in _children(row, *_CELLS)] for row in rows)
        for row, labelled in zip(rows, labelled_rows(cells), strict=True):
            if labelled is not None:
                left = _spread(row, labelled, left)


def _spread(row: LexborNode, labelled: list[Labelled[LexborNode]], left: int) -> int:
    """Add headers and repeated cells to a row, and return how much may still be copied."""
    copied = ""
    for each in labelled:
        node = each.cell.source
        if each.is_own:
            if copied:
                node.insert_before(copied)
            copied = ""
            if each.label and each.cell.text and node.first_child is not None:
                node.first_child.insert_before(f"{each.label}: ")
        elif each.cell.text and len(each.text) <= left:
            left -= len(each.text)
            copied += CELL + each.text
    if copied:
        row.insert_child(copied)
    if row.first_child is not None:
        row.first_child.insert_before(RECORD)
    return left


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for part in _children(table, "thead", "tbody", "tfoot", "tr"):
        if part.tag == "tr":
            yield part
        else:
            yield from _children(part, "tr")


def _children(node: LexborNode, *tags: str) -> Iterator[LexborNode]:
    return (each for each in node.iter() if each.tag in tags)


def _cell(node: LexborNode) -> Cell[LexborNode]:
    given = node.attributes
    part = node.parent.parent if node.parent is not None else None
    is_in_head = part is not None and part.tag == "thead"
    return Cell(
        node,
        " ".join(without_labels(node.text(separator=" ")).split()),
        is_header=node.tag == "th" or is_in_head,
        width=_span(given.get("colspan")),
        height=_span(given.get("rowspan")),
    )


def _span(value: str | None) -> int:
    text = (value or "").strip()
    return max(1, min(MAX_SPAN, int(text[:5]))) if text.isdecimal() else 1
