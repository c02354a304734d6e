"""Documents as text: one small reader per kind of content."""

import re
from collections.abc import Callable

from connectors.readers.charsets import Unreadable
from connectors.readers.html import read_html
from connectors.readers.plain import read_plain
from schemas.answers import Reading

__all__ = ["Unreadable", "read"]

Reader = Callable[[bytes, str | None], str]

_UNTOLD = ("", "application/octet-stream", "application/unknown", "unknown/unknown")
_HTML = ("text/html", "application/xhtml+xml")
_PLAIN = re.compile(r"text/.+|application/(?:.+\+)?(?:json|xml|yaml|javascript)|.+\+(?:json|xml)")
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|!--|(?:html|head|body|title)\b)", re.IGNORECASE
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';]+)", re.IGNORECASE)


def read(body: bytes, header: str | None, chosen: str | None) -> Reading:
    """Give a document's text, in NFKC, as a person sees it.

    ``header`` is the response's Content-Type; ``chosen``, the client's, goes before it;
    without either the content decides. Raises Unreadable if there is no reader for the
    type, the content is not text, or the reader fails on it.
    """
    told = chosen if chosen is not None else header or ""
    media = _media_type(told)
    if media in _UNTOLD:
        media = "text/html" if _MARKUP.match(body) else "text/plain"
    charset = _CHARSET.search(told) or _CHARSET.search(header or "")
    reader = _reader(media)
    try:
        text = reader(body, charset[1] if charset else None)
    except Unreadable:
        raise
    except Exception as error:  # a document may trip a parser; it must not trip the worker
        raise Unreadable(f"the reader of {media} failed: {error!r}") from error
    return Reading(text, chosen if chosen is not None else media)


def _media_type(header: str) -> str:
    return header.partition(";")[0].strip().lower()


def _reader(media: str) -> Reader:
    if media in _HTML:
        return read_html
    if _PLAIN.fullmatch(media):
        return read_plain
    raise Unreadable(f"there is no reader for the content type {media[:100]!r}")
