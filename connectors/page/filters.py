"""What a list is filtered by, as its address says it."""

from collections.abc import Mapping
from urllib.parse import urlencode

from schemas.records.tags import MAX_TAG, canonical_tag

MAX_TEXT = 200
"""Characters of a search."""


def asked_text(query: Mapping[str, str]) -> str:
    """Return the text that is sought."""
    return query.get("q", "").strip()[:MAX_TEXT]


def asked_tag(query: Mapping[str, str]) -> str:
    """Return the tag that is asked for, in canonical form, empty for all.

    >>> asked_tag({"tag": " Gods "})
    'gods'
    """
    return canonical_tag(query.get("tag", ""))[:MAX_TAG]


def filtered(path: str, query: Mapping[str, str]) -> str:
    """Return the address of what is filtered by a query.

    >>> filtered("/news", {"tag": "gods"}), filtered("/news", {})
    ('/news?tag=gods', '/news')
    """
    return f"{path}?{urlencode(query)}" if query else path
