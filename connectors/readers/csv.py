"""CSV as text: one line per row, its cells separated by tabs."""

import csv

from connectors.readers.charsets import decode
from connectors.readers.page_text import PageText

_DELIMITERS = ",;\t|"
# Python's own limit is 131,072 characters; no page that is fetched is larger than this one.
csv.field_size_limit(16 * 1024 * 1024)


def read_csv(body: bytes, charset: str | None) -> PageText:
    """Read the cells of CSV (RFC 4180), delimited by what is most frequent in its first line."""
    text = decode(body, charset)
    header = text.lstrip().partition("\n")[0]
    return _cells(text, max(_DELIMITERS, key=header.count))


def read_tsv(body: bytes, charset: str | None) -> PageText:
    """Read the cells of tab-separated values."""
    return _cells(decode(body, charset), "\t")


def _cells(text: str, delimiter: str) -> PageText:
    rows = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    lines = ("\t".join(" ".join(cell.split()) for cell in row) for row in rows if any(row))
    return PageText("\n".join(lines))
