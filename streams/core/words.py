"""The normal form of words: what makes two of them the same to a subscription."""

from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from stopwordsiso import langs, stopwords

from streams.core.stemming import code, stem
from streams.core.tokens import DENSE, INVISIBLE

_SPELLING = {ord("\u2019"): "'"} | dict.fromkeys(map(ord, INVISIBLE))
_CACHED = 200_000


class Form(NamedTuple):
    """How words are made comparable: by the document's language and a client's options."""

    language: str
    stemming: bool
    ignore_case: bool


@lru_cache(maxsize=_CACHED)
def normal(word: str, form: Form) -> str:
    """Give the normal form of a word: NFKC, one apostrophe, then case and stem if wanted."""
    word = _folded(word) if form.ignore_case else _spelt(word)
    return stem(word, form.language) if form.stemming else word


@lru_cache(maxsize=_CACHED)
def is_stopword(word: str, language: str) -> bool:
    """Tell whether a word, in whatever case, says nothing in a language (ISO 639-1).

    A single character of a script without spaces is no word in itself, so it never is.
    """
    return not DENSE.match(word) and _folded(word) in _stopwords(code(language))


def is_stopword_anywhere(word: str) -> bool:
    """Tell whether a word says nothing in some language; if not, it is one nowhere."""
    return not DENSE.match(word) and _folded(word) in _all_stopwords()


def _spelt(word: str) -> str:
    # Once more, as marks may come to stand beside their letter.
    return normalize("NFKC", normalize("NFKC", word).translate(_SPELLING))


def _folded(word: str) -> str:
    """Fold case for good (Unicode 3.13, D146: compatibility caseless matching)."""
    once = normalize("NFKC", normalize("NFD", _spelt(word)).casefold())
    return normalize("NFKC", once.casefold())


@lru_cache
def _stopwords(language: str) -> frozenset[str]:
    return frozenset(map(_folded, stopwords(language)))


@lru_cache
def _all_stopwords() -> frozenset[str]:
    return frozenset().union(*map(_stopwords, langs()))
