"""Excerpts of changes: the sentence in which the words of a search stand, with the words marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schemas.records.changes import DocumentChanged
from streams.text.change_terms import MAX_WORDS, compared, searched_texts
from streams.text.keywords import Phrase
from streams.text.tokens import WORD
from streams.text.word_forms import WordForm, normal_form, other_forms

MAX_EXCERPT = 300
"""Characters of an excerpt."""
BEFORE = 80
"""Characters before the first word that was found, in a longer sentence."""
CUT = "…"

Marks = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a sentence; ``marks`` are the starts and ends of its found words."""

    text: str
    marks: Marks


def excerpt(change: DocumentChanged, phrases: Sequence[Phrase], language: str) -> Excerpt | None:
    """Return the excerpt of the sentence with the most phrases of a search.

    None if a phrase is nowhere in the change. ``language`` is the change's.
    """
    form = compared(language)
    wanted = [tuple(normal_form(word, form) for word in phrase) for phrase in phrases]
    missing, most = set(range(len(wanted))), 0
    best = Excerpt("", ())
    for text, words in _worded(change, form):
        found = [list(_places(words, phrase)) for phrase in wanted]
        missing -= {number for number, places in enumerate(found) if places}
        count = sum(map(bool, found))
        if count > most:
            most, best = count, _cut(text, tuple(sorted({mark for each in found for mark in each})))
        if most == len(wanted):
            break
    return None if missing else best


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a sentence: the forms of each, and its start and end."""

    forms: Sequence[frozenset[str]]
    spans: Sequence[tuple[int, int]]


def _worded(change: DocumentChanged, form: WordForm) -> Iterator[tuple[str, _Words]]:
    room = MAX_WORDS
    for text in searched_texts(change):
        spans = [found.span() for found in WORD.finditer(text)][: max(room, 0)]
        room -= len(spans)
        words = [text[start:end] for start, end in spans]
        others = other_forms(words, form)
        forms = [frozenset((normal_form(word, form), *others.get(word, ()))) for word in words]
        yield text, _Words(forms, spans)


def _places(words: _Words, phrase: Phrase) -> Iterator[tuple[int, int]]:
    """Yield the words of a phrase, as often as it stands in a sentence."""
    for at in range(len(words.forms) - len(phrase) + 1):
        if all(word in words.forms[at + number] for number, word in enumerate(phrase)):
            yield from words.spans[at : at + len(phrase)]


def _cut(text: str, marks: Marks) -> Excerpt:
    """Return the part of a sentence around its first mark.

    >>> _cut("Zeus sleeps.", ((0, 4),))
    Excerpt(text='Zeus sleeps.', marks=((0, 4),))
    """
    if len(text) <= MAX_EXCERPT:
        return Excerpt(text, marks)
    start = 0 if marks[0][0] <= BEFORE else text.find(" ", marks[0][0] - BEFORE, marks[0][0]) + 1
    start = start or max(0, marks[0][0] - BEFORE)
    lead = CUT if start else ""
    end = start + MAX_EXCERPT - len(lead) - len(CUT)
    shown = f"{lead}{text[start:end]}{CUT if end < len(text) else ''}"
    moved = len(lead) - start
    return Excerpt(shown, tuple((a + moved, min(b, end) + moved) for a, b in marks if a < end))
