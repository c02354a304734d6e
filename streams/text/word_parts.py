"""Parts of words, such as ``*jacke`` and ``inflation*``, by which keywords find compounds."""

from collections.abc import Callable
from unicodedata import normalize

from streams.text.tokens import DENSE, WORD

ANY_LETTERS = "*"
"""Stands for the rest of a word, before or after a part of it."""
LEAST_LETTERS = 3
"""Letters of a part: fewer are in too many words."""


def words_and_parts(text: str) -> tuple[str, ...]:
    """Return the words of a text, those with a star next to them as parts.

    >>> words_and_parts("*jacke Inflation* 5*")
    ('*jacke', 'Inflation*', '5')
    """
    if ANY_LETTERS not in text:
        return tuple(WORD.findall(text))
    return tuple(_with_stars(text, *found.span()) for found in WORD.finditer(text))


def _with_stars(text: str, start: int, end: int) -> str:
    # A syllable of Korean has two letters or three.
    if len(normalize("NFD", text[start:end])) < LEAST_LETTERS or DENSE.match(text, start):
        return text[start:end]
    before = ANY_LETTERS if text[start - 1 : start] == ANY_LETTERS else ""
    after = ANY_LETTERS if text[end : end + 1] == ANY_LETTERS else ""
    return f"{before}{text[start:end]}{after}"


def is_part(word: str) -> bool:
    """Whether a keyword's word is a part of words."""
    return ANY_LETTERS in word


def has_part(part: str) -> Callable[[str], bool]:
    """Return whether a word has a part, both in the same form.

    >>> list(map(has_part("*jacke"), ["regenjacke", "jacke", "jacken"]))
    [True, True, False]
    """
    letters = part.strip(ANY_LETTERS)
    if not part.endswith(ANY_LETTERS):
        return lambda word: word.endswith(letters)
    if not part.startswith(ANY_LETTERS):
        return lambda word: word.startswith(letters)
    return lambda word: letters in word
