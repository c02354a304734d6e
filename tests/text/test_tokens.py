# ruff: noqa: RUF001 - characters of many scripts are what is tested here
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.text import tokens
from streams.text.tokens import SPACED_UNIT, UNIT, WORD, located_words, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the 100-eyed giant", ["the", "100", "eyed", "giant"]),
        ("don't, l’été 'quoted'", ["don't", "l’été", "quoted"]),
        ("Argus' wakeful", ["Argus", "wakeful"]),
        ("snake_case 3.14 node.js", ["snake", "case", "3", "14", "node", "js"]),
        ("Müller Straße ação Ελλάδα", ["Müller", "Straße", "ação", "Ελλάδα"]),
        ("e\u0301te\u0301 नमस्ते", ["e\u0301te\u0301", "नमस्ते"]),
        ("مرحبا بالعالم שָׁלוֹם", ["مرحبا", "بالعالم", "שָׁלוֹם"]),
        ("می\u200cخواهم Wörter\u00adbuch", ["می\u200cخواهم", "Wörter\u00adbuch"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("iPhone手机", ["iPhone", "手", "机"]),
        ("ภาษาไทย", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("€5 👍🏽 ❤️ — …", ["5", "👍🏽", "❤️"]),
    ],
)
def test_words_are_what_a_reader_of_the_script_calls_words(text: str, words: list[str]) -> None:
    assert WORD.findall(text) == words


def test_every_mark_belongs_to_the_word_before_it() -> None:
    marks = [c for c in map(chr, range(0x1F000)) if unicodedata.category(c)[0] == "M"]
    assert [mark for mark in marks if not WORD.fullmatch(f"a{mark}")] == []


def test_every_character_but_white_space_is_in_a_unit() -> None:
    assert UNIT.findall(" €5, don't ") == ["€", "5", ",", "don't"]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("🇩🇪🇫🇷🇩", ["🇩🇪", "🇫🇷", "🇩"]),
        ("👩\u200d👩\u200d👧👧", ["👩\u200d👩\u200d👧", "👧"]),
        ("🏳\ufe0f\u200d🌈!", ["🏳\ufe0f\u200d🌈", "!"]),
        ("👩🏽\u200d💻dev", ["👩🏽\u200d💻", "dev"]),
        ("👩\u200ddev", ["👩\u200d", "dev"]),
        ("1\ufe0f\u20e3❤\ufe0f", ["1\ufe0f\u20e3", "❤\ufe0f"]),
    ],
)
def test_an_emoji_is_one_unit(text: str, units: list[str]) -> None:
    assert UNIT.findall(text) == units


emoji = st.text(st.sampled_from("👍🏽👩\u200d👧🇩🇪❤\ufe0fa €"))


@given(st.text() | emoji)
def test_units_leave_out_nothing_but_white_space(text: str) -> None:
    assert "".join(UNIT.findall(text)) == "".join(text.split())
    assert "".join(SPACED_UNIT.findall(text)) == text.lstrip()


@given(st.text(alphabet="ab1'’é\u0301\u200d東ก่ _-", max_size=12))
def test_a_word_has_letters_digits_marks_and_inner_apostrophes_only(text: str) -> None:
    for word in WORD.findall(text):
        assert word[0].isalnum()
        assert word[-1] not in "'’"
        others = [c for c in word if unicodedata.category(c)[0] not in "LNM"]
        assert set(others) <= set("'’\u200d")


@given(
    st.lists(
        st.sampled_from(["don't", "pay", "東京", "e\u0301t", " ", "\n", "'", "€", "ไทย", "a" * 9]),
        max_size=20,
    ).map("".join)
)
def test_words_found_in_parts_are_those_of_the_whole_text(text: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        longest = max(map(len, split_words(text)), default=0)
        patched.setattr(tokens, "PART", longest + 3)
        parts = list(located_words(text))
    assert [each for part in parts for each in part] == [
        (each[0], each.start()) for each in WORD.finditer(text)
    ]


def test_a_word_longer_than_a_part_is_cut() -> None:
    parts = list(located_words("x" * (2 * tokens.PART + 5) + " y"))
    assert [len(word) for part in parts for word, _ in part] == [tokens.PART, tokens.PART, 5, 1]
