"""What a keyword asks for."""

import re
from collections.abc import Iterator, Sequence
from unicodedata import normalize

from streams.core.tokens import WORD

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
    if keyword.isascii() and keyword.replace(" ", "").isalnum():  # as most are, and quick
        return tuple((word,) for word in keyword.split())
    return tuple(filter(None, _phrases(normalize("NFKC", keyword))))


def valid_keywords(keywords: Sequence[str]) -> tuple[str, ...]:
    """Keep the keywords that have a word, or else ``*`` if it is among them."""
    valid = tuple(keyword for keyword in keywords if phrases(keyword))
    return valid or ((ANY,) if ANY in keywords else ())


def _phrases(keyword: str) -> Iterator[Phrase]:
    for quoted, part in _PART.findall(keyword):
        yield tuple(WORD.findall(quoted or part))
