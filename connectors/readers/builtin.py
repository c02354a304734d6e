"""The built-in readers, by content type. A new reader takes a line in this table."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from io import BytesIO

from connectors.readers.charsets import decode
from connectors.readers.csv import read_csv, read_csv_views, read_tsv, read_tsv_views
from connectors.readers.errors import Unreadable
from connectors.readers.html import read_html
from connectors.readers.html_views import read_html_views
from connectors.readers.json import read_json
from connectors.readers.json_views import read_json_views
from connectors.readers.markdown import read_markdown
from connectors.readers.page_text import PageText, RawPage
from connectors.readers.versions import reader_id
from connectors.readers.xml import read_xml
from connectors.readers.xml_views import read_xml_views
from schemas.records.views import View

Reader = Callable[[bytes, str | None], PageText]
"""Reads a document with its declared charset; may raise Unreadable."""

ReadViews = Callable[[RawPage, Sequence[View]], Sequence[PageText | Unreadable]]
"""Reads a document in several views at once; may raise Unreadable, too."""


def read_pdf(body: bytes, _: str | None) -> PageText:
    """Read the text of all pages of a PDF in their order.

    Raises Unreadable for a broken file and for a file with a password.
    """
    # 9 MB that few processes need.
    from pypdf import PdfReader  # noqa: PLC0415
    from pypdf.errors import PyPdfError  # noqa: PLC0415

    try:
        reader = PdfReader(BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("the PDF is encrypted")
        return PageText("\n".join(page.extract_text() for page in reader.pages))
    except PyPdfError as error:
        raise Unreadable(f"the PDF is broken: {error}") from error


def read_plain(body: bytes, charset: str | None) -> PageText:
    """Read a text unchanged; ``charset`` is the declared charset."""
    return PageText(decode(body, charset))


_READERS: tuple[tuple[str, str, Reader], ...] = (
    (r"text/html", "html", read_html),
    (r"(text|application)/(x-)?xml|.+\+xml", "xml", read_xml),
    (r"(text|application)/(x-)?json|.+\+json", "json", read_json),
    (r"text/(x-)?markdown", "markdown", read_markdown),
    (r"(text|application)/csv", "csv", read_csv),
    (r"text/tab-separated-values", "tsv", read_tsv),
    (r"application/(x-)?pdf", "pdf", read_pdf),
    (r"text/.+|application/(.+\+)?(x-)?(yaml|toml|javascript|ndjson)", "plain", read_plain),
)
"""Content types, the name of their reader in ``versions``, and the reader."""

_VIEW_READERS: dict[Reader | None, ReadViews] = {
    read_html: read_html_views,
    read_xml: read_xml_views,
    read_json: read_json_views,
    read_csv: read_csv_views,
    read_tsv: read_tsv_views,
}
"""The readers with a selection of parts."""


def reader(media: str) -> Reader | None:
    """Find the built-in reader of a content type (lower case, no parameters).

    Example:
        >>> reader("application/ld+json").__name__
        'read_json'
    """
    return _named_reader(media)[1]


@lru_cache
def _named_reader(media: str) -> tuple[str, Reader | None]:
    found = ((name, each) for kinds, name, each in _READERS if re.fullmatch(kinds, media))
    return next(found, ("", None))


def built_in_id(media: str) -> str:
    """Return the id of the built-in reader of a content type, empty without a reader."""
    name, _ = _named_reader(media)
    return reader_id(name) if name else ""


def views_reader(media: str) -> ReadViews | None:
    """Find the reader of parts for a content type, None without a reader."""
    return _VIEW_READERS.get(reader(media))
