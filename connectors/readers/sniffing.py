"""The content type of a document: the declared type, unless its content shows another."""

import re

from connectors.readers.xml_repair import MAX_LEAD, is_feed

_SIGNS = (
    # PDF viewers accept the header anywhere in the first 1,024 bytes.
    ("application/pdf", re.compile(rb".{,1019}%PDF-", re.DOTALL)),
    (
        "text/html",
        re.compile(rb"(?i)\s*<(?:!doctype\s+html|!--|(?:html|head|body|title)\b)"),
    ),
    ("application/xml", re.compile(rb"\s*<(?:\?xml|rss|feed|rdf:RDF|svg)\b")),
    ("application/json", re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*\{)")),
)
_UNSPECIFIC = (
    "application/octet-stream", "binary/octet-stream", "application/force-download",
    "application/x-download", "application/unknown", "unknown/unknown", "*/*",
)  # fmt: skip
_VALID = re.compile(r"[\w!#$&^*.+-]+/[\w!#$&^*.+-]+")
_MISUSED = re.compile(
    r"text/(?!xml$)[^+]+|application/(?:json|(?:x-)?javascript|rss|atom|rdf|x-rss|x-atom)"
)
"""Types declared by servers for feeds, too."""
_JSON = re.compile(rb"\s*[{\[]")
_UTF8_MARK = b"\xef\xbb\xbf"


def sniffed_type(body: bytes) -> str:
    """Guess the content type: PDF, HTML, XML, JSON, otherwise plain text.

    Example:
        >>> sniffed_type(b"<!doctype html><p>Zeus")
        'text/html'
    """
    content = body.removeprefix(_UTF8_MARK)
    return next((kind for kind, sign in _SIGNS if sign.match(content)), "text/plain")


def declared_type(header: str, body: bytes) -> str:
    """Return the declared content type of a header, or the type by the content without one."""
    media = header.partition(";")[0].strip().lower()
    is_known = _VALID.fullmatch(media) and media not in _UNSPECIFIC
    return media if is_known else sniffed_type(body)


def actual_type(header: str, body: bytes) -> str:
    """Return the declared type, but a feed's type for a feed declared as a page or a text.

    >>> actual_type("text/html; charset=utf-8", b"<rss version='2.0'><channel/></rss>")
    'application/xml'
    """
    media = declared_type(header, body)
    # The names of elements are ASCII, and so are nearly all charsets as far as that.
    beginning = body.removeprefix(_UTF8_MARK)[:MAX_LEAD].decode("latin-1")
    is_misused = _MISUSED.fullmatch(media) and is_feed(beginning)
    return "application/xml" if is_misused else media


def may_be_json(body: bytes) -> bool:
    """Return whether a document begins as an object or an array does."""
    return _JSON.match(body.removeprefix(_UTF8_MARK)) is not None
