"""The entries of a notification: what one keyword has to do with one changed sentence."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from schemas.changes import Diff, Place, Sentence, ValueChange
from streams.core.matching.change_words import ChangeWords
from streams.core.matching.closest import Bounds
from streams.core.matching.links import text_link
from streams.core.matching.marks import marks, phrase_bounds
from streams.core.matching.sentences import ADDED, EDITED, REMOVED, ChangedSentence
from streams.core.matching.snippets import MAX_SEEN, MAX_TEXT, context, excerpt
from streams.core.matching.stretches import SENTENCE
from streams.core.matching.values import value_changes
from streams.core.text.queries import KeywordQuery

MAX_MERGED = 500
"""Characters of adjacent new (gone) sentences that are one entry."""
MAX_ENTRIES = 1_000
"""Entries of a change that are cached for other subscriptions with the same keyword."""


_Sides = tuple[str, str, tuple[ValueChange, ...]]


class Entry(NamedTuple):
    """An entry, and how many unchanged characters of its sentence come before its text."""

    position: int
    diff: Diff


class Entries:
    """Makes entries, and caches them for other subscriptions with the same keywords."""

    def __init__(self, words: ChangeWords, page: str) -> None:
        """``page`` is the URL that links lead to; empty: there are no links."""
        self._words = words
        self._page = page
        self._known: dict[tuple[object, ...], Entry] = {}
        self._sides: dict[int, _Sides] = {}

    def of(self, numbers: Sequence[int], query: KeywordQuery, offset: int) -> Entry:
        """Return the entry of adjacent sentences, with so much context around it."""
        key = numbers[0], numbers[-1], query.keyword, query.form, query.filtered, offset
        known = self._known.get(key)
        if known is None:
            known = self._new(numbers, query, offset)
            if len(self._known) < MAX_ENTRIES:
                self._known[key] = known
        return known

    def _new(self, numbers: Sequence[int], query: KeywordQuery, offset: int) -> Entry:
        first, last = (self._words.sentences[number] for number in (numbers[0], numbers[-1]))
        text = first.place.text
        bounds = self._excerpt(numbers[0], (first.start, last.end), query)
        low, high = max(0, bounds[0] - MAX_SEEN), min(len(text), bounds[1] + MAX_SEEN)
        found = phrase_bounds(text, low, high, query)
        shown = _shown(first, bounds, found, query)
        change, edit = first.change, first.edit
        new = self._new_around(numbers)
        around, left, right = context(text, shown, offset, new.__contains__)
        changed = [(first.start, last.end)] if change != EDITED else _spans(first.sentence)
        if new:
            changed = sorted([*changed, *new.values()])
        before, after, values = self._both_sides(first)
        shown_text = text[slice(*shown)]
        diff = Diff(
            event=first.event,
            keyword=query.keyword,
            text=shown_text,
            snippet=f"{left}{text[slice(*around)]}{right}",
            change=change,
            before=before,
            after=after,
            marks=marks(changed, chain.from_iterable(found), shown, around, len(left)),
            headings=first.region.headings,
            values=values,
            link=self._link(first, after or shown_text),
            noise=edit.noise,
        )
        return Entry(_unchanged_before(first, shown[0]), diff)

    def _excerpt(self, number: int, bounds: Bounds, query: KeywordQuery) -> Bounds:
        sentence = self._words.sentences[number]
        if bounds[1] - bounds[0] <= MAX_TEXT:
            return bounds
        if query.matches_anything:
            around = _first_changed(sentence)
        else:
            around = self._words.search(SENTENCE).span(number, query)
            around = _first_changed(sentence) if around == (0, 0) else around
        return excerpt(sentence.place.text, bounds, around)

    def _both_sides(self, sentence: ChangedSentence) -> _Sides:
        """Return both sides of an edited sentence, once for all keywords in it."""
        if sentence.change != EDITED:
            return "", "", ()
        known = self._sides.get(id(sentence.edit))
        if known is None:
            known = _both_sides(sentence)
            if len(self._sides) < MAX_ENTRIES:
                self._sides[id(sentence.edit)] = known
        return known

    def _link(self, sentence: ChangedSentence, text: str) -> str:
        """Return the link to a text; what is gone is no longer in the page."""
        is_there = sentence.change != REMOVED
        return text_link(self._page, text) if self._page and is_there else ""

    def _new_around(self, numbers: Sequence[int]) -> dict[int, Bounds]:
        """Return the adjacent sentences of the same kind, by where they begin."""
        sentences = self._words.sentences
        found: dict[int, Bounds] = {}
        kind = sentences[numbers[0]].change
        if kind == EDITED:
            return {}
        for number, step in ((numbers[0], sentences.preceding), (numbers[-1], sentences.following)):
            at = step(number)
            while at is not None and sentences[at].change == kind and len(found) < MAX_SEEN:
                found[sentences[at].start] = sentences[at].start, sentences[at].end
                if abs(sentences[at].start - sentences[number].start) > MAX_MERGED + MAX_SEEN:
                    break
                at = step(at)
        return found


def adjoins(one: ChangedSentence, other: ChangedSentence, start: int) -> bool:
    """Whether a sentence may be in one entry with the one before it; the entry has a ``start``."""
    if one.change != other.change or one.change not in (ADDED, REMOVED) or other.start < one.end:
        return False
    between = other.place.text[one.end : other.start] if other.start - one.end < 8 else "\n\n"
    is_next = not between.strip() and between.count("\n") <= 1
    return is_next and other.end - start <= MAX_MERGED


def _shown(
    sentence: ChangedSentence, bounds: Bounds, found: list[list[Bounds]], query: KeywordQuery
) -> Bounds:
    """Return the run of changed words in which the whole keyword is, or else all of it."""
    if sentence.change != EDITED:
        return bounds
    runs = [run for run in _spans(sentence.sentence) if bounds[0] <= run[0] and run[1] <= bounds[1]]
    if query.matches_anything:
        return runs[0] if len(runs) == 1 else bounds
    for low, high in runs:
        if found and all(any(low <= a and b <= high for a, b in each) for each in found):
            return low, high
    return bounds


def _spans(sentence: Sentence) -> list[Bounds]:
    return [(span.start, span.end) for span in sentence.changed]


def _first_changed(sentence: ChangedSentence) -> Bounds:
    spans = _spans(sentence.sentence)[:1]
    return spans[0] if spans else (sentence.start, sentence.start)


def _unchanged_before(sentence: ChangedSentence, start: int) -> int:
    """Count the characters of an edited sentence before its text that stand on both sides."""
    if sentence.change != EDITED:
        return 0
    text, at, count = sentence.place.text, sentence.start, 0
    for low, high in _spans(sentence.sentence):
        if low >= start:
            break
        count += _visible(text[at:low])
        at = high
    return count + _visible(text[at:start])


def _visible(text: str) -> int:
    return len("".join(text.split()))


def _both_sides(sentence: ChangedSentence) -> _Sides:
    """Return both sides of an edited sentence, and the numbers that changed in it."""
    before, old = _side(sentence.region.removed, sentence.edit.removed)
    after, new = _side(sentence.region.added, sentence.edit.added)
    return before, after, value_changes(before, old, after, new)


def _side(place: Place | None, sentence: Sentence | None) -> tuple[str, list[Bounds]]:
    """Return a sentence, cut around what changed if it is long, and its changed runs."""
    assert place is not None, "an edited sentence has two sides"
    assert sentence is not None, "an edited sentence has two sides"
    text, spans = place.text, _spans(sentence)
    around = spans[0] if spans else (sentence.start, sentence.start)
    low, high = excerpt(text, (sentence.start, sentence.end), around)
    return text[low:high], [(max(a, low) - low, b - low) for a, b in spans if a < high and b > low]
