"""Pages that send browsers on after a moment: by ``Refresh``, or by a ``meta`` element."""

import re
from html import unescape
from urllib.parse import urljoin

from connectors.readers.prescan import tags

MAX_REFRESH_S = 5
"""Seconds within which a page that sends browsers on is a redirect; later it is a page."""
_BEGINNING, _SMALL = 32_768, 4_096
"""Bytes in which a page may say so: in its head, or at the beginning of a page of any form."""
_REFRESH = re.compile(
    r"\s*(?:(\d{1,9})|(?=\.))[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?:'([^']*)|\"([^\"]*)|(.*))",
    re.IGNORECASE | re.DOTALL,
)
_WORDS = (b"efresh", b"EFRESH")
_HTML = ("", "text/html", "application/xhtml+xml")
_RAW = frozenset((b"script", b"style", b"noscript", b"template", b"textarea", b"title", b"iframe"))
"""Elements in which no element counts: a browser with scripts shows no ``noscript``."""


def refresh_target(header: str | None, content_type: str | None, body: bytes) -> str | None:
    """Return the address to which a page leads within MAX_REFRESH_S, None if it does not.

    ``header`` is the response's Refresh.

    >>> refresh_target(None, "text/html", b"<meta http-equiv=refresh content='0; url=/new'>")
    '/new'
    """
    if header:
        return _target(header)
    media = (content_type or "").partition(";")[0].strip().lower()
    if media not in _HTML:
        return None
    head = body.find(b"</head>", 0, _BEGINNING)
    beginning = body[: _BEGINNING if head < 0 else max(head, _SMALL)]
    if not any(word in beginning for word in _WORDS):
        return None
    base = ""
    for name, attributes in tags(beginning, _RAW):
        if name == b"base" and not base:
            base = _written(attributes.get(b"href", b""))
        if name == b"meta" and attributes.get(b"http-equiv", b"").lower() == b"refresh":
            return _joined(base, _target(_written(attributes.get(b"content", b""))))
    return None


def _joined(base: str, target: str | None) -> str | None:
    """Return the address by the base address of its page, None if there is none."""
    try:
        return target and urljoin(base, target)
    except ValueError:  # such as a bracket in its host
        return None


def _written(value: bytes) -> str:
    return unescape(value.decode("utf-8", "surrogateescape"))


def _target(refresh: str) -> str | None:
    """Parse the value of a refresh (HTML, "shared declarative refresh steps")."""
    found = _REFRESH.match(refresh)
    if found is None or int(found[1] or 0) > MAX_REFRESH_S:
        return None
    return (found[2] or found[3] or found[4] or "").strip() or None
