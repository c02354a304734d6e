"""Filters of the templates: addresses from strangers, and the frame with a copy of a page."""

import re
from html import escape

POLICY = "default-src 'none'; style-src 'self'"
"""The frame with a copy has the policy of the page around it, and this one, too."""
_WEB = re.compile(r"https?://[^\s\x00-\x1f\x7f]+", re.IGNORECASE)
_PART = re.compile(r"[?&][^/?&]*/?|[^/?&]+/?|/")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)


def web_link(url: str) -> str | None:
    """Return an address that may become a link, None for any but http and https.

    >>> web_link("https://example.org/"), web_link("javascript:alert(1)")
    ('https://example.org/', None)
    """
    return url if _WEB.fullmatch(url) else None


def url_parts(url: str) -> list[str]:
    """Return an address in parts between which a line may break, without what nobody reads.

    >>> url_parts("https://example.org/giants?a=b")
    ['example.org/', 'giants', '?a=b']
    """
    return _PART.findall(_SCHEME.sub("", url).removesuffix("/"))


def framed(copy: str, *, language: str, style: str) -> str:
    """Return the document of a frame with a page's copy, which is safe HTML.

    >>> framed("<p>Zeus</p>", language="en", style="/copy.css").count("<p>")
    1
    """
    return (
        f'<!doctype html><html lang="{escape(language)}"><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="color-scheme" content="light dark"><title>Copy</title>'
        f'<link rel="stylesheet" href="{escape(style)}"><body>{copy}</body></html>'
    )
