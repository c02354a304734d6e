"""The words of a text with their places."""

from collections.abc import Iterator

from streams.core.text.tokens import WORD
from streams.core.text.word_forms import WordForm, normal_form

Place = tuple[int, int, int]
"""How many words are before a word, and its start and end in characters."""


def words(text: str, position: int = 0, start: int = 0) -> Iterator[Place]:
    """Give the words from ``start`` on, the first one's position being given."""
    for place, found in enumerate(WORD.finditer(text, start), position):
        yield place, *found.span()


def is_word(text: str) -> bool:
    """Tell whether a text is one word."""
    return WORD.fullmatch(text) is not None


def occurrences(
    text: str,
    word: str,
    language: str | None,
    ignore_case: bool,
    position: int = 0,
    start: int = 0,
) -> Iterator[Place]:
    """Give where a word is, spelt as a subscription's keyword would be understood.

    ``language`` (ISO 639-1) says how case is ignored, if it is.
    """
    form = WordForm(language or "und", stemming=False, ignore_case=ignore_case)
    wanted = normal_form(word, form)
    for place, begin, end in words(text, position, start):
        if normal_form(text[begin:end], form) == wanted:
            yield place, begin, end
