"""CSV as text: a line per row, its cells separated by tabs."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from connectors.readers.charsets import decode
from connectors.readers.each_view import page_in_each
from connectors.readers.errors import Unreadable, unfit_view, wrong_language
from connectors.readers.page_text import PageText, RawPage
from connectors.readers.tables import SEPARATOR, Cell, labelled_rows
from schemas.records.views import View

_DELIMITERS = ",;\t|"
# Python's own limit is 131,072 characters; no page that is fetched is larger than this one.
csv.field_size_limit(16 * 1024 * 1024)


def read_csv(body: bytes, charset: str | None) -> PageText:
    """Read the cells of CSV (RFC 4180), delimited by the most frequent sign in the first line."""
    text = decode(body, charset)
    return _cells(text, _delimiter(text))


def read_tsv(body: bytes, charset: str | None) -> PageText:
    """Read the cells of tab-separated values."""
    return _cells(decode(body, charset), "\t")


def read_csv_views(page: RawPage, views: Sequence[View]) -> list[PageText | Unreadable]:
    """Read CSV in each view: all cells, or a block for each row, with headers."""
    text = decode(page.body, page.charset)
    return page_in_each(views, partial(_page_in_view, text, _delimiter(text)))


def read_tsv_views(page: RawPage, views: Sequence[View]) -> list[PageText | Unreadable]:
    """Read tab-separated values in the same way."""
    text = decode(page.body, page.charset)
    return page_in_each(views, partial(_page_in_view, text, "\t"))


def _page_in_view(text: str, delimiter: str, view: View) -> PageText:
    if view.select or view.exclude:
        raise wrong_language((*view.select, *view.exclude)[0], "CSV")
    if (unfit := unfit_view(replace(view, rows=False), "CSV")) is not None:
        raise unfit
    if view.rows:
        return PageText("\n\n".join(_records(text, delimiter)))
    return _cells(text, delimiter)


def _records(text: str, delimiter: str) -> Iterator[str]:
    """Yield the first row, and each other row with the cells of the first as headers."""
    rows = list(_rows(text, delimiter))
    yield from map("\t".join, rows[:1])
    cells = ([Cell(None, each, is_header=not at) for each in row] for at, row in enumerate(rows))
    for labelled in labelled_rows(cells):
        if line := SEPARATOR.join(each.text for each in labelled or () if each.cell.text):
            yield line


def _delimiter(text: str) -> str:
    header = text.lstrip().partition("\n")[0]
    return max(_DELIMITERS, key=header.count)


def _cells(text: str, delimiter: str) -> PageText:
    return PageText("\n".join(map("\t".join, _rows(text, delimiter))))


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    for row in csv.reader(text.splitlines(keepends=True), delimiter=delimiter):
        if any(row):
            yield [" ".join(cell.split()) for cell in row]
