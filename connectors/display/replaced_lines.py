"""A short line and its replacement, which people read as an edit."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from schemas.records.changes import Diff

MAX_REPLACED = 60
"""Characters of a line shown next to its replacement."""

_DIGITS = re.compile(r"\d+")

_Group = list[Diff]


class _Spot(NamedTuple):
    """The place of a line: the headings, and the lines before and after."""

    headings: tuple[str, ...]
    before: str
    after: str


def with_replaced(groups: Sequence[_Group]) -> Iterator[_Group]:
    """Yield groups of entries, a removed line and the added line at its place as a group.

    Each group has the entries of a passage. Lines are at the same place if the lines around them
    are the same but for digits, or an edit made them so. Among several at the same place the pairs
    are unknown.
    """
    edits = {each[0].before: each[0].after for each in groups if each[0].change == "edited"}
    spots = [_spot(each[0], edits) for each in groups]
    count = Counter(spots)
    pairs = {
        at
        for at, (removed, added) in enumerate(pairwise(groups))
        if (removed[0].change, added[0].change) == ("removed", "added")
        and spots[at] is not None
        and spots[at] == spots[at + 1]
        and removed[0].text != added[0].text
        and count[spots[at]] == 2
    }
    for at, group in enumerate(groups):
        if at in pairs:
            yield [*group, *groups[at + 1]]
        elif at - 1 not in pairs:
            yield group


def is_replaced(group: Sequence[Diff]) -> bool:
    """Whether a group is of a line and of its replacement."""
    return (group[0].change, group[-1].change) == ("removed", "added")


def _spot(diff: Diff, edits: Mapping[str, str]) -> _Spot | None:
    """Return the place of an entry, None unless a short line."""
    changed = (span.start for span in diff.marks.snippet.changed)
    start = next((at for at in changed if diff.snippet.startswith(diff.text, at)), 0)
    end = start + len(diff.text)
    before, after = diff.snippet[:start], diff.snippet[end:]
    is_whole = before[-1:] in ("", "\n") and after[:1] in ("", "\n")
    is_line = is_whole and diff.snippet[start:end] == diff.text and not set(diff.text) & {*"\n\t"}
    if not is_line or len(diff.text) > MAX_REPLACED:
        return None
    around = before.rstrip().rpartition("\n")[2], after.lstrip().partition("\n")[0]
    # A counter may have changed without an entry.
    return _Spot(diff.headings, *(_DIGITS.sub("0", edits.get(line, line)) for line in around))
