"""The normal form of words: what makes two of them the same to a subscription."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from unicodedata import normalize

from stopwordsiso import langs, stopwords

from streams.core.text.stemming import PluginLanguage, code, stem, stem_words
from streams.core.text.tokens import DENSE, INVISIBLE

TURKISH = "tr"
"""The language whose capital I is not an i."""

_APOSTROPHES = "\u2019\u02bc"
_VARIATIONS = chain(range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Selectors of another look of the character before, which stays the same."""
_SPELLING = dict.fromkeys(map(ord, _APOSTROPHES), "'") | dict.fromkeys(
    chain(map(ord, INVISIBLE), _VARIATIONS)
)
_DOTTED = re.compile("i\u0307+")
_CACHED = 200_000


class WordForm(NamedTuple):
    """How words are made comparable: by the document's language and a client's options."""

    language: str
    stemming: bool
    ignore_case: bool


@lru_cache(maxsize=_CACHED)
def normal_form(word: str, form: WordForm) -> str:
    """Give the normal form of a word: NFKC, one apostrophe, then case and stem if wanted."""
    word = unstemmed(word, code(form.language), ignore_case=form.ignore_case)
    return stem(word, form.language) if form.stemming else word


def normal_forms(words: Sequence[str], form: WordForm) -> list[str]:
    """Give what ``normal`` gives for each word, quicker for many.

    A stemmer that was plugged in may be slow: it is not asked again.
    """
    if isinstance(form.language, PluginLanguage):
        return [normal_form(word, form) for word in words]
    unstemmed = _unstemmed(words, form)
    return stem_words(unstemmed, form.language) if form.stemming else unstemmed


def unstemmed(word: str, language: str, *, ignore_case: bool) -> str:
    """Give the normal form of a word of a language (ISO 639-1) but for its stem."""
    return _folded(word, language) if ignore_case else _spelt(word)


@lru_cache(maxsize=_CACHED)
def is_stopword(word: str, language: str) -> bool:
    """Tell whether a word, in whatever case, says nothing in a language (ISO 639-1).

    A single character of a script without spaces is no word in itself, so it never is.
    """
    language = code(language)
    return not DENSE.match(word) and _folded(word, language) in _stopwords(language)


def is_stopword_anywhere(word: str) -> bool:
    """Tell whether a word says nothing in some language; if not, it is one nowhere."""
    folded = {_folded(word, ""), _folded(word, TURKISH)}
    return not folded.isdisjoint(_all_stopwords()) and not DENSE.match(word)


def _unstemmed(words: Sequence[str], form: WordForm) -> list[str]:
    text = "\n".join(words)
    if not text.isascii() or (form.ignore_case and code(form.language) == TURKISH and "I" in text):
        plain = form._replace(stemming=False)
        return [normal_form(word, plain) for word in words]
    return text.lower().splitlines() if form.ignore_case else list(words)


def _spelt(word: str) -> str:
    if word.isascii():
        return word
    # Once more, as marks may come to stand beside their letter.
    return normalize("NFKC", normalize("NFKC", word).translate(_SPELLING))


def _folded(word: str, language: str) -> str:
    """Fold case for good (Unicode 3.13, D146: compatibility caseless matching).

    Other than there a capital I with a dot is an i; in Turkish one without is none.
    """
    spelt = _spelt(word)
    if spelt.isascii() and (language != TURKISH or "I" not in spelt):
        return spelt.lower()
    if language == TURKISH:
        spelt = spelt.replace("I", "\u0131")
    once = normalize("NFKC", normalize("NFD", spelt).casefold())
    return normalize("NFKC", _DOTTED.sub("i", normalize("NFKC", once.casefold())))


@lru_cache
def _stopwords(language: str) -> frozenset[str]:
    return frozenset(_folded(word, language) for word in stopwords(language))


@lru_cache
def _all_stopwords() -> frozenset[str]:
    return frozenset().union(*map(_stopwords, langs()))
