# ruff: noqa: RUF001 - characters of many scripts are what is tested here
"""The index finds what a loop over all subscriptions finds, and little more."""

from collections.abc import Iterator
from itertools import islice, product
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.changes import Diff, Region
from schemas.records.scripts import INVISIBLE
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.table_rows import Registration
from streams.agents.match.register import memory
from streams.agents.match.register.memory import DAY, RegisterMemory
from streams.matching.change_words import ChangeWords
from streams.matching.index import change_hashes, merge_tree, subscription_index, vocabulary
from streams.matching.index.subscription_index import IndexByReach, SubscriptionIndex
from streams.matching.matcher import Matcher
from streams.matching.word_search import STEP
from streams.text.word_forms import WordForm, is_stopword, is_stopword_anywhere, normal_form
from streams.values.steps import Steps, completed
from tests.fakes.regions import added, changed
from tests.fakes.variants import varied
from tests.harness.examples import examples

WORDS = [
    *("god", "Gods", "GOD", "house", "Houses", "the", "of", "The", "who", "die", "Häuser", "Haus"),
    *("casas", "casa", "книга", "книги", "كتب", "東京", "ไทย", "ﬁnal", "final", "don’t", "don't"),
    *("so\u00adft", "soft", "e\u200d\u0301t", "ét", "3.14", "node.js", "Straße", "STRASSE", "🙂"),
    *("KADIN", "kadın", "kadin", "İzmir", "izmir", "IZMIR", "ve", "葛\U000e0100", "葛"),
    *("C++", "C#", "C", ".net", "net", "50%", "50", "Wi-Fi", "#god", "🚀"),
    *("God's", "l’été", "été", "삼성은", "삼성", "самолёт", "самолет", "Internet", "internet"),
]
LANGUAGES = ["en", "de", "pt", "ru", "ar", "ja", "th", "tr", "und"]
BASE = Subscription("s", "w", "m", "u", "u", Receiver(session="c"), ("k",), Options(interval=60), 0)

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
quoted = st.tuples(texts, st.booleans()).map(lambda each: f'"{each[0]}"' if each[1] else each[0])
keywords = st.lists(quoted | st.just("*") | st.text(max_size=4), min_size=1, max_size=3)
sides = st.none() | texts
changes = st.lists(st.tuples(sides, sides), min_size=1, max_size=3)


@st.composite
def subscriptions(draw: st.DrawFn) -> Subscription:
    flags = draw(st.tuples(*[st.booleans()] * 5))
    names = ("ignore_added", "ignore_removed", "enable_stemming", "filter_stopwords", "ignore_case")
    options: dict[str, Any] = dict(zip(names, flags, strict=True))
    options["scope"] = draw(st.sampled_from(("sentence", "change", "block", "document")))
    return varied(BASE, keywords=tuple(draw(keywords)), **options)


def regions(change: list[tuple[str | None, str | None]]) -> list[Region]:
    return [changed(*sides) for sides in change if any(sides)]


def notified(
    found: list[Subscription], regions: list[Region], language: str
) -> dict[int, tuple[Diff, ...]]:
    matcher = Matcher(regions, language)
    results = ((id(each), matcher.diffs(each)[0]) for each in found)
    return {name: diffs for name, diffs in results if diffs}


def found_in(each: SubscriptionIndex, text: str, language: str = "en") -> list[Subscription]:
    return each.find(ChangeWords([added(text)], language))


@pytest.fixture
def _early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that happens to many subscriptions happens to a few."""
    monkeypatch.setattr(subscription_index, "_FEW", 3)
    monkeypatch.setattr(subscription_index, "_MAX_RECENT", 8)
    monkeypatch.setattr(merge_tree, "_FEW", 4)
    monkeypatch.setattr(merge_tree, "_RATIO", 2)
    monkeypatch.setattr(merge_tree, "_MAX_ROWS", 16)
    monkeypatch.setattr(vocabulary, "_PAGE", 2)
    monkeypatch.setattr(change_hashes, "_BITS", 2)
    monkeypatch.setattr(change_hashes, "_ALL_UNITS", 3)
    monkeypatch.setattr(memory, "INDEXED", 3)


steps = st.lists(
    subscriptions()
    | st.integers(0, 50)
    | st.tuples(changes, st.sampled_from(LANGUAGES)),
    max_size=40,
)  # fmt: skip


@pytest.mark.usefixtures("_early")
@examples(300)
@given(steps, changes, st.sampled_from(LANGUAGES))
def test_the_index_finds_what_a_loop_over_all_subscriptions_finds(
    taken: list[Any], change: list[tuple[str | None, str | None]], language: str
) -> None:
    indexed = IndexByReach()
    all_: list[Subscription] = []
    for step in [*taken, (change, language)]:
        if isinstance(step, Subscription):
            indexed.add(step)
            all_.append(step)
        elif isinstance(step, int):
            if all_:
                indexed.remove(all_.pop(step % len(all_)))
        else:
            there = regions(step[0])
            found = completed(indexed.find_steps(ChangeWords(there, step[1])))
            assert {id(each) for each in found} <= {id(each) for each in all_}
            assert len(found) == len({id(each) for each in found})
            assert notified(found, there, step[1]) == notified(all_, there, step[1])


rows = st.lists(
    st.tuples(st.integers(0, 6), st.none() | subscriptions(), st.integers(0, 3)), max_size=30
)


@pytest.mark.usefixtures("_early")
@given(rows, changes, st.sampled_from(LANGUAGES))
def test_the_register_s_index_follows_every_row(
    puts: list[tuple[int, Subscription | None, int]],
    change: list[tuple[str | None, str | None]],
    language: str,
) -> None:
    registry, there = RegisterMemory(), regions(change)
    for name, each, days in puts:
        own = each and varied(each, id=str(name))
        registry.put(f"u\0{name}".encode(), Registration(own, (), (), days * DAY))
        registry.sweep(days * DAY)
        found = completed(registry.concerned("u", ChangeWords(there, language), 10**15))
        rows = registry.of("u").values()
        every = [row.subscription for row in rows if row.subscription is not None]
        assert notified(found, there, language) == notified(every, there, language)


def test_only_what_shares_rare_words_with_a_change_is_found() -> None:
    many = [varied(BASE, keywords=(f"common word{n} name{n}",)) for n in range(5_000)]
    indexed = SubscriptionIndex(many)
    assert found_in(indexed, "common word7 name8 other") == []
    assert found_in(indexed, "common word7 name7 other") == [many[7]]


def test_a_subscription_is_found_as_soon_as_it_is_added_and_no_longer_once_removed() -> None:
    indexed = SubscriptionIndex(varied(BASE, keywords=(f"word{n}",)) for n in range(5_000))
    late = varied(BASE, keywords=("late",))
    assert found_in(indexed, "late") == []
    indexed.add(late)
    assert found_in(indexed, "late") == [late]
    indexed.remove(late)
    assert found_in(indexed, "late") == []
    indexed.add(late)
    assert found_in(indexed, "late") == [late]


ZEUS = varied(BASE, keywords=("zeus",))


def searches() -> Iterator[tuple[SubscriptionIndex, Steps[list[Subscription]]]]:
    """Yield a search for ZEUS after each of its steps."""
    words = [added("zeus hera")] * STEP
    steps = len(list(SubscriptionIndex([ZEUS]).find_steps(ChangeWords(words, "en"))))
    assert steps > 3
    for count in range(1, steps + 1):
        indexed = SubscriptionIndex([ZEUS])
        search = indexed.find_steps(ChangeWords(words, "en"))
        assert len(list(islice(search, count))) == count
        yield indexed, search


def test_subscriptions_of_new_kinds_may_be_added_between_any_two_steps_of_a_search() -> None:
    for indexed, search in searches():
        for stemming, ignore_case in product((False, True), repeat=2):
            kind = {"enable_stemming": stemming, "ignore_case": ignore_case}
            indexed.add(varied(BASE, keywords=("athena",), **kind))
        assert completed(search) == [ZEUS]


def test_a_search_finds_what_was_there_when_it_began_whatever_comes_and_goes_meanwhile() -> None:
    for indexed, search in searches():
        indexed.remove(ZEUS)
        for n in range(200):
            each = varied(BASE, keywords=("hera",), session=str(n))
            indexed.add(each)
            indexed.remove(each)
        indexed.add(varied(ZEUS, session="later"))
        assert completed(search) == [ZEUS]


def test_a_removal_looks_at_no_other_subscription_with_the_same_keyword(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = [varied(BASE, keywords=("zeus",), session=str(n)) for n in range(600)]
    indexed = SubscriptionIndex(many)
    monkeypatch.setattr(merge_tree.SortedRun, "find", Mock(side_effect=AssertionError("a search")))
    for each in many[:200]:
        indexed.remove(each)
    assert len(indexed) == 400
    monkeypatch.undo()
    assert found_in(indexed, "zeus") == many[200:]


@pytest.mark.slow  # two seconds of a core
def test_removed_subscriptions_use_no_memory() -> None:
    indexed = SubscriptionIndex()
    for n in range(20_000):
        each = varied(BASE, keywords=(f"word{n}",), enable_stemming=bool(n % 2))
        indexed.add(each)
        indexed.remove(each)
    assert found_in(indexed, "word1") == []
    assert len(indexed) == 0
    assert len(indexed._subscriptions) <= 65
    assert len(indexed._postings) <= 65
    assert len(indexed._vocabulary) <= 200


def test_a_document_of_many_languages_uses_memory_for_a_few() -> None:
    words = [f"gods{n}" for n in range(2_000)] + ["gods"]
    indexed = SubscriptionIndex(
        varied(BASE, keywords=(word,), enable_stemming=True) for word in words
    )
    for language in [*LANGUAGES, *LANGUAGES]:
        assert len(found_in(indexed, "gods", language)) == 1
    assert len(indexed._vocabulary._stems) <= 4


def test_words_of_one_keyword_in_different_sentences_find_nothing() -> None:
    indexed = SubscriptionIndex([varied(BASE, keywords=("new york",))])
    for count in (2, 200):
        apart = [added(("new", "york")[n % 2]) for n in range(count)]
        found = indexed.find(ChangeWords(apart, "en"))
        assert count == 200 or found == []
        assert notified(found, apart, "en") == {}
        assert indexed.find(ChangeWords([*apart, added("york new")], "en"))


def test_a_word_is_stemmed_in_each_language_that_a_document_has_had() -> None:
    words = ("gods", "книги")
    stemming = [varied(BASE, keywords=(word,), enable_stemming=True) for word in words]
    indexed = SubscriptionIndex(stemming)
    for _ in range(2):
        assert found_in(indexed, "god книга", "en") == stemming[:1]
        assert found_in(indexed, "god книга", "ru") == stemming[1:]
        assert found_in(indexed, "god книга", "und") == []
        for n in range(2_000):
            indexed.add(varied(BASE, keywords=(f"word{n}",), enable_stemming=True))


@pytest.mark.parametrize("language", ["de", "en", "fr"])
def test_a_stop_word_of_another_language_is_a_word_like_any_other(language: str) -> None:
    each = varied(BASE, keywords=("die who",), filter_stopwords=True)
    there = [added("die"), added("who"), added("who die")]
    found = SubscriptionIndex([each]).find(ChangeWords(there, language))
    assert found == [each]
    assert notified(found, there, language)


@pytest.mark.parametrize("stemming", [False, True])
@pytest.mark.parametrize(
    ("keyword", "text"),
    [("KADIN", "kadın"), ("kadın", "KADIN"), ("IŞIKLAR", "ışıklar"), ("İZMİR", "izmir")],
)
def test_a_keyword_is_found_by_the_case_of_a_turkish_document(
    keyword: str, text: str, stemming: bool
) -> None:
    each = varied(BASE, keywords=(keyword,), enable_stemming=stemming, ignore_case=True)
    assert notified([each], [added(text)], "tr")
    assert found_in(SubscriptionIndex([each]), text, "tr") == [each]


def test_a_star_is_found_by_any_change() -> None:
    each = varied(BASE, keywords=("*",), enable_stemming=True)
    assert found_in(SubscriptionIndex([each]), "$") == [each]


spellings = st.text(
    st.sampled_from("aéEßIİıiﬁŉ'’" + INVISIBLE + "\u0301\u0307\u0323\u0345\ufe0fΐ가ᄀ")
    | st.characters()
)


@examples(500)
@given(spellings, st.booleans(), st.sampled_from(["und", "tr"]))
def test_normalising_twice_changes_nothing(word: str, ignore_case: bool, language: str) -> None:
    form = WordForm(language, stemming=False, ignore_case=ignore_case)
    once = normal_form(word, form)
    assert normal_form(once, form) == once


@given(st.sampled_from(WORDS), st.sampled_from(LANGUAGES))
def test_what_is_a_stop_word_nowhere_is_none_in_any_language(word: str, language: str) -> None:
    assert is_stopword_anywhere(word) or not is_stopword(word, language)
