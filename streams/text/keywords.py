"""Phrases of a keyword, and the keyword compiled to how a subscription compares words."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from unicodedata import normalize

from streams.text.signs import Signs, phrase_signs, without_blanks_of_units
from streams.text.tokens import WORD
from streams.text.word_forms import WordForm, is_stopword, normal_form
from streams.text.word_parts import ANY_LETTERS, is_part, words_and_parts

ANY_CHANGE = "*"
"""The keyword that any change matches."""

Phrase = tuple[str, ...]
"""Words that must be adjacent."""

_CACHED = 100_000
_PART = re.compile(r'"([^"]*)"|([^\s"]+)')


class KeywordQuery(NamedTuple):
    """A compiled keyword: a sentence matches that has all of its phrases, each with its signs.

    ``filtered`` says that stop words were taken out of the phrases, and have to be taken
    out of the sentence too; ``matches_anything`` that every change matches.
    """

    keyword: str
    form: WordForm
    phrases: tuple[Phrase, ...]
    signs: tuple[Signs, ...]
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
    return tuple(filter(None, map(words_and_parts, _parts(keyword))))


def keyword_words(keyword: str) -> list[str]:
    """Return the whole words of all phrases of a keyword."""
    if _is_simple(keyword):
        return keyword.split()
    words = list(chain.from_iterable(keyword_phrases(keyword)))
    return [word for word in words if not is_part(word)] if is_part(keyword) else words


def may_be_anywhere(keyword: str) -> bool:
    """Whether no word says in which changes a keyword may be: ``*``, and parts of words alone."""
    if keyword == ANY_CHANGE:
        return True
    return is_part(keyword) and not keyword_words(keyword) and bool(keyword_phrases(keyword))


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


def _parts(keyword: str) -> list[str]:
    found = _PART.findall(without_blanks_of_units(normalize("NFKC", keyword)))
    return [quoted or part for quoted, part in found]


@lru_cache(maxsize=_CACHED)
def compile_keyword(keyword: str, form: WordForm, filter_stopwords: bool) -> KeywordQuery:
    """Compile a keyword; one that has nothing but stop words keeps them.

    compile_keyword('"The Giants" eyes', WordForm("en", True, True), True).phrases
    is ``(("giant",), ("eye",))``.

    In a keyword with signs, and in one with names for who does not ignore case, phrases are left
    out as a whole or stay as they are: the A of ``the A+ rating``, and ``Will Smith``.
    """
    written = list(zip(keyword_phrases(keyword), _keyword_signs(keyword), strict=True))
    kept = [
        (phrase, signs)
        for phrase, signs in written
        if signs or not filter_stopwords or not all(_is_left_out(word, form) for word in phrase)
    ]
    is_whole = any(signs or any(_is_name(word, form) for word in phrase) for phrase, signs in kept)
    is_filtered = filter_stopwords and bool(kept) and not is_whole
    phrases = [
        tuple(
            _compiled(word, form)
            for word in phrase
            if not (is_filtered and is_stopword(word, form.language))
        )
        for phrase, _ in kept or written
    ]
    return KeywordQuery(
        keyword=keyword,
        form=form,
        phrases=tuple(phrases),
        signs=tuple(signs for _, signs in kept or written),
        filtered=is_filtered,
        matches_anything=keyword == ANY_CHANGE,
    )


def _compiled(word: str, form: WordForm) -> str:
    if not is_part(word):
        return normal_form(word, form)
    letters = word.strip(ANY_LETTERS)
    return word.replace(letters, normal_form(letters, form.unstemmed))


def _is_left_out(word: str, form: WordForm) -> bool:
    return is_stopword(word, form.language) and not _is_name(word, form)


def _is_name(word: str, form: WordForm) -> bool:
    """Whether a word is a stop word but for its case, which counts."""
    return not form.ignore_case and word != word.lower() and is_stopword(word, form.language)


def _keyword_signs(keyword: str) -> list[Signs]:
    """Return the signs of each phrase of a keyword."""
    if _is_simple(keyword):
        return [()] * len(keyword.split())
    return [phrase_signs(part) for part in _parts(keyword) if WORD.search(part)]
