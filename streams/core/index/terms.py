"""Under which words a subscription is found, whatever a document's language."""

from collections.abc import Callable, Sequence
from itertools import chain, product

from schemas.facts import Subscription
from streams.core.text.keywords import ANY, words
from streams.core.text.stemming import stem_words
from streams.core.text.word_forms import TURKISH, is_stopword_anywhere, unstemmed

UNDETERMINED = "und"

WordKind = tuple[bool, bool]
"""How a subscription wants words compared, but for the language: by stems, by case folded."""

MARKS = dict(zip(product((False, True), repeat=2), "abcd", strict=True))
"""What goes before a word to tell it from those of other kinds."""
_STEMMED = frozenset(mark for (stemming, _), mark in MARKS.items() if stemming)
ANY_TERM = MARKS[False, False] + ANY
"""The word of what any change matches."""

TermPair = tuple[str, str]
"""A word that is in every passage that a keyword matches, and another one, or the same.

Marked with its kind, and in normal form but for the stem, which takes the language of
the document.
"""


def kind(subscription: Subscription) -> WordKind:
    """Give how a subscription wants words compared."""
    return subscription.options.enable_stemming, subscription.options.ignore_case


def is_stemmed(word: str) -> bool:
    """Tell whether a marked word is of a kind that is stemmed."""
    return word[0] in _STEMMED


def stemmed_words(words: Sequence[str], language: str) -> list[str]:
    """Give the forms of marked words in a language."""
    stemmed = iter(stem_words([word[1:] for word in words if is_stemmed(word)], language))
    return [word[0] + next(stemmed) if is_stemmed(word) else word for word in words]


def terms(
    subscription: Subscription, by_rarity: Callable[[list[str]], list[str]]
) -> list[TermPair]:
    """Give the terms of a subscription: one of them is in every change that it is told.

    Of each keyword the two that are first ``by_rarity``. Where words may be taken out as
    stop words, of those that are none in any language; if there is no such word, each of
    them, as in no language all are taken out.
    """
    found: list[TermPair] = []
    every, kept = kind(subscription), not subscription.options.filter_stopwords
    for keyword in subscription.keywords:
        if keyword == ANY:
            found.append((ANY_TERM, ANY_TERM))
        else:
            for words in _readings(keyword, every):
                found += _chosen(words, by_rarity, kept=kept)
    return found


def words_of(subscription: Subscription) -> list[str]:
    """Give all words that may be among the terms of a subscription."""
    every = kind(subscription)
    words = chain.from_iterable(_readings(keyword, every) for keyword in subscription.keywords)
    return [ANY_TERM, *chain.from_iterable(words)]


def _readings(keyword: str, kind: WordKind) -> list[dict[str, str]]:
    """The marked forms of a keyword's words, each with a word as it is written.

    Once more, if they differ, as in a Turkish document: no other language has a case of its own.
    """
    anywhere, (_, ignore_case) = _words(keyword, kind, UNDETERMINED), kind
    if ignore_case and ("I" in keyword or not keyword.isascii()):
        turkish = _words(keyword, kind, TURKISH)
        return [anywhere, turkish] if turkish != anywhere else [anywhere]
    return [anywhere]


def _words(keyword: str, kind: WordKind, language: str) -> dict[str, str]:
    mark, (_, ignore_case) = MARKS[kind], kind
    if keyword.isascii() and language != TURKISH:  # quickly what is done below
        return {mark + (word.lower() if ignore_case else word): word for word in words(keyword)}
    return {
        mark + unstemmed(word, language, ignore_case=ignore_case): word for word in words(keyword)
    }


def _chosen(
    words: dict[str, str], by_rarity: Callable[[list[str]], list[str]], *, kept: bool
) -> list[TermPair]:
    telling = [marked for marked, word in words.items() if kept or not is_stopword_anywhere(word)]
    if not telling:
        return [(word, word) for word in words]
    rarest = by_rarity(telling)
    return [(rarest[0], rarest[min(1, len(rarest) - 1)])]
