"""The normal form of words: two words are the same to a subscription if theirs are equal."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, wraps
from itertools import chain
from typing import NamedTuple, TypeVar, TypeVarTuple
from unicodedata import normalize

from stopwordsiso import langs, stopwords

from schemas.records.scripts import INVISIBLE
from streams.text.inner_words import MAY_HAVE_INNER, TURKISH, inner_words
from streams.text.stemming import (
    LONGEST,
    PluginLanguage,
    language_code,
    stem_word,
    stem_words,
)
from streams.text.tokens import DENSE

_GERMAN = "de"
_APOSTROPHES = "\u2019\u02bc"
_VARIATIONS = chain(range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x1F3FB, 0x1F400))
"""Variation selectors and skin tones: they change only how the character before them looks."""
_VOWELS = chain(
    (*range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7),
    (*range(0x610, 0x61B), 0x640, *range(0x64B, 0x653), *range(0x656, 0x660), 0x670),
    (*range(0x6D6, 0x6DD), *range(0x6DF, 0x6E5), 0x6E7, 0x6E8, *range(0x6EA, 0x6EE)),
)
"""Vowel signs of Hebrew and Arabic, which few texts have, and what lengthens a line."""
_SPELLING = (
    dict.fromkeys(map(ord, _APOSTROPHES), "'")
    | dict.fromkeys(chain(map(ord, INVISIBLE), _VARIATIONS, _VOWELS))
    | str.maketrans("\u0451\u0401", "\u0435\u0415")  # Russian yo, mostly written as ye
    # Letters of Persian that Arabic keyboards lack, and alefs, mostly written without their signs.
    | str.maketrans("\u06cc\u06a9\u0622\u0623\u0625\u0671", "\u064a\u0643\u0627\u0627\u0627\u0627")
)
_GREEK = str.maketrans("άέήίόύώΐΰ", "αεηιουωϊϋ")
"""Accents of Greek, which capitals lack."""
_DOTTED = re.compile("i\u0307+")
_CACHED = 200_000
_Rest = TypeVarTuple("_Rest")
_Result = TypeVar("_Result")


class WordForm(NamedTuple):
    """The form of compared words: the document's language, and a subscription's options."""

    language: str
    stemming: bool
    ignore_case: bool

    @property
    def unstemmed(self) -> "WordForm":
        """The same form without stems."""
        return self._replace(stemming=False)


def _cached(function: Callable[[str, *_Rest], _Result]) -> Callable[[str, *_Rest], _Result]:
    """Cache what is found for real words only: pages may have words of megabytes."""
    cached = lru_cache(maxsize=_CACHED)(function)

    @wraps(function)
    def of_word(word: str, /, *rest: *_Rest) -> _Result:
        return (cached if len(word) <= LONGEST else function)(word, *rest)

    return of_word


@_cached
def normal_form(word: str, form: WordForm) -> str:
    """Return the normal form of a word: NFKC, one kind of apostrophe, then case and stem.

    normal_form("Giants", WordForm("en", stemming=True, ignore_case=True)) is ``"giant"``.
    """
    word = unstemmed_form(word, language_code(form.language), ignore_case=form.ignore_case)
    return stem_word(word, form.language) if form.stemming else word


def normal_forms(words: Sequence[str], form: WordForm) -> list[str]:
    """Return the normal form of each word: quicker than one by one."""
    # A plug-in's stemmer may be slow, so its results are cached one by one.
    if isinstance(form.language, PluginLanguage):
        return [normal_form(word, form) for word in words]
    unstemmed = _unstemmed_forms(words, form)
    return stem_words(unstemmed, form.language) if form.stemming else unstemmed


def other_forms(words: Iterable[str], form: WordForm) -> dict[str, tuple[str, ...]]:
    """Return the words by which a keyword finds them in other forms, too, with these forms.

    Liverpool's is also found by Liverpool, and the Turkish Internet by internet.

    >>> other_forms(["Liverpool's", "win"], WordForm("en", stemming=False, ignore_case=True))
    {"Liverpool's": ('liverpool',)}
    """
    found = ((word, _other_forms(word, form)) for word in _with_other_forms(words, form))
    return {word: forms for word, forms in found if forms}


def _with_other_forms(words: Iterable[str], form: WordForm) -> Iterator[str]:
    """Yield the words that may have other forms: at once, for most have none."""
    language = language_code(form.language)
    if language == TURKISH:
        yield from words
        return
    if language == _GERMAN and form.stemming:
        words = list(words)
        yield from (word for word in words if word.endswith("s"))
    text = "\n".join(words)
    at = 0
    while found := MAY_HAVE_INNER.search(text, at):
        at = text.find("\n", found.end())
        at = len(text) if at < 0 else at
        yield text[text.rfind("\n", 0, found.start()) + 1 : at]


@_cached
def _other_forms(word: str, form: WordForm) -> tuple[str, ...]:
    own, language = normal_form(word, form), language_code(form.language)
    found = {normal_form(each, form) for each in inner_words(word, language)}
    if language == TURKISH and form.ignore_case:
        found.update(_either_folding(word, form))
    # The stemmer takes one ending of Bayerns, and another one of Bayern.
    if language == _GERMAN and form.stemming and word[-1:] == "s" and len(own) == len(word) - 1:
        found.add(stem_word(own, form.language))
    return tuple(sorted(found - {own}))


def _either_folding(word: str, form: WordForm) -> Iterator[str]:
    """Yield a word as if its I were an i, and the other way round: foreign words have such an I."""
    plain = _folded(word, "")
    if plain.isascii():
        for each in (plain, plain.replace("i", "\u0131"), re.sub("^i", "\u0131", plain)):
            yield stem_word(each, form.language) if form.stemming else each


def unstemmed_form(word: str, language: str, *, ignore_case: bool) -> str:
    """Return the normal form of a word of a language (ISO 639-1), but not stemmed."""
    return _folded(word, language) if ignore_case else _spelt(word)


@_cached
def is_stopword(word: str, language: str) -> bool:
    """Whether a word is a stop word of a language (ISO 639-1), in any case.

    A single character of a script without spaces never is, because it is only a part of
    a word.
    """
    language = language_code(language)
    return not DENSE.match(word) and _folded(word, language) in _stopwords(language)


@_cached
def is_stopword_anywhere(word: str) -> bool:
    """Whether a word may be a stop word of any language; if not, it is one of none."""
    if DENSE.match(word):
        return False
    folded = {_folded(word, ""), _folded(word, TURKISH)}
    return not folded.isdisjoint(_all_stopwords())


def _unstemmed_forms(words: Sequence[str], form: WordForm) -> list[str]:
    text = "\n".join(words)
    # One language for all but Turkish, in which case differs: so they share cached forms.
    is_turkish = language_code(form.language) == TURKISH
    plain = WordForm(TURKISH if is_turkish else "", stemming=False, ignore_case=form.ignore_case)
    if form.ignore_case and is_turkish and "I" in text:
        return [normal_form(word, plain) for word in words]
    if not text.isascii():
        lower = str.lower if form.ignore_case else str
        return [lower(word) if word.isascii() else normal_form(word, plain) for word in words]
    return text.lower().splitlines() if form.ignore_case else list(words)


def _spelt(word: str) -> str:
    if word.isascii():
        return word
    # Twice, because removing invisible characters may put a mark next to its letter.
    return normalize("NFKC", normalize("NFKC", word).translate(_SPELLING))


def _folded(word: str, language: str) -> str:
    """Fold case completely (Unicode 3.13, D146: compatibility caseless matching).

    Unlike there, a capital I with a dot becomes an i, and in Turkish a capital I without
    a dot becomes a dotless i.
    """
    spelt = _spelt(word)
    if spelt.isascii() and (language != TURKISH or "I" not in spelt):
        return spelt.lower()
    if language == TURKISH:
        spelt = spelt.replace("I", "\u0131")
    once = normalize("NFKC", normalize("NFD", spelt).casefold())
    return normalize("NFKC", _DOTTED.sub("i", normalize("NFKC", once.casefold()))).translate(_GREEK)


@lru_cache
def _stopwords(language: str) -> frozenset[str]:
    return frozenset(_folded(word, language) for word in stopwords(language))


@lru_cache
def _all_stopwords() -> frozenset[str]:
    return frozenset().union(*map(_stopwords, langs()))
