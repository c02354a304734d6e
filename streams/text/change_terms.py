"""Terms by which changes are found: the stems of their words, each once."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from schemas.records.changes import DocumentChanged
from streams.text.keywords import Phrase, keyword_phrases
from streams.text.stemming import LONGEST
from streams.text.tokens import split_words
from streams.text.word_forms import WordForm, normal_form, other_forms

MAX_WORDS = 10_000
"""Words of a change by which it is found, the first ones."""


def searched_texts(change: DocumentChanged) -> Iterator[str]:
    """Yield the sentences of a change, of an edited one both sides, and the title of the page."""
    for region in change.regions:
        for edit in region.edits:
            for place, side in (region.added, edit.added), (region.removed, edit.removed):
                if place is not None and side is not None:
                    yield place.text[side.start : side.end]
    yield change.title


def compared(language: str) -> WordForm:
    """Return the form in which words of a search are compared."""
    return WordForm(language, stemming=True, ignore_case=True)


def change_terms(change: DocumentChanged, language: str) -> str:
    """Return the terms of a change, sorted, with blanks between; ``language`` is the change's.

    >>> from schemas.records.changes import Edit, Place, Region, Sentence
    >>> edit = Edit("added", None, Sentence(0, 18, ()), "")
    >>> region = Region(None, Place(0, "The giant's giants"), (), (edit,))
    >>> one = DocumentChanged("c", "u", "w", 0, 0, "text/html", "en", (region,), 0)
    >>> change_terms(one, "en")
    'giant the'
    """
    every = (word for text in searched_texts(change) for word in split_words(text))
    words, form = dict.fromkeys(islice(every, MAX_WORDS)), compared(language)
    found = {normal_form(word, form) for word in words}
    found.update(*other_forms(words, form).values())
    return " ".join(sorted(term[:LONGEST] for term in found if term))


def searched_phrases(text: str) -> tuple[Phrase, ...]:
    """Return the phrases of a search, each as words; those in double quotes are one phrase.

    >>> searched_phrases('"New York" taxi*')
    (('New', 'York'), ('taxi',))
    """
    return keyword_phrases(text.replace("*", " "))


def term_choices(
    phrases: Sequence[Phrase], languages: Iterable[str]
) -> tuple[tuple[str, ...], ...]:
    """Return the terms of a search in each language, once if two languages have the same.

    A sign that has no letter in its normal form, such as the Arabic tatweel, is no term.

    >>> term_choices([("giants",)], ["en", "und"])
    (('giant',), ('giants',))
    """
    words = {word for phrase in phrases for word in phrase}
    found = (
        {normal_form(word, compared(language))[:LONGEST] for word in words}
        for language in languages
    )
    return tuple(sorted({tuple(sorted(terms - {""})) for terms in found} - {()}))
