"""Guess the content type of a document that does not declare one."""

import re

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
_UTF8_MARK = b"\xef\xbb\xbf"


def sniffed_type(body: bytes) -> str:
    """Guess the content type: PDF, HTML, XML, JSON, otherwise plain text.

    Example:
        >>> sniffed_type(b"<!doctype html><p>Zeus")
        'text/html'
    """
    content = body.removeprefix(_UTF8_MARK)
    return next((kind for kind, sign in _SIGNS if sign.match(content)), "text/plain")
