"""The terms of a subscription for several pages: of all languages, without a long step."""

from collections import Counter
from typing import Any

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st
from stopwordsiso import langs

from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.matching.terms import terms
from streams.matching.terms.terms import placed, term_of
from streams.text.stemming import ALGORITHMS, PluginLanguage
from streams.text.word_forms import is_stopword_anywhere

LATIN = PluginLanguage("la", "four letters", lambda word: word[:4])
words = st.text("aIi\u0131\u0130éßк漢 '\"-", min_size=1, max_size=12) | st.sampled_from(
    ("Giants", "the", "*")
)


def subscription(*keywords: str, **options: bool) -> Subscription:
    options = {"enable_stemming": True, "ignore_case": True, "filter_stopwords": True, **options}
    return Subscription(
        id="s",
        watch="",
        manager="anna",
        document_url="pages:*",
        url="pages:*",
        receiver=Receiver(session="r"),
        keywords=keywords,
        options=Options(**options),  # type: ignore[arg-type]  # its fields
        created=1,
    )


@given(st.lists(words, min_size=1, max_size=5), st.booleans(), st.booleans(), st.booleans())
def test_a_subscription_is_where_a_change_in_any_language_is_looked_for(
    keywords: list[str], stemming: bool, ignore_case: bool, filtering: bool
) -> None:
    one = subscription(
        *keywords, enable_stemming=stemming, ignore_case=ignore_case, filter_stopwords=filtering
    )
    (query,) = placed(one, 1, lambda code: LATIN if code == "la" else code).values()

    codes = {"und", "xx", *ALGORITHMS, *langs()} - {"la"} | {LATIN}
    sought = {term_of(each, one.options, code) for each in keywords for code in codes}

    assert {*query.terms} >= sought - {None}
    assert query.everything == (None in sought)


def test_the_stemmer_of_a_language_is_asked_once_for_all_keywords(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Counter[str]()
    stemmer = snowballstemmer.stemmer

    def counted(algorithm: str) -> Any:
        made[algorithm] += 1
        return stemmer(algorithm)

    monkeypatch.setattr(snowballstemmer, "stemmer", counted)
    placed(subscription(*(f"giant{'s' * number}" for number in range(100))), 8)

    assert made == Counter({*ALGORITHMS.values()})


def test_of_a_long_keyword_no_more_words_are_stop_words_than_are_longer_than_its_term(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def counted(word: str) -> bool:
        asked.append(word)
        return is_stopword_anywhere(word)

    monkeypatch.setattr(terms, "is_stopword_anywhere", counted)
    placed(subscription(" ".join(["argus", *(f"z{n}" for n in range(80)), "which"])), 8)

    assert asked == ["which", "argus"]
