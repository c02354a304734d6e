"""What a keyword asks for."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from unicodedata import normalize

from streams.core.text.tokens import WORD

ANY = "*"
"""The keyword that any change matches."""

Phrase = tuple[str, ...]

_PART = re.compile(r'"([^"]*)"|([^\s"]+)')


def phrases(keyword: str) -> tuple[Phrase, ...]:
    """Give the phrases that a passage must all contain, each as words in NFKC.

    What stands in double quotes is one phrase, and so is every other part between
    white space: most have one word; inner punctuation (``3.14``) and scripts written
    without spaces give more, which must be adjacent.
    """
    if _is_simple(keyword):
        return tuple([(word,) for word in keyword.split()])
    return tuple(filter(None, _phrases(normalize("NFKC", keyword))))


def words(keyword: str) -> list[str]:
    """Give the words of all phrases."""
    return keyword.split() if _is_simple(keyword) else list(chain.from_iterable(phrases(keyword)))


def valid_keywords(keywords: Sequence[str]) -> tuple[str, ...]:
    """Keep the keywords that have a word, or else ``*`` if it is among them."""
    valid = tuple(keyword for keyword in keywords if phrases(keyword))
    return valid or ((ANY,) if ANY in keywords else ())


def _is_simple(keyword: str) -> bool:
    """Tell of most keywords, and quickly, that they are words between blanks."""
    return keyword.isascii() and keyword.replace(" ", "").isalnum()


def _phrases(keyword: str) -> Iterator[Phrase]:
    for quoted, part in _PART.findall(keyword):
        yield tuple(WORD.findall(quoted or part))
