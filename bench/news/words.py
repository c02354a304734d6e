"""What a word is to the truth: its own few lines, so that no way judges itself."""

import re
from functools import cache
from unicodedata import normalize

import stopwordsiso

UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
"""Scripts that are written without spaces: a keyword is there if its characters are."""
_WORD = re.compile(r"[^\W_]+(?:['\u2019\u200c][^\W_]+)*")
_KEYWORD = re.compile(r"[^\W\d_]{4,24}|[\uac00-\ud7a3]{2,24}")
_UNSPACED_KEYWORD = re.compile(r"[\u4e00-\u9fff]{2,4}")
# A point ends a sentence after four letters: after fewer it may be one of "Art." or "z. B.", and
# of a piece of a sentence nobody could say that nothing changed around it.
_SENTENCE = re.compile(r"(?<=[^\W\d_]{4}[.])\s+|(?<=[!?])\s+|(?<=[\u3002\uff01\uff1f])|\n")
_SPACE = re.compile(r"\s+")
_VARYING = re.compile(
    r"\d+|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b|\b[ap]m\b"
    r"|\b(?:an?|minutes?|mins?|hours?|days?|weeks?|months?|ago|h|d|mo)\b",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Return a text in NFKC, with single blanks."""
    return _SPACE.sub(" ", normalize("NFKC", text)).strip()


def words(text: str) -> list[str]:
    """Return the words of a text; in scripts without spaces, whole runs."""
    return _WORD.findall(text)


def has(text: str, keyword: str) -> bool:
    """Whether every word of a keyword is in a text as a whole word."""
    return all(
        each in text and (UNSPACED.match(each) or each in words(text)) for each in keyword.split()
    )


def sentences(text: str) -> list[str]:
    """Cut a text into its lines and sentences."""
    return [each.strip() for each in _SENTENCE.split(text) if each.strip()]


def candidates(text: str, language: str) -> list[str]:
    """Return the words of a text that may be a keyword, in order, each once."""
    found = dict.fromkeys(
        each for word in words(text) for each in _candidate(word)
        if each.lower() not in _stopwords(language)
    )  # fmt: skip
    return list(found)


def _candidate(word: str) -> list[str]:
    if UNSPACED.search(word):
        return _UNSPACED_KEYWORD.findall(word)[:2]
    return [word] if _KEYWORD.fullmatch(word) else []


@cache
def _stopwords(language: str) -> frozenset[str]:
    return frozenset(stopwordsiso.stopwords(language))


def masked(text: str) -> str:
    """Return a text without what varies by itself: numbers, times, days and months."""
    return plain(_VARYING.sub("#", text))
