"""Tags as chips, of which each leads to a list of what has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from connectors.page.filters import filtered

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
