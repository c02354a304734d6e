"""Puts edits that are near each other into one region, with what stands around them."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from sys import maxsize
from typing import NamedTuple

from schemas.records.answers import Heading
from schemas.records.changes import MAX_CONTEXT, Edit, Place, Region, Sentence, Span
from streams.diff.edits import Located, LocatedEdit
from streams.text.units import sentence_bounds

MAX_BLOCK = 2_000
"""Characters of a block, which is lines with no empty line between, that is kept as a whole."""

_SPACE = re.compile(r"\s")
_LAST_SPACE = re.compile(r"\s\S*\Z")

_GAP = 2 * MAX_CONTEXT
MAX_SIZE = 250_000
"""Characters of both sides, with _PER_EDIT for each edit: at most 1 MB in UTF-8."""
_PER_EDIT = 20

_Stretch = tuple[int, int]
_Titles = tuple[str, ...]

_MOST = 3
_MAX_LENGTH = 200


class Headings:
    """The headings of one text, each with those above it."""

    def __init__(self, text: str, headings: Sequence[Heading]) -> None:
        """``headings`` are in document order."""
        self._text = text
        self.are_any = bool(headings)
        self._starts = [heading.start for heading in headings]
        self._ends = [maxsize if each.end is None else each.end for each in headings]
        self._parents: list[int] = []
        self._longer: list[int] = []
        """Of each heading, the nearest one before it that ends later."""
        for number, heading in enumerate(headings):
            longer = number - 1
            while longer >= 0 and self._ends[longer] <= self._ends[number]:
                longer = self._longer[longer]
            self._longer.append(longer)
            parent = self._nearest(number - 1, heading.start)
            while parent >= 0 and headings[parent].level >= heading.level:
                parent = self._parents[parent]
            self._parents.append(parent)

    def _nearest(self, number: int, at: int) -> int:
        """Return the nearest heading, from a number back, that ends after an offset, or -1."""
        while number >= 0 and self._ends[number] <= at:
            number = self._longer[number]
        return number

    def above(self, at: int, *, removed: bool = False, apart: bool = False) -> int:
        """Return the number of the nearest heading above an offset, -1 if there is none.

        Above a heading is the one that it is under, not the one before it; what was ``removed``
        there stood under that one. A heading is above nothing after its end, but what was removed
        there, unless it stood ``apart`` from what is before it.
        """
        if removed and apart and at and not self._text.endswith("\n\n", 0, at):
            end = self._text.find("\n\n", at - 1)
            at = end + 2 if end >= 0 else len(self._text)  # after the block
        number = bisect_right(self._starts, at) - 1
        if removed:
            number -= number >= 0 and self._starts[number] == at
            return self._nearest(number, at if apart else at - 1)
        if number >= 0 and self._starts[number] == at:
            return self._parents[number]
        return self._nearest(number, at)

    def known(self, number: int, new: Collection[int]) -> int:
        """Return the nearest heading from one up that does not begin at one of some offsets."""
        while number >= 0 and self._starts[number] in new:
            number = self._parents[number]
        return number

    def titles(self, number: int) -> _Titles:
        """Return a heading after those that it is under: no more than _MOST, the outermost first.

        Those of ``## Fines`` in ``# Law`` are ``("Law", "Fines")``.
        """
        found: list[str] = []
        while number >= 0 and len(found) < _MOST:
            start = self._starts[number]
            end = self._text.find("\n", start, start + _MAX_LENGTH)
            found.append(self._text[start : end if end >= 0 else start + _MAX_LENGTH].strip())
            number = self._parents[number]
        return tuple(reversed(found))


class Hull:
    """The stretches of both snapshots that some edits cover: those of one region."""

    def __init__(self) -> None:
        self._old: _Stretch | None = None
        self._new: _Stretch | None = None
        self._edits = 0
        self._is_closed = False

    def takes(self, edit: LocatedEdit) -> bool:
        """Cover an edit as well; or return False if it is too far away, or there is no room."""
        removed, added = edit.removed, edit.added
        old = _joined(self._old, removed.start, removed.end) if removed else self._old
        start, end = (added.start, added.end) if added else (edit.at, edit.at)
        new = _joined(self._new, start, end)
        if self._edits and (
            self._is_closed
            or edit.alone
            or _added(self._old, old) - (removed.end - removed.start if removed else 0) > _GAP
            or _added(self._new, new) - (end - start) > _GAP
            or _length(old) + _length(new) + _PER_EDIT * self._edits > MAX_SIZE
        ):
            return False
        self._old, self._new = old, new
        self._edits += 1
        self._is_closed = edit.alone
        return True


class _Headed(NamedTuple):
    """An edit, the headings above it, and the number of the nearest one that is not new."""

    edit: LocatedEdit
    titles: _Titles
    known: int

    def is_below_those_of(self, first: "_Headed") -> bool:
        """Whether the headings of another edit are above this one, and no further ones but new."""
        return self.known == first.known and self.titles[: len(first.titles)] == first.titles


def regions_of(
    old: str, new: str, edits: Iterable[LocatedEdit], headings: Sequence[Heading]
) -> Iterator[Region]:
    """Yield regions of edits that are given in document order."""
    for titles, several in _near(_headed(old, edits, Headings(new, headings))):
        before = _place(old, [each.removed for each in several if each.removed])
        after = _place(new, [each.added for each in several if each.added])
        yield Region(
            before,
            after,
            titles,
            tuple(
                Edit(
                    each.change,
                    _sentence(each.removed, before),
                    _sentence(each.added, after),
                    each.noise,
                    each.dropped,
                )
                for each in several
            ),
        )


def _headed(old: str, edits: Iterable[LocatedEdit], headings: Headings) -> Iterator[_Headed]:
    """Yield edits with the headings above them."""
    if not headings.are_any:
        yield from (_Headed(edit, (), -1) for edit in edits)
        return
    new: set[int] = set()
    for at, group in groupby(edits, lambda edit: edit.at):
        several = list(group)
        first = several[0].removed
        is_gone = all(each.added is None for each in several)
        is_apart = first is not None and old.endswith("\n\n", 0, first.start)
        number = headings.above(at, removed=is_gone, apart=is_apart)
        titles, known = headings.titles(number), headings.known(number, new)
        yield from (_Headed(edit, titles, known) for edit in several)
        new.update(each.added.start for each in several if each.added)


def _near(edits: Iterable[_Headed]) -> Iterator[tuple[_Titles, list[LocatedEdit]]]:
    """Group edits if what stands around them would overlap, on both sides.

    Each has the headings of the first one above it, and no other but new ones.
    """
    several: list[_Headed] = []
    hull = Hull()
    for each in edits:
        if several and not (each.is_below_those_of(several[0]) and hull.takes(each.edit)):
            yield several[0].titles, [one.edit for one in several]
            several, hull = [], Hull()
        if not several:
            hull.takes(each.edit)
        several.append(each)
    if several:
        yield several[0].titles, [one.edit for one in several]


def _place(text: str, sentences: Sequence[Located]) -> Place | None:
    if not sentences:
        return None
    start = context_start(text, min(each.start for each in sentences))
    return Place(start, text[start : context_end(text, max(each.end for each in sentences))])


def _sentence(found: Located | None, place: Place | None) -> Sentence | None:
    if found is None or place is None:
        return None
    start, end, runs = found
    changed = tuple([Span(first - place.start, last - place.start) for first, last in runs])
    return Sentence(start - place.start, end - place.start, changed)


def context_start(text: str, start: int) -> int:
    """Return where what is kept before a sentence begins.

    That are as many sentences as MAX_CONTEXT characters hold, but all of a block that is
    not large; of a longer sentence, its last words.
    """
    low = max(0, start - MAX_BLOCK)
    found = text.rfind("\n\n", low, start)
    found = found + 2 if found >= 0 else 0 if low == 0 else start
    return found if found <= start - MAX_CONTEXT else min(found, _sentences_start(text, start))


def context_end(text: str, end: int) -> int:
    """Return where what is kept after a sentence ends; as ``context_start``."""
    high = end + MAX_BLOCK
    found = text.find("\n\n", end, high)
    found = found if found >= 0 else len(text) if high >= len(text) else end
    return found if found >= end + MAX_CONTEXT else max(found, _sentences_end(text, end))


def _sentences_start(text: str, start: int) -> int:
    low = max(0, start - MAX_CONTEXT)
    if low == 0:
        return 0
    before = text[low:start]
    first = next((at for at in sentence_bounds(before) if before[at:].strip()), None)
    if first is None:
        space = _SPACE.search(before)
        return low + space.end() if space else start
    return low + first


def _sentences_end(text: str, end: int) -> int:
    high = end + MAX_CONTEXT
    if high >= len(text):
        return len(text)
    after = text[end:high].rstrip()
    last = next((at for at in reversed(sentence_bounds(after)) if after[:at].strip()), None)
    if last is None:
        space = _LAST_SPACE.search(after)
        return end + space.start() if space else end
    return end + len(after[:last].rstrip())


def _joined(covered: _Stretch | None, start: int, end: int) -> _Stretch:
    if covered is None:
        return start, end
    return min(covered[0], start), max(covered[1], end)


def _added(before: _Stretch | None, after: _Stretch | None) -> int:
    """Count the characters by which a stretch has grown, none if there was none."""
    return _length(after) - _length(before) if before else 0


def _length(stretch: _Stretch | None) -> int:
    return stretch[1] - stretch[0] if stretch else 0
