"""Where a keyword and what changed are in a text that a client is shown."""

from collections.abc import Iterable
from itertools import chain

from schemas.records.changes import Span
from streams.matching.phrase_span import Bounds
from streams.text.keywords import KeywordQuery, Phrase
from streams.text.tokens import located_words
from streams.text.word_forms import is_stopword, normal_forms

MAX_MARKS = 20
"""Spans of one kind that are marked in one text."""


class WordPlaces:
    """Where the words of a part of a text are, for all keywords that compare words alike."""

    def __init__(self, text: str, bounds: Bounds, query: KeywordQuery) -> None:
        """Find the words, in the form of a query, between two offsets of the text."""
        located = list(chain.from_iterable(located_words(text[slice(*bounds)])))
        if query.filtered:
            language = query.form.language
            located = [each for each in located if not is_stopword(each[0], language)]
        self._start = bounds[0]
        self._located = located
        self._forms = normal_forms([word for word, _ in located], query.form)

    def __len__(self) -> int:
        return len(self._forms)

    def of(self, phrase: Phrase) -> list[Bounds]:
        """Return where a phrase is."""
        more, word, forms = len(phrase) - 1, phrase[0], self._forms
        return [
            self._bounds(at, at + more)
            for at, form in enumerate(forms)
            if form == word and (not more or tuple(forms[at : at + more + 1]) == phrase)
        ]

    def _bounds(self, first: int, last: int) -> Bounds:
        word, at = self._located[last]
        return self._start + self._located[first][1], self._start + at + len(word)


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
