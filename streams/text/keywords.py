"""Phrases of a keyword, and the keyword compiled to how a subscription compares words."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from unicodedata import normalize

from streams.text.tokens import WORD
from streams.text.word_forms import WordForm, is_stopword, normal_form

ANY_CHANGE = "*"
"""The keyword that any change matches."""

Phrase = tuple[str, ...]
"""Words that must be adjacent."""

_CACHED = 100_000
_PART = re.compile(r'"([^"]*)"|([^\s"]+)')


class KeywordQuery(NamedTuple):
    """A compiled keyword: a sentence matches that has all of its phrases.

    ``filtered`` says that stop words were taken out of the phrases, and have to be taken
    out of the sentence too; ``matches_anything`` that every change matches.
    """

    keyword: str
    form: WordForm
    phrases: tuple[Phrase, ...]
    filtered: bool
    matches_anything: bool


def keyword_phrases(keyword: str) -> tuple[Phrase, ...]:
    """Return the phrases that a sentence must all contain, each as words in NFKC.

    Text in double quotes is one phrase, and so is every other part between white space.
    Most of these have one word. Those with inner punctuation and those of scripts that
    are written without spaces have more::

        keyword_phrases('"New York" 3.14')  # (("New", "York"), ("3", "14"))
    """
    if _is_simple(keyword):
        return tuple([(word,) for word in keyword.split()])
    parts = _PART.findall(normalize("NFKC", keyword))
    return tuple(filter(None, (tuple(WORD.findall(quoted or part)) for quoted, part in parts)))


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


@lru_cache(maxsize=_CACHED)
def compile_keyword(keyword: str, form: WordForm, filter_stopwords: bool) -> KeywordQuery:
    """Compile a keyword; one that has nothing but stop words keeps them.

    compile_keyword('"The Giants" eyes', WordForm("en", True, True), True).phrases
    is ``(("giant",), ("eye",))``.
    """
    written = keyword_phrases(keyword)
    filtered = filter_stopwords and tuple(
        filter(
            None,
            (
                tuple(word for word in phrase if not is_stopword(word, form.language))
                for phrase in written
            ),
        )
    )
    chosen = filtered or written
    return KeywordQuery(
        keyword=keyword,
        form=form,
        phrases=tuple([tuple([normal_form(word, form) for word in each]) for each in chosen]),
        filtered=bool(filtered),
        matches_anything=keyword == ANY_CHANGE,
    )
