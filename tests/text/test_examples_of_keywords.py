# ruff: noqa: RUF001 - apostrophes of all kinds are what is tested here
"""What each kind of keyword finds in a change."""

import pytest

from tests.fakes.watched import notified


def short(old: str, new: str, *keywords: str, **options: bool) -> list[tuple[str, str]]:
    """Return event and keyword of each diff, in English."""
    return [each[:2] for each in notified(old, new, *keywords, language="en", **options)]


def added(text: str, *keywords: str, **options: bool) -> list[str]:
    """Return which keywords an added text has."""
    return [keyword for _, keyword in short("", text, *keywords, **options)]


def test_a_number_is_its_digits_in_order() -> None:
    assert added("pi is 3.14 now", "3.14", "14.3", "3", "14") == ["3.14", "3", "14"]
    assert added("chapters 3 and 14", "3.14") == []


def test_a_name_with_inner_punctuation_is_one_phrase() -> None:
    text = "uses Node.js and js, not node"
    assert added(text, "node.js", "js.node", "node js", ignore_case=True) == ["node.js", "node js"]


def test_a_hyphen_is_inner_punctuation() -> None:
    assert added("the 100-eyed giant", "100-eyed", "eyed-100", "eyed") == ["100-eyed", "eyed"]


def test_an_apostrophe_belongs_to_its_word() -> None:
    keywords = ("isn't", "isn’t", "isn", "it's", "argus")
    assert added("it isn't; it’s Argus’s", *keywords, ignore_case=True) == [
        "isn't",
        "isn’t",
        "it's",
        "argus",
    ]
    assert added("Argus’s eyes", "argus", ignore_case=True, enable_stemming=True) == ["argus"]
    assert added("the 'quoted' word", "quoted") == ["quoted"]


def test_quotes_ask_for_words_that_are_adjacent_and_in_order() -> None:
    keywords = ('"zeus larissaios"', '"larissaios zeus"', "larissaios zeus")
    assert added("Zeus Larissaios", *keywords, ignore_case=True) == [
        '"zeus larissaios"',
        "larissaios zeus",
    ]


def test_a_keyword_of_nothing_but_stop_words_is_not_filtered() -> None:
    assert added("here is The Who", "The Who", "Who", filter_stopwords=True) == ["The Who", "Who"]
    assert added("who and the", "The Who", filter_stopwords=True) == []


def test_stop_words_count_for_those_who_do_not_filter_them() -> None:
    assert added("house of gods", "house of the gods", filter_stopwords=True)
    assert not added("house of gods", "house of the gods")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [("removed", "God"), ("added", "gods")]),
        ({"enable_stemming": True}, [("removed", "God"), ("added", "gods")]),
        ({"ignore_case": True}, [("removed", "God"), ("added", "gods")]),
        ({"enable_stemming": True, "ignore_case": True}, []),
    ],
)
def test_god_becomes_gods(options: dict[str, bool], expected: list[tuple[str, str]]) -> None:
    assert short("the God said", "the gods said", "God", "gods", **options) == expected


def test_only_events_that_are_not_ignored_are_notified() -> None:
    keywords = ("*", "one", "two")
    both = [("removed", "*"), ("removed", "one"), ("added", "*"), ("added", "two")]
    assert short("x one y", "x two y", *keywords) == both
    assert short("x one y", "x two y", *keywords, ignore_added=True) == both[:2]
    assert short("x one y", "x two y", *keywords, ignore_removed=True) == both[2:]
