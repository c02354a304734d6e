"""Offsets of a keyword and of changed words in a text that a client is shown."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from schemas.records.changes import Span
from streams.text.keywords import KeywordQuery, Phrase
from streams.text.signs import Signs, bounds_with_signs
from streams.text.tokens import located_words
from streams.text.word_forms import is_stopword, normal_forms, other_forms
from streams.text.word_parts import has_part, is_part

MAX_MARKS = 20
"""Spans of one kind that are marked in one text."""

Bounds = tuple[int, int]
"""Start and end of a span."""
Positions = NDArray[np.int64]

MAX_TRIED = 10_000
"""Occurrences of the rarest phrase from which the closest ones are sought, times the phrases."""


class WordPlaces:
    """Places of the words of a part of a text, for all keywords that compare words alike."""

    def __init__(self, text: str, bounds: Bounds, query: KeywordQuery) -> None:
        """Find the words, in the form of a query, between two offsets of the text."""
        located = list(chain.from_iterable(located_words(text[slice(*bounds)])))
        if query.filtered:
            language = query.form.language
            located = [each for each in located if not is_stopword(each[0], language)]
        self._text = text
        self._form = query.form
        self._start = bounds[0]
        self._located = located
        words = [word for word, _ in located]
        self._forms = normal_forms(words, query.form)
        self._others = other_forms(words, query.form)

    @cached_property
    def _unstemmed(self) -> list[str]:
        return normal_forms([word for word, _ in self._located], self._form.unstemmed)

    def __len__(self) -> int:
        return len(self._forms)

    def of(self, query: KeywordQuery) -> list[list[Bounds]]:
        """Return where each phrase of a keyword is, with its signs."""
        return list(map(self._of_phrase, query.phrases, query.signs))

    def _of_phrase(self, phrase: Phrase, signs: Signs) -> list[Bounds]:
        more = len(phrase) - 1
        found = self._positions(phrase[0])
        if more:
            found = [at for at in found if self._continues(at, phrase)]
        if not signs:
            return [(self._bounds(at)[0], self._bounds(at + more)[1]) for at in found]
        words = ([*map(self._bounds, range(at, at + more + 1))] for at in found)
        signed = (bounds_with_signs(self._text, each, signs) for each in words)
        return [each for each in signed if each is not None]

    def _positions(self, word: str) -> list[int]:
        if not self._others and not is_part(word):  # as in most texts
            return [at for at, form in enumerate(self._forms) if form == word]
        return [at for at in range(len(self._forms)) if self._is(at, word)]

    def _continues(self, at: int, phrase: Phrase) -> bool:
        is_whole = at + len(phrase) <= len(self._forms)
        return is_whole and all(self._is(at + n, word) for n, word in enumerate(phrase) if n)

    def _is(self, at: int, word: str) -> bool:
        if is_part(word):
            return has_part(word)(self._unstemmed[at])
        return self._forms[at] == word or word in self._others.get(self._located[at][0], ())

    def _bounds(self, at: int) -> Bounds:
        word, start = self._located[at]
        return self._start + start, self._start + start + len(word)


def spans_within(spans: Iterable[Bounds], bounds: Bounds, shift: int) -> tuple[Span, ...]:
    """Return the parts of spans within bounds, MAX_MARKS at most.

    They count from the start of the bounds on, which stands after ``shift`` characters.
    """
    low, high = bounds
    move = shift - low
    found: list[Span] = []
    for start, end in spans:
        first, last = max(low, start), min(high, end)
        if first < last:
            found.append(Span(first + move, last + move))
            if len(found) == MAX_MARKS:
                break
    return tuple(found)


def near_rarest(found: Sequence[Positions]) -> list[Positions]:
    """Keep, of the sorted positions of each phrase, those next to one of the rarest phrase.

    The smallest span with all phrases is among them::

        near_rarest([np.array([5]), np.array([1, 4, 9, 12])])  # [[5], [4, 9]]
    """
    rarest = min(found, key=len)[: MAX_TRIED // len(found) + 1]
    return [_next_to(each, rarest) for each in found]


def _next_to(positions: Positions, others: Positions) -> Positions:
    after = np.searchsorted(positions, others)
    which = np.unique(np.concatenate((after - 1, after)))
    return positions[which[(which >= 0) & (which < len(positions))]]


def smallest_span(phrases: Sequence[Iterable[Bounds]]) -> Bounds:
    """Return the first of the smallest spans that have a span of each phrase.

    smallest_span([[(0, 2), (9, 10)], [(5, 8)]]) is ``(5, 10)``.
    """
    found = sorted((start, end, n) for n, spans in enumerate(phrases) for start, end in spans)
    return min(_covering(found, len(phrases)), default=(0, 0), key=lambda span: span[1] - span[0])


def _covering(found: Iterable[tuple[int, int, int]], count: int) -> Iterator[Bounds]:
    """Yield, at each occurrence, the span back to the latest one of every phrase."""
    latest: dict[int, Bounds] = {}
    for start, end, phrase in found:
        # Inserted again, so that the first entry is always the oldest.
        latest.pop(phrase, None)
        latest[phrase] = start, end
        if len(latest) == count:
            oldest = next(iter(latest.values()))
            yield oldest[0], max(end for _, end in latest.values())
