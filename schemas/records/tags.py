"""Tags: short texts by which a manager groups its subscriptions."""

import re
from collections.abc import Iterable
from typing import Annotated
from unicodedata import normalize

from schemas.records.fields import About

MAX_TAGS, MAX_TAG = 20, 50
"""Tags of a subscription, and characters of each."""

TAGS_ALLOWED = f"at most {MAX_TAGS} tags of 1 to {MAX_TAG} printable characters without commas"

Tags = Annotated[
    tuple[str, ...],
    About(
        "Group subscriptions by these words.",
        least=1,
        most=MAX_TAG,
        most_items=MAX_TAGS,
        printable=True,
        pattern=re.compile(r"[^,]+"),
        allowed=TAGS_ALLOWED,
    ),
]
"""In canonical form, sorted."""


def canonical_tag(text: str) -> str:
    """Return a tag in small letters, in NFC, with single blanks, for storage and search.

    >>> canonical_tag("  Greek   GODS ")
    'greek gods'
    """
    return normalize("NFC", " ".join(text.lower().split()))


def canonical_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags in canonical form, sorted, each once.

    >>> canonical_tags(["prices", "Gods", "GODS"])
    ('gods', 'prices')
    """
    return tuple(sorted(set(map(canonical_tag, tags))))
