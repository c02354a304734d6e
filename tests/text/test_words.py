# ruff: noqa: RUF001 - characters of many scripts are what is tested here
"""Spellings that are one word."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.text.stemming import ALGORITHMS
from streams.text.tokens import WORD
from streams.text.word_forms import WordForm, normal_form
from tests.harness.examples import examples

EXACT = WordForm("und", stemming=False, ignore_case=False)
FOLDED = WordForm("und", stemming=False, ignore_case=True)
TURKISH = WordForm("tr", stemming=False, ignore_case=True)
LANGUAGES = sorted({*ALGORITHMS, "und"})


def same(one: str, other: str, form: WordForm) -> bool:
    return normal_form(one, form) == normal_form(other, form)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Caf\u00e9", "Cafe\u0301"),
        ("\u1ed9", "o\u0302\u0323"),
        ("ﬁnal", "final"),
        ("ŉ", "'n"),
        ("Ｗｅｂ", "Web"),
        ("ｶﾞ", "ガ"),
        ("각", "\u1100\u1161\u11a8"),
        ("ﻻ", "لا"),
        ("Wörter\u00adbuch", "Wörterbuch"),
        ("می\u200cخواهم", "میخواهم"),
        ("don’t", "don't"),
        ("сім’я", "сімʼя"),
        ("葛\U000e0100", "葛"),
        ("шёл", "шел"),
        ("Ёлка", "Елка"),
        ("كِتَاب", "كتاب"),
        ("כָּל", "כל"),
        ("น้ำ", "น\u0e49\u0e4d\u0e32"),
    ],
)
def test_a_word_is_the_same_however_it_is_encoded(one: str, other: str) -> None:
    assert same(one, other, EXACT)
    assert same(one, other, FOLDED)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("STRAẞE", "straße"),
        ("ΟΔΟΣ", "οδος"),
        ("Ǆungla", "ǆungla"),
        ("МОСКВА", "москва"),
        ("Եվ", "եվ"),
        ("İstanbul", "istanbul"),
        ("İSTANBUL", "I\u0307stanbul"),
    ],
)
def test_case_is_folded_only_for_those_who_ignore_it(one: str, other: str) -> None:
    assert same(one, other, FOLDED)
    assert same(one, other, EXACT) == (one == unicodedata.normalize("NFC", other))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("KADIN", "kadın", True),
        ("IŞIK", "ışık", True),
        ("İZMİR", "izmir", True),
        ("kadın", "kadin", False),
        ("ISPARTA", "isparta", False),
    ],
)
def test_turkish_distinguishes_an_i_from_one_without_a_dot(
    one: str, other: str, expected: bool
) -> None:
    assert same(one, other, TURKISH) is expected


def test_a_capital_i_is_an_i_anywhere_else() -> None:
    assert same("MINI", "mini", FOLDED)
    assert not same("kadın", "kadin", FOLDED)


@pytest.mark.parametrize(("one", "other"), [("resume", "résumé"), ("año", "ano"), ("мой", "мои")])
def test_a_diacritic_makes_another_word(one: str, other: str) -> None:
    assert not same(one, other, FOLDED)


words = st.text(
    st.sampled_from("aéEßIiςΣﬁя'’\u00ad\u200d\u0301\u0307\u0323\u0345ΐ가ᄀكัก")
    | st.characters(codec="utf-8"),
    max_size=12,
)
forms = st.builds(WordForm, st.sampled_from(LANGUAGES), st.booleans(), st.booleans())


@examples(300)
@given(words, forms, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_equivalent_spellings_have_one_normal_form(
    word: str, form: WordForm, encoding: str
) -> None:
    assert same(word, unicodedata.normalize(encoding, word), form)  # type: ignore[arg-type]


@examples(300)
@given(words, st.sampled_from(LANGUAGES), st.booleans(), st.sampled_from(["upper", "casefold"]))
def test_case_makes_no_word_another_one(
    word: str, language: str, stemming: bool, change: str
) -> None:
    form = WordForm(language, stemming, ignore_case=True)
    for each in WORD.findall(unicodedata.normalize("NFKC", word)):
        # Case itself is lossy here: what is I for one of them is i for the other.
        if not set("Iiıİ\u0307\u0345") & set(each + each.upper()):
            assert same(each, getattr(each, change)(), form)
