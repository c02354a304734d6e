"""Addresses from strangers, as they may be shown."""

import re

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
