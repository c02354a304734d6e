"""Finds who is notified of a change by a plain loop that shares no code with the matcher.

It compares each sentence of each region with each keyword of each subscription. Its only
optimisation is that each word is normalised once: those of keywords beforehand, untimed.
"""

from collections.abc import Iterable
from typing import NamedTuple

from schemas.records.changes import Region
from schemas.records.subscriptions import Subscription
from streams.text.keywords import Phrase, keyword_phrases
from streams.text.tokens import WORD
from streams.text.word_forms import WordForm, is_stopword, normal_form

View = tuple[WordForm, bool]
"""How a subscription sees a sentence's words: by which form, and whether without stop words."""


class Plain(NamedTuple):
    """A subscription's id and its keywords: the view, the words and the phrases of each."""

    id: str
    keywords: list[tuple[View, frozenset[str], tuple[Phrase, ...]]]


def compiled(subscriptions: Iterable[Subscription], language: str) -> list[Plain]:
    """Normalise all keywords."""
    return [
        Plain(each.id, [_keyword(keyword, each, language) for keyword in each.keywords])
        for each in subscriptions
    ]


def _keyword(
    keyword: str, each: Subscription, language: str
) -> tuple[View, frozenset[str], tuple[Phrase, ...]]:
    form = WordForm(language, each.options.enable_stemming, each.options.ignore_case)
    whole = keyword_phrases(keyword)
    specific = tuple(tuple(w for w in phrase if not is_stopword(w, language)) for phrase in whole)
    filtered = each.options.filter_stopwords and any(specific)
    chosen = tuple(filter(None, specific)) if filtered else whole
    normals = tuple(tuple(normal_form(word, form) for word in phrase) for phrase in chosen)
    words = frozenset(word for phrase in normals for word in phrase)
    return (form, filtered), words, tuple(phrase for phrase in normals if len(phrase) > 1)


def matching_ids(subscriptions: Iterable[Plain], regions: list[Region], language: str) -> list[str]:
    """Return the ids of the subscriptions that match; each region is one new sentence."""
    views: dict[View, list[tuple[set[str], list[str]]]] = {}
    found = []
    for each in subscriptions:
        for view, words, adjacent in each.keywords:
            if view not in views:
                views[view] = [_words(region, view, language) for region in regions]
            if any(
                words <= there and all(_has(order, phrase) for phrase in adjacent)
                for there, order in views[view]
            ):
                found.append(each.id)
                break
    return found


def _words(region: Region, view: View, language: str) -> tuple[set[str], list[str]]:
    form, filtered = view
    assert region.added is not None, "each region is a new sentence"
    words = WORD.findall(region.added.text)
    kept = (word for word in words if not (filtered and is_stopword(word, language)))
    order = [normal_form(word, form) for word in kept]
    return set(order), order


def _has(order: list[str], phrase: Phrase) -> bool:
    places = range(len(order) - len(phrase) + 1)
    return any(tuple(order[place : place + len(phrase)]) == phrase for place in places)
