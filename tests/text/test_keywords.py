# ruff: noqa: RUF001 - characters of many scripts are what is tested here
import pytest

from streams.text.keywords import compile_keyword, keyword_phrases, valid_keywords
from streams.text.word_forms import WordForm, normal_form

ENGLISH = WordForm("en", stemming=True, ignore_case=True)


@pytest.mark.parametrize(
    ("keyword", "expected"),
    [
        ("argus", (("argus",),)),
        ("zeus larissaios", (("zeus",), ("larissaios",))),
        ('"zeus larissaios"', (("zeus", "larissaios"),)),
        ('hera "zeus larissaios" io', (("hera",), ("zeus", "larissaios"), ("io",))),
        ("3.14 node.js", (("3", "14"), ("node", "js"))),
        ("東京 タワー", (("東", "京"), ("タ", "ワ", "ー"))),
        ('5" disk', (("5",), ("disk",))),
        ("ﬁne", (("fine",),)),
        ("!? *", ()),
        ('""', ()),
    ],
)
def test_a_keyword_asks_for_phrases(keyword: str, expected: tuple[tuple[str, ...], ...]) -> None:
    assert keyword_phrases(keyword) == expected


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        (["argus", "", "!?", " ", "io"], ("argus", "io")),
        (["!", ""], ()),
        ([], ()),
        (["*"], ("*",)),
        (["*", "argus"], ("argus",)),
        (["the"], ("the",)),
    ],
)
def test_keywords_without_a_word_are_dropped(keywords: list[str], expected: tuple[str]) -> None:
    assert valid_keywords(keywords) == expected


def test_stop_words_are_taken_out_of_a_keyword() -> None:
    assert compile_keyword("House of the Gods", ENGLISH, True).phrases == (("hous",), ("god",))


def test_a_keyword_of_nothing_but_stop_words_keeps_them() -> None:
    compiled = compile_keyword("The Who", ENGLISH, True)
    assert compiled.phrases == (("the",), ("who",))
    assert not compiled.filtered


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"),
        ("don’t", "DON'T"),
        ("Wörter\u00adbuch", "wörterbuch"),
    ],
)
def test_words_that_differ_only_in_case_or_spelling_are_one(one: str, other: str) -> None:
    form = WordForm("und", stemming=False, ignore_case=True)
    assert normal_form(one, form) == normal_form(other, form)


def test_a_language_without_a_stemmer_is_not_stemmed() -> None:
    assert normal_form("gods", WordForm("und", stemming=True, ignore_case=False)) == "gods"


def test_a_word_longer_than_any_is_not_stemmed() -> None:
    long = "gods" * 100
    assert normal_form(long, ENGLISH) == long
