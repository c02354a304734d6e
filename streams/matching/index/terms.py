"""Under which words a subscription is indexed, whatever language its document will have.

A term is a word with a prefix for how it is compared. It is in its normal form but for
the stem, which depends on the language of the document, and so comes with the change.
"""

from collections.abc import Callable

from schemas.records.subscriptions import Subscription
from streams.matching.spellings import PREFIXES
from streams.text.inner_words import TURKISH
from streams.text.keywords import ANY_CHANGE, keyword_words, may_be_anywhere
from streams.text.word_forms import is_stopword_anywhere, unstemmed_form

UNDETERMINED = "und"

WordKind = tuple[bool, bool]
"""The options by which words are compared: by their stems, and with case ignored."""

_STEMMED = frozenset(prefix for (stemming, _), prefix in PREFIXES.items() if stemming)
ANY_TERM = PREFIXES[False, False] + ANY_CHANGE
"""The term of keywords that may be in any change."""

TermPair = tuple[str, str]
"""Two terms that are in every sentence that a keyword matches; the same if it has one word."""


def word_kind(subscription: Subscription) -> WordKind:
    """Return how a subscription wants words compared."""
    return subscription.options.enable_stemming, subscription.options.ignore_case


def is_stemmed(term: str) -> bool:
    """Whether a term is of a kind that is compared by stem."""
    return term[0] in _STEMMED


def term_pairs(
    subscription: Subscription, by_rarity: Callable[[list[str]], list[str]]
) -> list[TermPair]:
    """Return pairs of terms; every change that concerns the subscription has one of them.

    For each keyword they are the two that ``by_rarity`` sorts first. A subscription that
    filters stop words is indexed under words that are stop words in no language. If a
    keyword has none, it is indexed under each of its words: in no language are all of
    them filtered.
    """
    pairs: list[TermPair] = []
    kind, keeps_stopwords = word_kind(subscription), not subscription.options.filter_stopwords
    for keyword in subscription.keywords:
        if may_be_anywhere(keyword):
            pairs.append((ANY_TERM, ANY_TERM))
        else:
            for terms in _readings(keyword, kind):
                pairs += _chosen(terms, by_rarity, keeps_stopwords=keeps_stopwords)
    return pairs


def is_indexed(subscription: Subscription) -> bool:
    """Whether a subscription has a term; without any, no change concerns it."""
    return any(may_be_anywhere(each) or keyword_words(each) for each in subscription.keywords)


def _readings(keyword: str, kind: WordKind) -> list[dict[str, str]]:
    """Return the terms of a keyword, each with its word as it is written.

    They are there a second time as in a Turkish document if that differs: no other
    language has case rules that differ from the common ones.
    """
    common, (_, ignore_case) = _terms(keyword, kind, UNDETERMINED), kind
    if ignore_case and ("I" in keyword or not keyword.isascii()):
        turkish = _terms(keyword, kind, TURKISH)
        return [common, turkish] if turkish != common else [common]
    return [common]


def _terms(keyword: str, kind: WordKind, language: str) -> dict[str, str]:
    prefix, (_, ignore_case), words = PREFIXES[kind], kind, keyword_words(keyword)
    if keyword.isascii() and language != TURKISH:  # what is done below, but quicker
        return {prefix + (word.lower() if ignore_case else word): word for word in words}
    return {
        prefix + unstemmed_form(word, language, ignore_case=ignore_case): word for word in words
    }


def _chosen(
    terms: dict[str, str],
    by_rarity: Callable[[list[str]], list[str]],
    *,
    keeps_stopwords: bool,
) -> list[TermPair]:
    never_filtered = [
        term for term, word in terms.items() if keeps_stopwords or not is_stopword_anywhere(word)
    ]
    if not never_filtered:
        return [(term, term) for term in terms]
    # A second word in the same sentence rules out most subscriptions that do not match.
    rarest = by_rarity(never_filtered)
    return [(rarest[0], rarest[min(1, len(rarest) - 1)])]
