"""Stems of words, by Snowball."""

from functools import lru_cache

import snowballstemmer

_LONGEST = 64
_CACHED = 200_000
_ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "hi": "hindi",
    "hu": "hungarian",
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
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}


def stem(word: str, language: str) -> str:
    """Give the stem of a word of a language (ISO 639-1).

    A word of a language without a stemmer, or longer than any real one, is its own stem.
    """
    algorithm = _ALGORITHMS.get(language)
    return _stem(word, algorithm) if algorithm and len(word) <= _LONGEST else word


@lru_cache(maxsize=_CACHED)
def _stem(word: str, algorithm: str) -> str:
    # A stemmer of its own, as threads may not share one.
    stemmed: str = snowballstemmer.stemmer(algorithm).stemWord(word)
    return stemmed
