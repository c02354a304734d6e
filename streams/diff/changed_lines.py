"""The lines between the first and the last one in which two snapshots differ."""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

from streams.diff.entries import beginnings, blocks_of
from streams.text.units import Unit, cut_line, cut_lines, unit_texts

# Sentences that are searched for one by one; for more of them the whole text is cut up.
_FEW = 64
# Places of one sentence that are looked at.
_MAX_PLACES = 16
_MAX_LINE = 10_000
JOINED_LINES = 50
"""Lines that are one unit where there are too many to look at each."""


class Window:
    """Some lines of a snapshot, by number, and what it has anywhere.

    A sentence stands verbatim in a snapshot if it is one there; within others it is not.
    """

    def __init__(self, text: str, start: int, end: int) -> None:
        """``start`` and ``end`` are the characters of the text between which the lines are."""
        self.text = text
        self.lines = text[start:end].split("\n")
        self.starts = list(accumulate([len(line) + 1 for line in self.lines], initial=start))

    def units(self, start: int, end: int, without: frozenset[str]) -> Iterator[Unit]:
        """Yield the units of the lines from one number to another, except certain lines."""
        numbers = (n for n in range(start, end) if self.lines[n] not in without)
        return cut_lines((n, self.starts[n], self.lines[n]) for n in numbers)

    def joined_units(self, start: int, end: int) -> Iterator[Unit]:
        """Yield the lines from one number to another, JOINED_LINES of them as one unit each."""
        for first in range(start, end, JOINED_LINES):
            text = self.between(first, min(first + JOINED_LINES, end))
            if words := text.strip():
                yield Unit(words, self.starts[first] + text.index(words), first)

    def between(self, start: int, end: int) -> str:
        """Return the text of the lines from one number to another."""
        return self.text[self.starts[start] : self.starts[end]]

    @cached_property
    def line_counts(self) -> Counter[str]:
        """How often each line is there, without the white space around it."""
        return Counter(map(str.strip, self.lines))

    @cached_property
    def all_line_counts(self) -> Counter[str]:
        """How often each line is in the whole snapshot, without the white space around it."""
        return Counter(map(str.strip, self.text.split("\n")))

    @cached_property
    def unit_counts(self) -> Counter[str]:
        """How often each unit is there."""
        return Counter(unit_texts(self.between(0, len(self.lines))))

    @cached_property
    def line_set(self) -> frozenset[str]:
        """The different lines."""
        return frozenset(self.lines)

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """The lines with no empty one between them: the first, and the one after the last."""
        return blocks_of(self.lines)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """How the entries of lists begin that have no empty lines between them."""
        return beginnings(self.lines, self.blocks)

    def standing(self, texts: frozenset[str]) -> frozenset[str]:
        """Return those texts that are a sentence or a line anywhere in the snapshot."""
        if len(texts) <= _FEW:
            found = {text: self._stands(text) for text in texts}
            if None not in found.values():
                return frozenset(text for text in texts if found[text])
        return texts & self._all

    def _stands(self, text: str) -> bool | None:
        """Whether a text is a sentence or a line; None if it is too often within one."""
        at = -1
        for _ in range(_MAX_PLACES):
            at = self.text.find(text, at + 1)
            if at < 0:
                return False
            start = self.text.rfind("\n", 0, at) + 1
            end = self.text.find("\n", at)
            line = self.text[start : end if end >= 0 else len(self.text)]
            if len(line) > _MAX_LINE:
                return None
            if any(piece.strip() == text for piece in cut_line(line)):
                return True
        return None

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(unit_texts(self.text))
