"""Stretches that are searched for the words of a change: sentences, their blocks, or both texts."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from schemas.records.changes import Span, Texts
from streams.matching.cards import Cards
from streams.matching.sentences import ADDED, EDITED, MOVED, REMOVED, ChangedSentence

SENTENCE, BLOCK, DOCUMENT = "sentence", "block", "document"
"""The reaches around a change within which keywords may be."""


MAX_BLOCK = 2_000
"""Characters of a block; of a longer one, the lines in question alone count."""

_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n")


class Stretch(NamedTuple):
    """A part of a snapshot; its words belong together with all others of the same ``unit``.

    ``changed`` are the runs of changed words in it, None if all of it has changed.
    """

    event: str
    unit: int
    text: str
    start: int
    end: int
    changed: Sequence[Span] | None = None

    def changed_words(self, begins: Sequence[int]) -> bytes:
        """Return for each word, by the offset at which it begins, whether it has changed."""
        if self.changed is None:
            return b"\1" * len(begins)
        flags = bytearray(len(begins))
        for span in self.changed:
            first, last = bisect_left(begins, span.start), bisect_left(begins, span.end)
            flags[first:last] = b"\1" * (last - first)
        return bytes(flags)


def reach_of(scope: str) -> str:
    """Return how far a scope looks; ``change`` looks at some words of a sentence alone."""
    return SENTENCE if scope == "change" else scope


def sentence_stretches(sentences: Sequence[ChangedSentence], cards: Cards) -> Iterator[Stretch]:
    """Yield each sentence but those that only moved, as its own unit.

    The name of its card belongs to a value, unless the name has changed: it is a sentence then.
    """
    known = {(id(each.place), each.start) for each in sentences}
    for number, each in enumerate(sentences):
        if each.change != MOVED:
            name = cards.concerned(each)
            if name and (id(each.place), name[0]) not in known:
                yield Stretch(each.event, number, each.place.text, *name, ())
            changed = each.sentence.changed if each.change == EDITED else None
            yield Stretch(each.event, number, each.place.text, each.start, each.end, changed)


def block_stretches(sentences: Iterable[ChangedSentence]) -> tuple[list[Stretch], list[int]]:
    """Return the blocks around sentences, and the block of each sentence."""
    blocks: list[Stretch] = []
    latest: dict[str, Stretch] = {}
    units: list[int] = []
    for each in sentences:
        known = latest.get(each.event)
        if known is None or not _is_within(each, known):
            start, end = block_around(each.place.text, each.start, each.end)
            known = Stretch(each.event, len(blocks), each.place.text, start, end)
            latest[each.event] = known
            blocks.append(known)
        units.append(known.unit)
    return blocks, units


def document_stretches(
    sentences: Sequence[ChangedSentence], texts: Texts | None
) -> tuple[list[Stretch], list[int]]:
    """Return the two texts, and which one each sentence is of.

    Without the texts, what is known of them takes their place: all that is around changes.
    """
    units = [int(each.event == ADDED) for each in sentences]
    if texts is not None:
        sides = enumerate(((REMOVED, texts.removed), (ADDED, texts.added)))
        return [Stretch(event, n, text, 0, len(text)) for n, (event, text) in sides], units
    places = {id(each.place): (each.event, each.place.text) for each in sentences}
    return [
        Stretch(event, int(event == ADDED), text, 0, len(text)) for event, text in places.values()
    ], units


def _is_within(sentence: ChangedSentence, block: Stretch) -> bool:
    is_same = sentence.place.text is block.text
    return is_same and block.start <= sentence.start and sentence.end <= block.end


def block_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return start and end of the block around some characters of a text."""
    low, high = max(0, start - MAX_BLOCK), min(len(text), end + MAX_BLOCK)
    first = max((gap.end() for gap in _EMPTY_LINE.finditer(text, low, start)), default=low)
    after = _EMPTY_LINE.search(text, end, high)
    last = after.start() if after else high
    if last - first <= MAX_BLOCK:
        return first, last
    line = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if line < 0 else line
