"""Where a keyword and what changed are in a text that a client is shown."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from schemas.changes import Marked, Marks, Span
from streams.core.matching.closest import Bounds
from streams.core.text.keywords import Phrase
from streams.core.text.queries import KeywordQuery
from streams.core.text.tokens import located_words
from streams.core.text.word_forms import is_stopword, normal_form

MAX_MARKS = 20
"""Spans of one kind that are marked in one text."""


def phrase_bounds(text: str, start: int, end: int, query: KeywordQuery) -> list[list[Bounds]]:
    """Return where each phrase of a keyword is between two offsets of a text."""
    located = list(chain.from_iterable(located_words(text[start:end])))
    form = query.form
    if query.filtered:
        language = form.language
        located = [each for each in located if not is_stopword(each[0], language)]
    forms = [normal_form(word, form) for word, _ in located]
    return [
        [
            (start + located[first][1], start + located[last][1] + len(located[last][0]))
            for first, last in _occurrences(forms, phrase)
        ]
        for phrase in query.phrases
    ]


def marks(
    changed: Iterable[Bounds], keyword: Iterable[Bounds], text: Bounds, snippet: Bounds, shift: int
) -> Marks:
    """Return what to mark in a text and in its snippet, which begins after ``shift`` characters."""
    both = list(changed), sorted(set(keyword))
    in_text = Marked(*(_within(each, text, 0) for each in both))
    if text == snippet and not shift:
        return Marks(in_text, in_text)
    return Marks(in_text, Marked(*(_within(each, snippet, shift) for each in both)))


def _occurrences(forms: Sequence[str], phrase: Phrase) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the first and the last word of each occurrence."""
    more, word = len(phrase) - 1, phrase[0]
    for at, form in enumerate(forms):
        if form == word and (not more or tuple(forms[at : at + more + 1]) == phrase):
            yield at, at + more


def _within(spans: Iterable[Bounds], bounds: Bounds, shift: int) -> tuple[Span, ...]:
    """Return the parts of spans within bounds, from the start of these on."""
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
