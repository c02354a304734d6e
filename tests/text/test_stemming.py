# ruff: noqa: RUF001 - characters of many scripts are what is tested here
"""Stems and stop words: which languages have them, and that each word is stemmed once."""

import tracemalloc
from dataclasses import replace
from importlib import import_module
from importlib.resources import files

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st
from stopwordsiso import langs, stopwords

from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.matching.matcher import Matcher
from streams.text.stemming import ALGORITHMS, PluginLanguage, stem_word
from streams.text.tokens import WORD
from streams.text.word_forms import (
    WordForm,
    is_stopword,
    is_stopword_anywhere,
    normal_form,
    normal_forms,
)
from tests.fakes.regions import added, changed
from tests.fakes.variants import varied
from tests.harness.examples import examples

OLDER = {"porter", "dutch_porter"}
DETECTED = {each.name.partition("-")[0] for each in files("langdetect.profiles").iterdir()}
WITHOUT_STOPWORDS = {"cy", "kn", "mk", "ml", "ne", "pa", "sq", "ta", "te"}
BASE = Subscription(
    "s",
    "w",
    "m",
    "u",
    "u",
    Receiver(session="c"),
    ("gods",),
    Options(interval=60, enable_stemming=True, filter_stopwords=True, ignore_case=True),
    0,
)


def listed(language: str) -> list[str]:
    return sorted(word for word in stopwords(language) if WORD.fullmatch(word))


def test_every_stemmer_of_snowball_serves_a_language() -> None:
    assert set(ALGORITHMS.values()) == set(snowballstemmer.algorithms()) - OLDER
    assert len(set(ALGORITHMS.values())) == len(ALGORITHMS)


def test_every_language_that_is_detected_has_the_stop_words_that_the_list_has() -> None:
    assert DETECTED - langs() == WITHOUT_STOPWORDS
    for language in DETECTED & langs():
        words = [word for word in listed(language) if is_stopword(word, language)]
        assert words or language in {"ja", "th"}, language


@pytest.mark.parametrize("language", sorted(ALGORITHMS))
def test_stems_are_those_of_snowball_in_python(language: str) -> None:
    algorithm = ALGORITHMS[language]
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    python = getattr(module, f"{algorithm.title()}Stemmer")()
    words = listed(language)[:100] if language in langs() else ["argus", "पहरेदार", "காவலன்"]
    assert [stem_word(word, language) for word in words] == [
        python.stemWord(word) for word in words
    ]


def test_a_language_without_stop_words_filters_none() -> None:
    assert not is_stopword("the", "cy")
    assert not is_stopword("the", "und")


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("THE", "en"),
        ("Don’t", "en"),
        ("für", "de"),
        ("fu\u0308r", "de"),
        ("não", "pt"),
        ("КОТОРЫЙ", "ru"),
        ("İÇİN", "tr"),
        ("ALTI", "tr"),
        ("và", "vi"),
    ],
)
def test_a_stop_word_is_one_however_it_is_written(word: str, language: str) -> None:
    assert is_stopword(word, language)
    assert is_stopword_anywhere(word)


def test_a_character_of_a_script_without_spaces_is_never_a_stop_word() -> None:
    assert "我" in stopwords("zh")
    assert not is_stopword("我", "zh")


@pytest.fixture
def asked(request: pytest.FixtureRequest) -> tuple[str, list[str]]:
    """A language with a stemmer that records the words it gets."""
    asked: list[str] = []

    def noted(word: str) -> str:
        asked.append(word)
        return word[:3]

    return PluginLanguage("en", request.node.name, noted), asked


CHANGE = [changed("the giant slept", "the gods and peacocks, gods")]


def test_a_second_subscription_stems_nothing_again(asked: tuple[str, list[str]]) -> None:
    language, words = asked
    matcher = Matcher(CHANGE, language)
    assert [diff.event for diff in matcher.diffs(BASE)[0]] == ["added"]
    assert sorted(words) == ["and", "giant", "gods", "peacocks", "slept", "the"]
    words.clear()
    assert matcher.diffs(varied(BASE, client_url="other"))[0]
    assert words == []


def test_a_second_change_stems_only_its_new_words(asked: tuple[str, list[str]]) -> None:
    language, words = asked
    Matcher(CHANGE, language).diffs(BASE)
    words.clear()
    Matcher([added("gods and a heifer")], language).diffs(BASE)
    assert words == ["a", "heifer"]


def test_another_keyword_stems_only_itself(asked: tuple[str, list[str]]) -> None:
    language, words = asked
    matcher = Matcher(CHANGE, language)
    matcher.diffs(BASE)
    words.clear()
    assert not matcher.diffs(replace(BASE, keywords=("gods watchmen",)))[0]
    assert words == ["watchmen"]


def test_a_stem_may_have_a_stem_of_its_own() -> None:
    """So a word is stemmed once on either side of a comparison, and never a stem again."""
    assert stem_word("significant", "en") == "signific"
    assert stem_word("signific", "en") == "signif"


real = st.sampled_from(sorted(ALGORITHMS)).flatmap(
    lambda language: st.tuples(
        st.just(language),
        st.sampled_from(listed(language if language in langs() else "en")),
        st.text(st.characters(codec="utf-8"), max_size=6),
    )
)


@examples(300)
@given(real, st.booleans())
def test_a_stem_is_in_normal_form_but_for_a_stem_of_its_own(
    word: tuple[str, str, str], ignore_case: bool
) -> None:
    """What was normalised is not changed by normalising its spelling and case once more."""
    language, known, more = word
    for each in WORD.findall(normal_form(known + more, WordForm(language, False, False))):
        stemmed = normal_form(each, WordForm(language, True, ignore_case))
        assert normal_form(stemmed, WordForm(language, False, ignore_case)) == stemmed


@pytest.mark.slow  # nine seconds of a core
def test_a_page_of_endless_words_fills_no_cache() -> None:
    form, size = WordForm("ru", stemming=True, ignore_case=True), 100_000
    tracemalloc.start()
    try:
        for number in range(8):
            word = f"{number}" + "ж" * size
            assert normal_forms([word], form) == [word]
            assert not is_stopword(word, "en")
            assert not is_stopword_anywhere(word)
        assert tracemalloc.get_traced_memory()[0] < 4 * size, "no more than the last word"
    finally:
        tracemalloc.stop()
