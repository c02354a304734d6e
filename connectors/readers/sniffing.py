"""The content type of a document of which none was told."""

import re

_SIGNS = (
    # A header of PDF may stand anywhere in the first 1,024 bytes, as readers have it.
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
    """Give the likely content type: PDF, HTML, XML, JSON, else plain text."""
    content = body.removeprefix(_UTF8_MARK)
    return next((kind for kind, sign in _SIGNS if sign.match(content)), "text/plain")
