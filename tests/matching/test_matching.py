# ruff: noqa: RUF001 - characters of many scripts are what is tested here
"""Which sentences of a change concern a subscription."""

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec.body import MAX_BODY, diff_json
from schemas.records.changes import Diff, Region, Texts
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.diff.regions import changed_regions
from streams.matching.matcher import Matcher
from streams.matching.snippets import MAX_CELL, MAX_TEXT
from tests.fakes.regions import added, changed, edited
from tests.fakes.variants import varied

Notified = tuple[tuple[Diff, ...], bool]

OLD = "is the of the 100-eyed giant in Greek mythology."
NEW = "Argus Panoptes is the name of the 100-eyed giant in Norse mythology."


def diffs(subscribed: Subscription, regions: Sequence[Region], language: str = "en") -> Notified:
    return Matcher(regions, language).diffs(subscribed)


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
    found, truncated = diffs(subscription(*keywords, **options), changed_regions(old, new))
    assert not truncated
    return [(diff.event, diff.keyword, diff.text) for diff in found]


def matches(text: str, keyword: str, language: str = "en", **options: Any) -> bool:
    found, _ = diffs(subscription(keyword, **options), changed_regions("", text), language)
    return bool(found)


@pytest.mark.parametrize(
    ("old", "new"),
    [("99.99", "99.95"), ("3.13", "3.14"), ("2026-11-21", "2026-11-22"), ("node.js", "deno.js")],
)
def test_a_keyword_with_inner_punctuation_is_reported_when_a_part_of_it_changed(
    old: str, new: str
) -> None:
    before, after = f"it is at present {old}, then", f"it is at present {new}, then"
    assert notified(before, after, old, new, scope="change") == [
        ("removed", old, old),
        ("added", new, new),
    ]


def test_the_example_of_the_original_gives_exactly_its_diffs_for_changed_words() -> None:
    keywords = ("argus panoptes", "greek", "giant")
    found, truncated = diffs(
        subscription(*keywords, ignore_case=True, scope="change"), changed_regions(OLD, NEW)
    )
    added = "Argus Panoptes is the name of the 100-eyed giant in Norse ..."
    removed = "is the of the 100-eyed giant in Greek mythology."
    assert [(each.event, each.keyword, each.text, each.snippet) for each in found] == [
        ("added", "argus panoptes", "Argus Panoptes", added),
        ("removed", "greek", "Greek", removed),
    ]
    assert not truncated


def test_the_example_of_the_original_has_the_giant_too_for_changed_sentences() -> None:
    assert notified(OLD, NEW, "argus panoptes", "greek", "giant", ignore_case=True) == [
        ("removed", "giant", OLD),
        ("added", "argus panoptes", "Argus Panoptes"),
        ("added", "giant", NEW),
        ("removed", "greek", "Greek"),
    ]


OLD_HEADLINES = (
    "Prime minister visits the flooded valley",
    "Argus guards a heifer on the hill",
    "Markets close higher after a quiet week",
    "Why Argus never sleeps: a portrait",
)
NEW_HEADLINES = (
    "Hermes plays the flute, Argus falls asleep",
    "Markets close higher after a quiet week",
    "Peacocks get a hundred eyes",
    "Hera mourns Argus and accuses Hermes",
)
FRONT_PAGES = "\n".join(OLD_HEADLINES), "\n".join(NEW_HEADLINES)


def test_headlines_about_someone_that_replace_others_about_him_are_all_reported() -> None:
    assert notified(*FRONT_PAGES, "argus", "peacocks", ignore_case=True) == [
        ("removed", "argus", OLD_HEADLINES[1]),
        ("added", "argus", NEW_HEADLINES[0]),
        ("removed", "argus", OLD_HEADLINES[3]),
        ("added", "peacocks", NEW_HEADLINES[2]),
        ("added", "argus", NEW_HEADLINES[3]),
    ]


def test_words_of_two_items_match_no_keyword_together() -> None:
    assert (
        notified(*FRONT_PAGES, "argus peacocks", "argus valley", "hera eyes", ignore_case=True)
        == []
    )


def test_a_number_that_changed_is_news_for_who_follows_the_words_around_it() -> None:
    old, new = (
        "Fines shall not exceed 2 % of the turnover.",
        "Fines shall not exceed 4 % of the turnover.",
    )
    assert notified(old, new, "fines", ignore_case=True) == [
        ("removed", "fines", old),
        ("added", "fines", new),
    ]
    assert notified(old, new, "fines", ignore_case=True, scope="change") == []


def test_both_prices_are_reported() -> None:
    found, _ = diffs(subscription("Price"), changed_regions("Price: €1,299.00", "Price: €1,199.00"))
    assert [(each.event, each.text) for each in found] == [
        ("removed", "Price: €1,299.00"),
        ("added", "Price: €1,199.00"),
    ]
    assert {(each.before, each.after) for each in found} == {
        ("Price: €1,299.00", "Price: €1,199.00")
    }
    assert [(value.before, value.after) for value in found[0].values] == [("1,299.00", "1,199.00")]


def test_a_status_that_became_another_is_reported_on_both_sides() -> None:
    old, new = "Status of the API: Major Outage", "Status of the API: Degraded"
    assert notified(old, new, "outage", "degraded", "API", ignore_case=True) == [
        ("removed", "API", old),
        ("added", "API", new),
        ("removed", "outage", "Major Outage"),
        ("added", "degraded", "Degraded"),
    ]


def test_a_sentence_that_only_moved_is_reported_to_who_asks_for_any_change_and_for_moves() -> None:
    lines = ["Zeus is the father.", "Argus has a hundred eyes.", "Hera is jealous of them all."]
    pages = "\n".join(lines), "\n".join([lines[2], *lines[:2]])
    assert notified(*pages, "argus", "hera", "*", ignore_case=True) == []
    (moved,) = diffs(subscription("*", notify_moves=True), changed_regions(*pages))[0]
    assert (moved.event, moved.change, moved.text) == ("added", "moved", lines[2])


def test_a_removed_word_is_reported_once() -> None:
    assert notified("a b c d e", "a c d e", "b") == [("removed", "b", "b")]


def test_removed_comes_before_added_and_keywords_in_their_order() -> None:
    assert notified("x one two y z q", "x three four y z q", "four", "two", "three", "one") == [
        ("removed", "two", "one two"),
        ("removed", "one", "one two"),
        ("added", "four", "three four"),
        ("added", "three", "three four"),
    ]


def test_ignored_events_are_not_reported() -> None:
    pages = "x one y z q", "x two y z q"
    assert notified(*pages, "*", ignore_added=True) == [("removed", "*", "one")]
    assert notified(*pages, "*", ignore_removed=True) == [("added", "*", "two")]


def test_a_star_matches_any_change() -> None:
    assert notified("it costs $5", "it costs €5", "*") == [
        ("removed", "*", "$"),
        ("added", "*", "€"),
    ]


def test_a_star_matches_the_sides_of_an_edit_that_have_changed_words() -> None:
    old, new = "The giant sleeps in the house", "The giant sleeps at noon in the house"
    assert notified(old, new, "*") == [("added", "*", "at noon")]
    assert notified(new, old, "*") == [("removed", "*", "at noon")]


def test_a_word_on_both_sides_of_what_changed_in_a_sentence_has_neither_come_nor_gone() -> None:
    region = edited("giant of the past", "past the giant", ((0, 17),), ((0, 14),))
    found, _ = diffs(subscription("giant", "of", scope="change"), [region])
    assert [diff.keyword for diff in found] == ["of"]


def test_another_form_of_a_word_is_no_change_for_a_subscription_that_stems() -> None:
    old, new = "the God said it", "the gods said it"
    stemming: dict[str, Any] = {"enable_stemming": True, "ignore_case": True}
    for scope in ("sentence", "change", "block", "document"):
        assert notified(old, new, "god", "said", **stemming, scope=scope) == []
    assert notified(old, new, "gods") == [("added", "gods", "gods")]
    assert notified(old, new, "said") == [("removed", "said", old), ("added", "said", new)]


def test_other_punctuation_is_a_change_although_the_words_are_the_same() -> None:
    assert notified("God says it costs $5 now", "gods says it costs €5 now", "god", **ALL) == [
        ("removed", "god", "God"),
        ("added", "god", "gods"),
    ]


BLOCKS = (
    "Checkout\nAll systems are operational.\n\nSearch\nAll is well here.",
    "Checkout\nPayments fail at the moment.\n\nSearch\nAll is well here.",
)


@pytest.mark.parametrize(
    ("scope", "keyword", "expected"),
    [
        ("sentence", "checkout", []),
        ("sentence", "checkout fail", []),
        ("block", "checkout fail", ["added"]),
        ("block", "checkout", ["removed", "added"]),
        ("block", "search", []),
        ("block", "search checkout", []),
    ],
)
def test_a_keyword_may_be_in_the_block_around_what_changed(
    scope: str, keyword: str, expected: list[str]
) -> None:
    found = notified(*BLOCKS, keyword, ignore_case=True, scope=scope)
    assert [event for event, *_ in found] == expected
    texts = {"removed": "All systems are operational.", "added": "Payments fail at the moment."}
    assert [text for *_, text in found] == [texts[event] for event in expected]


@pytest.mark.parametrize(
    ("keyword", "events"),
    [
        ("search", ["removed", "added"]),
        ("fail search", ["added"]),
        ('"operational search"', ["removed"]),
        ("absent", []),
    ],
)
def test_a_keyword_may_be_anywhere_in_the_document(keyword: str, events: list[str]) -> None:
    matcher = Matcher(changed_regions(*BLOCKS), "en", texts=Texts(*BLOCKS))
    found, truncated = matcher.diffs(subscription(keyword, ignore_case=True, scope="document"))
    assert [diff.event for diff in found] == events
    assert not truncated


def test_a_sentence_is_gone_from_a_document_in_which_the_keyword_stays() -> None:
    old, new = "Argus sleeps.\n\nHera wakes Argus.", "Argus sleeps."
    matcher = Matcher(changed_regions(old, new), "en", texts=Texts(old, new))
    found, _ = matcher.diffs(subscription("argus", ignore_case=True, scope="document"))
    assert [(diff.event, diff.text) for diff in found] == [("removed", "Hera wakes Argus.")]


def noisy(old: str, new: str, *keywords: str, noise: str = "numbers", **options: Any) -> set[str]:
    """Return the keywords of a subscription that ignores noise, for a sentence of one number."""
    runs = [next(re.finditer(r"\d[\d.,]*", text)).span() for text in (old, new)]
    region = edited(old, new, (runs[0],), (runs[1],), noise)
    found, _ = diffs(subscription(*keywords, ignore_noise=True, **options), [region])
    return {diff.keyword for diff in found}


def test_who_ignores_noise_is_not_notified_of_counters() -> None:
    pair = "Argus was seen today by 212 of all people", "Argus was seen today by 214 of all people"
    assert noisy(*pair, "Argus", "*") == set()
    assert noisy(*pair, "Argus", "seen", noise="ids") == set()
    assert noisy(*pair, "214", "by", "of", "was") == {"214", "by", "of"}
    assert noisy(*pair, "214", scope="change") == {"214"}
    assert noisy(*pair, "214", "by", "was", scope="block") == {"214", "by"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The fine for all of them is 2 % here", "The fine for all of them is 4 % here"),
        ("The fine for all of them is €2 here", "The fine for all of them is €4 here"),
        ("The fine for all of them is 2 USD here", "The fine for all of them is 4 USD here"),
        ("The fine for all of them, in euro: 2", "The fine for all of them, in euro: 4"),
        ("The fine for all of them: version 3.12", "The fine for all of them: version 3.13"),
        ("The fine for all of them is on 元 2 here", "The fine for all of them is on 元 4 here"),
    ],
)
def test_a_price_a_share_or_a_version_is_never_noise(old: str, new: str) -> None:
    assert noisy(old, new, "fine", "*") == {"fine", "*"}
    assert noisy(old, new, "fine", noise="ids") == set()
    assert noisy(old, new, "fine", scope="block") == {"fine"}
    assert noisy(f"Phone\n{old}", f"Phone\n{new}", "Phone", scope="block") == {"Phone"}


@pytest.mark.parametrize(
    ("old", "new", "keywords"),
    [
        (
            "Applications for the grant close on 1 March 2026",
            "Applications for the grant close on 15 April 2026",
            {"grant"},
        ),
        ("Train 7 leaves at 10:15", "Train 7 leaves at 11:45", {"train", "leaves"}),
        ("The grant was closed 3 hours ago", "The grant was closed 5 hours ago", set()),
        ("Grant closed 3 hours ago at 10:15", "Grant closed 5 hours ago at 10:15", set()),
        (
            "The grant that the house of the gods has for all closes on 1 March",
            "The grant that the house of the gods has for all closes on 2 March",
            {"closes"},
        ),
    ],
)
def test_a_date_or_a_time_of_day_next_to_the_keyword_is_no_noise(
    old: str, new: str, keywords: set[str]
) -> None:
    regions = changed_regions(old, new)
    # An age is no text at all.
    assert [edit.noise for each in regions for edit in each.edits] == ["times"] * bool(keywords)
    asked = "grant", "train", "leaves", "closes"
    found, _ = diffs(subscription(*asked, ignore_noise=True, ignore_case=True), regions)
    assert {diff.keyword for diff in found} == keywords


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
def test_all_words_of_a_keyword_must_be_in_the_sentence(
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
    matcher = Matcher(changed_regions("", "Gods"), "en")
    stemmed = subscription("god", enable_stemming=True, ignore_case=True)
    for _ in range(2):
        assert len(matcher.diffs(stemmed)[0]) == 1
        assert len(matcher.diffs(subscription("god"))[0]) == 0


VOCABULARY = ["argus", "Argus", "giant", "zeus", "Zeus", "io"]
phrase = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=3)
sentence = st.lists(st.tuples(st.sampled_from(VOCABULARY), st.booleans()), min_size=1, max_size=8)
keyword_parts = st.lists(phrase, min_size=1, max_size=2)
Words = list[tuple[str, bool]]
"""The words of a sentence, and whether each has changed."""


def has_all(words: Words, parts: list[list[str]], fold: bool, scope: str) -> bool:
    """Look for every part at every position, word by word."""
    here = [(word.lower() if fold else word, is_new) for word, is_new in words]
    wanted = [[word.lower() if fold else word for word in part] for part in parts]
    return all(
        any(
            [word for word, _ in here[at : at + len(part)]] == part
            and (scope == "sentence" or all(is_new for _, is_new in here[at : at + len(part)]))
            for at in range(len(here))
        )
        for part in wanted
    )


def runs(words: Words) -> tuple[tuple[int, int], ...]:
    starts = accumulate((len(word) + 1 for word, _ in words), initial=0)
    return tuple(
        (at, at + len(word)) for at, (word, is_new) in zip(starts, words, strict=False) if is_new
    )


def joined(words: Words) -> str:
    return " ".join(word for word, _ in words)


def folded(words: Words, fold: bool) -> str:
    return joined(words).lower() if fold else joined(words)


@given(
    st.none() | sentence,
    st.none() | sentence,
    st.lists(keyword_parts, max_size=4),
    st.booleans(),
    st.booleans(),
    st.sampled_from(("sentence", "change")),
)
def test_the_diffs_are_what_a_word_by_word_search_finds(
    removed: Words | None,
    new: Words | None,
    keywords: list[list[list[str]]],
    fold: bool,
    is_edit: bool,
    scope: str,
) -> None:
    written = [" ".join(f'"{" ".join(part)}"' for part in parts) for parts in keywords]
    is_edit = is_edit and removed is not None and new is not None
    if removed is not None and new is not None and is_edit:
        region = edited(joined(removed), joined(new), runs(removed), runs(new))
    else:
        removed, new = ([(word, True) for word, _ in side or ()] for side in (removed, new))
        region = changed(joined(removed) or None, joined(new) or None)
    found, _ = diffs(subscription(*written, ignore_case=fold, scope=scope), [region])
    sides = ("removed", removed or [], new or []), ("added", new or [], removed or [])
    is_same = is_edit and folded(removed or [], fold) == folded(new or [], fold)
    expected = {
        (event, name)
        for event, side, other in sides
        for name, parts in zip(written, keywords, strict=True)
        if has_all(side, parts, fold, scope) and not (scope == "sentence" and is_same)
        if not (scope == "change" and is_edit and has_all(other, parts, fold, scope))
    }
    assert {(diff.event, diff.keyword) for diff in found} == expected
    events = [diff.event for diff in found]
    assert is_edit or events == sorted(events, reverse=True)


def test_a_long_sentence_is_cut_at_words_around_the_match() -> None:
    words = [f"word{n}" for n in range(3_000)]
    text = " ".join([*words[:2_000], "needle", "and", "thread", *words[2_000:]])
    ((_, _, shown),) = notified("", text, "thread needle")
    assert "needle and thread" in shown
    assert MAX_CELL - 20 < len(shown) <= MAX_CELL
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
    regions = [added("argus" + " x" * 1_950)] * (MAX_BODY // 3_900)
    found, truncated = diffs(subscription("argus"), regions)
    assert truncated
    assert 0 < len(found) < len(regions)


def test_an_entry_that_new_ones_pushed_off_is_reported_to_who_asks_for_it() -> None:
    known = ["Zeus rains", "Hera waits", "Io flees", "Argus sleeps"]
    pages = "\n".join(known), "\n".join(["Hermes sings", *known[:-1]])
    assert notified(*pages, "argus", "sings", ignore_case=True) == [
        ("added", "sings", "Hermes sings")
    ]
    asked = subscription("argus", ignore_case=True, notify_dropped=True)
    (found,) = diffs(asked, changed_regions(*pages))[0]
    assert (found.event, found.change, found.text) == ("removed", "removed", "Argus sleeps")
    assert diff_json(found)["dropped"] is True
