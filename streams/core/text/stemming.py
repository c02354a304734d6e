"""Stems of words, by Snowball."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Self

import snowballstemmer

_LONGEST = 64
_CACHED = 200_000
# All of Snowball but its two former ones of English and Dutch.
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
    """A language with a stemmer that was plugged in.

    As a string it is unlike the language's code and unlike any other version of the
    stemmer, so nothing that was cached for the one is taken for the other.
    """

    __slots__ = ("code", "stem")

    code: str
    stem: Callable[[str], str]

    def __new__(cls, code: str, version: str, stem: Callable[[str], str]) -> Self:
        """``code`` is ISO 639-1; ``stem`` may not raise."""
        language = super().__new__(cls, f"{code}-x-{version}")
        language.code, language.stem = code, stem
        return language


def code(language: str) -> str:
    """Give the ISO 639-1 code of a language, whatever its stemmer."""
    return language.code if isinstance(language, PluginLanguage) else language


def stem(word: str, language: str) -> str:
    """Give the stem of a word of a language (ISO 639-1, or one with a stemmer plugged in).

    A word of a language without a stemmer, or longer than any real one, is its own stem.
    """
    if isinstance(language, PluginLanguage):
        return language.stem(word)
    algorithm = ALGORITHMS.get(language)
    return _stem(word, algorithm) if algorithm and len(word) <= _LONGEST else word


def has_stemmer(language: str) -> bool:
    """Tell whether words of a language are stemmed."""
    return isinstance(language, PluginLanguage) or language in ALGORITHMS


def stem_words(words: Sequence[str], language: str) -> list[str]:
    """Give what ``stem`` gives for each word, quicker for many that are asked for once."""
    algorithm = ALGORITHMS.get(language)
    if isinstance(language, PluginLanguage) or not algorithm:
        return [stem(word, language) for word in words]
    stemmer = snowballstemmer.stemmer(algorithm)
    stemmer.maxCacheSize = 0  # each is asked for once
    whole = stemmer.stemWords(words)
    return [s if len(w) <= _LONGEST else w for w, s in zip(words, whole, strict=True)]


@lru_cache(maxsize=_CACHED)
def _stem(word: str, algorithm: str) -> str:
    # A stemmer of its own, as threads may not share one.
    stemmed: str = snowballstemmer.stemmer(algorithm).stemWord(word)
    return stemmed
