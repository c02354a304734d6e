"""The entries of a notification: what one keyword has to do with one changed sentence."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from schemas.records.changes import Diff, Marked, Marks
from streams.matching.change_words import ChangeWords
from streams.matching.marks import Bounds, WordPlaces, spans_within
from streams.matching.passages import MAX_MERGED, Passage, Passages, spans_of
from streams.matching.sentences import ADDED, EDITED, REMOVED, ChangedSentence
from streams.matching.snippets import MAX_SEEN, excerpt, most_shown
from streams.matching.stretches import SENTENCE
from streams.matching.titles import Titles
from streams.text.keywords import KeywordQuery

MAX_ENTRIES = 1_000
"""Entries of a change that are cached for other subscriptions with the same keyword."""
MAX_WORDS = 100_000
"""Words of a change of which the places are cached for other keywords."""


class Entry(NamedTuple):
    """An entry, and how many unchanged characters of its sentence come before its text."""

    position: int
    diff: Diff


class Entries:
    """Makes entries, and caches them for other subscriptions with the same keywords."""

    def __init__(self, words: ChangeWords, page: str) -> None:
        """``page`` is the URL that links lead to; empty: there are no links."""
        self._words = words
        self._passages = Passages(words.sentences, page)
        self._titles = Titles(words.sentences, words.cards)
        self._known: dict[tuple[object, ...], Entry] = {}
        self._places: dict[tuple[object, ...], WordPlaces] = {}
        self._left = MAX_WORDS

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
        bounds = self._excerpt(numbers[0], (first.start, last.end), query)
        if first.change == EDITED:
            found = self._found(numbers[0], self._seen(numbers[0], bounds), query)
            passage = self._passages.of(numbers, _shown(first, bounds, found, query), offset)
        else:
            passage = self._passages.of(numbers, bounds, offset)
            # A phrase may begin before the snippet; a word is in it as a whole.
            is_phrase = any(query.signs) or any(len(phrase) > 1 for phrase in query.phrases)
            around = self._seen(numbers[0], bounds) if is_phrase else passage.around
            found = self._found(numbers[0], around, query)
        diff = Diff(
            event=first.event,
            keyword=query.keyword,
            text=passage.text,
            snippet=passage.snippet,
            change=first.change,
            before=passage.sides.before,
            after=passage.sides.after,
            marks=_marks(passage, sorted(set(chain.from_iterable(found)))),
            headings=self._titles.above(first),
            values=passage.sides.values,
            link=passage.link,
            noise=first.edit.noise,
            dropped=first.edit.dropped,
        )
        return Entry(passage.position, diff)

    def _found(self, number: int, bounds: Bounds, query: KeywordQuery) -> list[list[Bounds]]:
        """Return where each phrase of a keyword is between two offsets of the text around it."""
        if not query.phrases:
            return []
        key = number, bounds, query.form, query.filtered
        known = self._places.get(key)
        if known is None:
            known = WordPlaces(self._words.sentences[number].place.text, bounds, query)
            self._left -= len(known)
            if self._left >= 0:
                self._places[key] = known
        return known.of(query)

    def _seen(self, number: int, bounds: Bounds) -> Bounds:
        """Return the bounds of a text with all that may be shown around it."""
        text = self._words.sentences[number].place.text
        return max(0, bounds[0] - MAX_SEEN), min(len(text), bounds[1] + MAX_SEEN)

    def _excerpt(self, number: int, bounds: Bounds, query: KeywordQuery) -> Bounds:
        sentence = self._words.sentences[number]
        text = sentence.place.text
        most = most_shown(text, bounds)
        if bounds[1] - bounds[0] <= most:
            return bounds
        found = (0, 0)
        if not query.matches_anything:
            found = self._words.search(SENTENCE).span(number, query)
        is_keyword = found != (0, 0)
        around = found if is_keyword else _first_changed(sentence)
        return excerpt(text, bounds, around, most, is_keyword=is_keyword)


def adjoins(one: ChangedSentence, other: ChangedSentence, start: int) -> bool:
    """Whether a sentence may be in one entry with the one before it; the entry has a ``start``.

    A sentence that stands twice, as title and summary of an item, is two entries.
    """
    is_one_kind = (one.change, one.edit.dropped) == (other.change, other.edit.dropped)
    if not is_one_kind or one.change not in (ADDED, REMOVED) or other.start < one.end:
        return False
    between = other.place.text[one.end : other.start] if other.start - one.end < 8 else "\n\n"
    is_next = not between.strip() and between.count("\n") <= 1
    return is_next and other.end - start <= MAX_MERGED and other.text != one.text


def _marks(passage: Passage, keyword: Sequence[Bounds]) -> Marks:
    """Return what to mark in a passage, with the places of a keyword."""
    in_text = Marked(passage.changed[0], spans_within(keyword, passage.bounds, 0))
    if passage.bounds == passage.around and not passage.shift:
        return Marks(in_text, in_text)
    around = spans_within(keyword, passage.around, passage.shift)
    return Marks(in_text, Marked(passage.changed[1], around))


def _shown(
    sentence: ChangedSentence, bounds: Bounds, found: list[list[Bounds]], query: KeywordQuery
) -> Bounds:
    """Return the run of changed words in which the whole keyword is, or else all of it."""
    if sentence.change != EDITED:
        return bounds
    runs = [
        run for run in spans_of(sentence.sentence) if bounds[0] <= run[0] and run[1] <= bounds[1]
    ]
    if query.matches_anything:
        return runs[0] if len(runs) == 1 else bounds
    for low, high in runs:
        if found and all(any(low <= a and b <= high for a, b in each) for each in found):
            return low, high
    return bounds


def _first_changed(sentence: ChangedSentence) -> Bounds:
    spans = spans_of(sentence.sentence)[:1]
    return spans[0] if spans else (sentence.start, sentence.start)
