"""Stems of words: Snowball's, or those of a plug-in."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Self

import snowballstemmer

LONGEST = 64
"""Characters of a real word."""
_CACHED = 200_000
# All of Snowball's algorithms, except the two that newer ones of English and Dutch replaced.
ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


class PluginLanguage(str):
    """A language with the stemmer of a plug-in.

    As a string it differs from the language's code and from other versions of the
    stemmer, so caches keep their words apart::

        latin = PluginLanguage("la", "1", lambda word: word[:4])
        stem_word("gigantes", latin)  # "giga"
        latin, language_code(latin)   # "la-x-1", "la"
    """

    __slots__ = ("code", "stem")

    code: str
    stem: Callable[[str], str]

    def __new__(cls, code: str, version: str, stem: Callable[[str], str]) -> Self:
        """``code`` is ISO 639-1; ``version`` is of the stemmer; ``stem`` may not raise."""
        language = super().__new__(cls, f"{code}-x-{version}")
        language.code, language.stem = code, stem
        return language


def language_code(language: str) -> str:
    """Return the ISO 639-1 code of a language, whatever its stemmer."""
    return language.code if isinstance(language, PluginLanguage) else language


def stem_word(word: str, language: str) -> str:
    """Return the stem of a word; ``language`` is ISO 639-1 or a ``PluginLanguage``.

    A word of a language without a stemmer, or longer than any real word, is its own stem.
    """
    if isinstance(language, PluginLanguage):
        return language.stem(word)
    algorithm = ALGORITHMS.get(language)
    return _stem(word, algorithm) if algorithm and len(word) <= LONGEST else word


def has_stemmer(language: str) -> bool:
    """Whether words of a language are stemmed."""
    return isinstance(language, PluginLanguage) or language in ALGORITHMS


def stem_words(words: Sequence[str], language: str) -> list[str]:
    """Return the stem of each word: quicker than one by one, and cached nowhere."""
    algorithm = ALGORITHMS.get(language)
    if isinstance(language, PluginLanguage) or not algorithm:
        return [stem_word(word, language) for word in words]
    stemmer = snowballstemmer.stemmer(algorithm)
    stemmer.maxCacheSize = 0  # each word comes once
    whole = stemmer.stemWords(words)
    return [s if len(w) <= LONGEST else w for w, s in zip(words, whole, strict=True)]


@lru_cache(maxsize=_CACHED)
def _stem(word: str, algorithm: str) -> str:
    # A new stemmer for each call, because threads may not share one.
    stemmed: str = snowballstemmer.stemmer(algorithm).stemWord(word)
    return stemmed
