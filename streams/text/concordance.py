"""Positions of words in a text, for the playground that shows them."""

from collections.abc import Callable, Iterator

from streams.text.tokens import WORD
from streams.text.word_forms import WordForm, normal_form

WordPosition = tuple[int, int, int]
"""The number of words before a word, and its start and end in characters."""


def word_positions(text: str, position: int = 0, start: int = 0) -> Iterator[WordPosition]:
    """Yield the words from the character ``start`` on; ``position`` is that of the first one.

    ``list(word_positions("a giant"))`` is ``[(0, 0, 1), (1, 2, 7)]``.
    """
    for at, found in enumerate(WORD.finditer(text, start), position):
        yield at, *found.span()


def is_word(text: str) -> bool:
    """Whether a text is one word."""
    return WORD.fullmatch(text) is not None


def same_word(word: str, language: str | None, ignore_case: bool) -> Callable[[str], bool]:
    """Return whether another word is the same, compared as a subscription's keyword would be.

    ``language`` (ISO 639-1) decides how case is ignored, if it is.

    >>> is_zeus = same_word("zeus", "en", ignore_case=True)
    >>> is_zeus("ZEUS"), is_zeus("Hera")
    (True, False)
    """
    form = WordForm(language or "und", stemming=False, ignore_case=ignore_case)
    wanted = normal_form(word, form)
    return lambda other: normal_form(other, form) == wanted
