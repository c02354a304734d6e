"""The diffs of texts with marks, ligatures, hidden characters and emoji."""

import pytest

from tests.fakes.watched import notified


def short(old: str, new: str, *keywords: str, **options: bool) -> list[tuple[str, str, str]]:
    """Return event, keyword and text of each diff, in English."""
    return [each[:3] for each in notified(old, new, *keywords, language="en", **options)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a cafe\u0301 here", "a caf\u00e9 here"),
        ("the ﬁnal end", "the final end"),
        ("가방", "\u1100\u1161\u1107\u1161\u11bc"),
        ("ﾀﾜｰ", "タワー"),
        ("one two", "one\u00a0two"),
        ("one two\n", "one \t\n two"),
    ],
)
def test_another_encoding_of_the_same_text_is_no_change(old: str, new: str) -> None:
    assert notified(old, new, "*") == []


def test_a_diacritic_makes_another_word() -> None:
    assert short("a cafe here", "a café here", "cafe\u0301", "cafe") == [
        ("removed", "cafe", "cafe"),
        ("added", "cafe\u0301", "café"),
    ]


def test_a_ligature_is_its_letters() -> None:
    assert short("the end", "the ﬁnal end", "final", "ﬁnal") == [
        ("added", "final", "final"),
        ("added", "ﬁnal", "final"),
    ]


def test_a_soft_hyphen_is_shown_as_it_is_and_separates_nothing() -> None:
    old, new = "es ist ein Buch", "es ist ein Wörter\u00adbuch"
    assert short(old, new, "Wörterbuch", "buch") == [("added", "Wörterbuch", "Wörter\u00adbuch")]
    assert short("a day of so\u00adft rain", "a day of soft rain", "soft") == []


def test_sharp_s_is_two_letters_for_those_who_ignore_case() -> None:
    old = "Der Weg führt durch die Gasse"
    new = "Der Weg führt durch die Große STRASSE"
    assert short(old, new, "GROSSE STRAßE", ignore_case=True) == [
        ("added", "GROSSE STRAßE", "Große STRASSE")
    ]
    assert short(old, new, "GROSSE STRAßE") == []


@pytest.mark.parametrize(
    ("old", "new", "removed", "added"),
    [
        ("it is $5 now", "it is €5 now", "$", "€"),
        ("like 👍 much", "like 👍🏽 much", "👍", "👍🏽"),
        ("we 👩 two", "we 👩\u200d👩\u200d👧 two", "👩", "👩\u200d👩\u200d👧"),
        ("fly 🇩🇪🇫🇷 high", "fly 🇩🇰🇫🇷 high", "🇩🇪", "🇩🇰"),
        ("love ❤ here", "love ❤\ufe0f here", "❤", "❤\ufe0f"),
    ],
)
def test_a_symbol_changes_as_a_whole(old: str, new: str, removed: str, added: str) -> None:
    assert short(old, new, "*") == [("removed", "*", removed), ("added", "*", added)]
    assert short(old, new, "now", "like", "we", "high", "here") == []


def test_a_word_next_to_an_emoji_is_a_word() -> None:
    assert short("", "🎉party🎉 👩\u200d💻dev", "party", "dev") == [
        ("added", "party", "🎉party🎉 👩\u200d💻dev"),
        ("added", "dev", "🎉party🎉 👩\u200d💻dev"),
    ]
