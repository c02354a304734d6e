# ruff: noqa: RUF001 - characters of many scripts are what is tested here
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.body import MAX_BODY
from schemas.changes import Diff, Hunk, Passage
from schemas.subscriptions import Options, Receiver, Subscription
from streams.core.diff.passages import hunks
from streams.core.matching.matcher import Matcher
from streams.core.matching.snippets import MAX_TEXT
from tests.fakes.variants import varied

Notified = tuple[tuple[Diff, ...], bool]

OLD = "is the of the 100-eyed giant in Greek mythology."
NEW = "Argus Panoptes is the name of the 100-eyed giant in Norse mythology."


def diffs(notified: Subscription, changed: Sequence[Hunk], language: str) -> Notified:
    return Matcher(changed, language).diffs(notified)


def subscription(*keywords: str, **options: Any) -> Subscription:
    plain = Subscription(
        id="s",
        watch="w",
        manager="default",
        document_url="http://Example.com",
        url="http://example.com/",
        receiver=Receiver("http://client.example/"),
        keywords=keywords,
        options=Options(),
        created=0,
    )
    return varied(plain, **options)


def notified(old: str, new: str, *keywords: str, **options: Any) -> list[tuple[str, str, str]]:
    """Return event, keyword and text of a subscription's diffs, in English."""
    found, truncated = diffs(subscription(*keywords, **options), hunks(old, new), "en")
    assert not truncated
    return [(diff.event, diff.keyword, diff.text) for diff in found]


def matches(text: str, keyword: str, language: str = "en", **options: Any) -> bool:
    found, _ = diffs(subscription(keyword, **options), hunks("", text), language)
    return bool(found)


@pytest.mark.parametrize(
    ("old", "new"),
    [("99.99", "99.95"), ("3.13", "3.14"), ("2026-11-21", "2026-11-22"), ("node.js", "deno.js")],
)
def test_a_keyword_with_inner_punctuation_is_reported_when_a_part_of_it_changed(
    old: str, new: str
) -> None:
    assert notified(f"now {old}, then", f"now {new}, then", old, new, "99", "js") == [
        ("removed", old, old),
        ("added", new, new),
    ]


def test_the_example_of_the_original_gives_exactly_its_diffs() -> None:
    keywords = ("argus panoptes", "greek", "giant")
    found = diffs(subscription(*keywords, ignore_case=True), hunks(OLD, NEW), "en")
    added = "Argus Panoptes is the name of the 100-eyed giant in Norse ..."
    removed = "is the of the 100-eyed giant in Greek mythology."
    assert found == (
        (
            Diff("added", "argus panoptes", "Argus Panoptes", added),
            Diff("removed", "greek", "Greek", removed),
        ),
        False,
    )


def test_a_removed_word_is_reported_once() -> None:
    assert notified("a b c", "a c", "b") == [("removed", "b", "b")]


def test_removed_comes_before_added_and_keywords_in_their_order() -> None:
    assert notified("x one two y", "x three four y", "four", "two", "three", "one") == [
        ("removed", "two", "one two"),
        ("removed", "one", "one two"),
        ("added", "four", "three four"),
        ("added", "three", "three four"),
    ]


def test_ignored_events_are_not_reported() -> None:
    assert notified("x one y", "x two y", "*", ignore_added=True) == [("removed", "*", "one")]
    assert notified("x one y", "x two y", "*", ignore_removed=True) == [("added", "*", "two")]


def test_a_star_matches_any_change() -> None:
    assert notified("costs $5", "costs €5", "*") == [("removed", "*", "$"), ("added", "*", "€")]


def test_a_word_that_moved_within_a_hunk_is_not_reported() -> None:
    assert notified("giant of the past", "past the giant", "giant") == []


def test_a_word_that_clean_up_took_in_is_not_reported() -> None:
    assert notified("a b c d e f", "a X c Y e f", "c") == []


def test_another_form_of_a_word_is_no_change_for_a_subscription_that_stems() -> None:
    assert (
        notified("the God said", "the gods said", "god", enable_stemming=True, ignore_case=True)
        == []
    )
    assert notified("the God said", "the gods said", "gods") == [("added", "gods", "gods")]


@pytest.mark.parametrize(
    ("text", "keyword", "expected"),
    [
        ("start", "art", False),
        ("larissaios of zeus", "zeus larissaios", True),
        ("larissaios of zeus", '"zeus larissaios"', False),
        ("zeus, larissaios", '"zeus larissaios"', True),
        ("zeus of larissaios", '"zeus larissaios"', False),
        ("zeus zeus larissaios", '"zeus larissaios"', True),
        ("pi is 3.14 or so", "3.14", True),
        ("chapters 14 and 3", "3.14", False),
        ("uses node.js now", "node.js now", True),
        ("東京都", "東京", True),
        ("京東", "東京", False),
        ("私は東で京を", "東京", False),
        ("ภาษาไทยกลาง", "ไทย", True),
        ("ﬁnal", "final", True),
        ("don’t", "don't", True),
        ("Argus", "argus", False),
        ("a b", "a c", False),
        ("anything", "!", False),
    ],
)
def test_all_words_of_a_keyword_must_be_in_the_passage(
    text: str, keyword: str, expected: bool
) -> None:
    assert matches(text, keyword) is expected


ALL: dict[str, Any] = {"enable_stemming": True, "filter_stopwords": True, "ignore_case": True}


@pytest.mark.parametrize(
    ("language", "text", "keyword"),
    [
        ("en", "House of the Gods", "god house"),
        ("en", "god house", "House of the Gods"),
        ("en", "the House of Gods", '"house gods"'),
        ("en", "The Who", "the who"),
        ("de", "Die Häuser der Götter", "haus"),
        ("pt", "as casas antigas", "casa"),
        ("ru", "новые книги", "книга"),
        ("ar", "الكتب الجديدة", "كتب جديدة"),
        ("ja", "大きな東京タワー", "東京タワー"),
        ("und", "GODS", "gods"),
    ],
)
def test_words_are_compared_in_the_normal_form_of_the_language(
    language: str, text: str, keyword: str
) -> None:
    assert matches(text, keyword, language, **ALL)


@pytest.mark.parametrize("option", ALL)
def test_each_normalisation_is_the_subscription_s_own(option: str) -> None:
    assert matches("House of the Gods", "a god house", **ALL)
    assert not matches("House of the Gods", "a god house", **{**ALL, option: False})


def test_one_change_serves_subscriptions_of_different_normalisation() -> None:
    matcher = Matcher(hunks("", "Gods"), "en")
    stemmed = subscription("god", enable_stemming=True, ignore_case=True)
    for _ in range(2):
        assert len(matcher.diffs(stemmed)[0]) == 1
        assert len(matcher.diffs(subscription("god"))[0]) == 0


VOCABULARY = ["argus", "Argus", "giant", "zeus", "Zeus", "io"]
phrase = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=3)
passage = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=8)
keyword_parts = st.lists(phrase, min_size=1, max_size=2)


def contains(text: list[str], parts: list[list[str]], fold: bool) -> bool:
    """Look for every part at every position, word by word."""
    words = [word.lower() if fold else word for word in text]
    wanted = [[word.lower() if fold else word for word in part] for part in parts]
    return all(
        any(words[at : at + len(part)] == part for at in range(len(words))) for part in wanted
    )


@given(st.none() | passage, st.none() | passage, st.lists(keyword_parts, max_size=4), st.booleans())
def test_the_diffs_are_what_a_word_by_word_search_finds(
    removed: list[str] | None, added: list[str] | None, keywords: list[list[list[str]]], fold: bool
) -> None:
    sides = [side and Passage(" ".join(side), 0, "", "") for side in (removed, added)]
    hunk = Hunk(sides[0] or None, sides[1] or None)
    written = [" ".join(f'"{" ".join(part)}"' for part in parts) for parts in keywords]
    found, _ = diffs(subscription(*written, ignore_case=fold), [hunk], "en")
    expected = [
        (event, name)
        for event, side, other in (("removed", removed, added), ("added", added, removed))
        for name, parts in zip(written, keywords, strict=True)
        if side and contains(side, parts, fold)
        if not (other and contains(other, parts, fold))
    ]
    assert [(diff.event, diff.keyword) for diff in found] == expected


def test_a_long_passage_is_cut_at_words_around_the_match() -> None:
    words = [f"word{n}" for n in range(3_000)]
    text = " ".join([*words[:2_000], "needle", "and", "thread", *words[2_000:]])
    ((_, _, shown),) = notified("", text, "thread needle")
    assert "needle and thread" in shown
    assert MAX_TEXT - 20 < len(shown) <= MAX_TEXT
    assert f" {shown} " in text


def test_the_words_of_a_keyword_are_shown_where_they_are_closest() -> None:
    filler = " ".join(["filler"] * 2_000)
    ((_, _, shown),) = notified(
        "", f"needle {filler} thread {filler} thread needle", "needle thread"
    )
    assert shown.endswith(" filler thread needle")


def test_a_word_is_never_cut_however_long_it_is() -> None:
    giant = "x" * (MAX_TEXT + 1_000)
    ((_, _, shown),) = notified("", f"before {giant} after", giant)
    assert shown == giant


def test_a_body_that_becomes_too_large_leaves_diffs_out() -> None:
    passages = [Passage("argus " + "x" * 3_900, 0, "", "") for _ in range(MAX_BODY // 3_900)]
    found, truncated = diffs(
        subscription("argus"), [Hunk(None, passage) for passage in passages], "en"
    )
    assert truncated
    assert 0 < len(found) < len(passages)
