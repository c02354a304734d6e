"""The filters of a list, as its address names them, and tags as chips."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


MAX_CHIPS = 60
"""Tags that can be chosen by a click; others by their address."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A tag, empty for all, with the address of what has it."""

    name: str
    address: str
    is_chosen: bool


def tag_chips(path: str, query: Mapping[str, str], tags: Sequence[str], chosen: str) -> list[Chip]:
    """Return the chips above a list at a path: all, then each tag; none without tags.

    ``query`` is what else the list is filtered by. A chosen tag is among them even if nothing
    has it.

    >>> [each.address for each in tag_chips("/", {"q": "zeus"}, ["gods"], "")]
    ['/?q=zeus', '/?q=zeus&tag=gods']
    """
    names = sorted({*tags, chosen} - {""})
    return [
        Chip(name, filtered(path, {**query, "tag": name} if name else query), name == chosen)
        for name in (["", *names] if names else [])
    ]
