"""Where a keyword and what changed are in a text that a client is shown."""

from collections.abc import Iterable, Sequence
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
    words = [
        (normal_form(word, query.form), start + at, start + at + len(word))
        for word, at in chain.from_iterable(located_words(text[start:end]))
        if not (query.filtered and is_stopword(word, query.form.language))
    ]
    return [_occurrences(words, phrase) for phrase in query.phrases]


def marks(
    changed: Iterable[Bounds], keyword: Iterable[Bounds], text: Bounds, snippet: Bounds, shift: int
) -> Marks:
    """Return what to mark in a text and in its snippet, which begins after ``shift`` characters."""
    both = list(changed), sorted(set(keyword))
    return Marks(
        Marked(*(_within(each, text, 0) for each in both)),
        Marked(*(_within(each, snippet, shift) for each in both)),
    )


def _occurrences(words: Sequence[tuple[str, int, int]], phrase: Phrase) -> list[Bounds]:
    size = len(phrase)
    return [
        (words[at][1], words[at + size - 1][2])
        for at in range(len(words) - size + 1)
        if words[at][0] == phrase[0]
        and tuple([each[0] for each in words[at : at + size]]) == phrase
    ]


def _within(spans: Iterable[Bounds], bounds: Bounds, shift: int) -> tuple[Span, ...]:
    """Return the parts of spans within bounds, from the start of these on."""
    low, high = bounds
    move = shift - low
    parts = ((max(start, low), min(end, high)) for start, end in spans)
    found = [Span(start + move, end + move) for start, end in parts if start < end]
    return tuple(found[:MAX_MARKS])
