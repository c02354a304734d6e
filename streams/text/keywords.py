"""What a keyword asks for."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from unicodedata import normalize

from streams.text.tokens import WORD

ANY_CHANGE = "*"
"""The keyword that any change matches."""

Phrase = tuple[str, ...]
"""Words that must be adjacent."""

_PART = re.compile(r'"([^"]*)"|([^\s"]+)')


def keyword_phrases(keyword: str) -> tuple[Phrase, ...]:
    """Return the phrases that a sentence must all contain, each as words in NFKC.

    Text in double quotes is one phrase, and so is every other part between white space.
    Most of these have one word. Those with inner punctuation and those of scripts that
    are written without spaces have more::

        keyword_phrases('"New York" 3.14')  # (("New", "York"), ("3", "14"))
    """
    if _is_simple(keyword):
        return tuple([(word,) for word in keyword.split()])
    return tuple(filter(None, _phrases(normalize("NFKC", keyword))))


def keyword_words(keyword: str) -> list[str]:
    """Return the words of all phrases of a keyword."""
    if _is_simple(keyword):
        return keyword.split()
    return list(chain.from_iterable(keyword_phrases(keyword)))


def valid_keywords(keywords: Sequence[str]) -> tuple[str, ...]:
    """Return the keywords that have a word; if none has, ``*`` if it is among them.

    Without any the subscription could never be notified::

        valid_keywords(["giant", "?!"])  # ("giant",)
        valid_keywords(["*", "?!"])      # ("*",)
        valid_keywords(["?!"])           # ()
    """
    valid = tuple(keyword for keyword in keywords if keyword_phrases(keyword))
    return valid or ((ANY_CHANGE,) if ANY_CHANGE in keywords else ())


def _is_simple(keyword: str) -> bool:
    """Whether a keyword is plain words between blanks, as most are: a quick test."""
    return keyword.isascii() and keyword.replace(" ", "").isalnum()


def _phrases(keyword: str) -> Iterator[Phrase]:
    for quoted, part in _PART.findall(keyword):
        yield tuple(WORD.findall(quoted or part))
