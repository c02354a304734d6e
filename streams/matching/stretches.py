"""Stretches that are searched for the words of a change: sentences, their blocks, or both texts."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from schemas.records.changes import Span, Texts
from streams.matching.sentences import ADDED, EDITED, MOVED, REMOVED, ChangedSentence

SENTENCE, BLOCK, DOCUMENT = "sentence", "block", "document"
"""The reaches around a change within which keywords may be."""


MAX_BLOCK = 2_000
"""Characters of a block; of a longer one, the lines in question alone count."""

_MAX_VALUE, _MAX_NAME = 8, 6
"""Words of a value, and of the name of its card."""
_MAX_LENGTH = 80
"""Characters of a value."""
NAME = re.compile(r"((?:[\w-]+\.)*)(?:name|title)(?:: | - )")
"""Finds the field that names a record, and the path of it."""

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


def sentence_stretches(sentences: Sequence[ChangedSentence]) -> Iterator[Stretch]:
    """Yield each sentence but those that only moved, as its own unit.

    The name of its card belongs to a value, unless the name has changed: it is a sentence then.
    """
    known = {(id(each.place), each.start) for each in sentences}
    cards = _Cards()
    for number, each in enumerate(sentences):
        if each.change != MOVED:
            name = cards.name(each)
            if name and (id(each.place), name[0]) not in known:
                yield Stretch(each.event, number, each.place.text, *name, ())
            changed = each.sentence.changed if each.change == EDITED else None
            yield Stretch(each.event, number, each.place.text, each.start, each.end, changed)


class _Cards:
    """Finds the name of a value's card, and reads each block once.

    A card is a block with a short heading, with the block after it, or one with a field of a
    record that names it. A value is a short line of it, such as a price; a sentence of a section
    is none. A field ``shoes.name`` names the values of ``shoes`` alone.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], list[tuple[int, str, str | None]]] = {}
        """The short lines of each block: where they are, and the path of those that are names."""

    def name(self, value: ChangedSentence) -> tuple[int, int] | None:
        """Return where the name of a value's card is; None without one, or if it is no value."""
        text, start, end = value.place.text, value.start, value.end
        if end - start > _MAX_LENGTH or text.count(" ", start, end) >= _MAX_VALUE:
            return None
        if text[max(0, start - 1) : start] not in ("", "\n") or text[end : end + 1] not in (
            "",
            "\n",
        ):
            return None
        heading = next(iter(value.region.headings[-1:]), "\n")
        first = text.rfind("\n\n", 0, start)
        before = text.rfind("\n\n", 0, max(0, first))
        if first >= 0 and text.startswith(f"{heading}\n", before + 2 if before >= 0 else 0):
            first = before  # a list may be between
        key = id(value.place), first + 2 if first >= 0 else 0
        if key not in self._known:
            self._known[key] = list(_short_lines(text, key[1], text.find("\n\n", end)))
        for at, line, path in self._known[key]:
            if line == heading or (path is not None and text.startswith(path, start)):
                return at, at + len(line)
        return None


def _short_lines(text: str, start: int, last: int) -> Iterator[tuple[int, str, str | None]]:
    """Yield the short lines of a block, each with its path if it is a field that names it."""
    at = start
    for line in text[start : last if last >= 0 else len(text)].split("\n"):
        if line and line.count(" ") < _MAX_NAME:
            field = NAME.match(line)
            yield at, line, field[1] if field else None
        at += len(line) + 1


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
