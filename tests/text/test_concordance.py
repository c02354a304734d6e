import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.text.concordance import is_word, same_word, word_positions
from streams.text.tokens import split_words

TEXT = "Zeus, zeus and Zeus\u2019s"


@given(st.text())
def test_the_positions_are_those_of_the_words_in_their_order(text: str) -> None:
    found = list(word_positions(text))
    assert [text[start:end] for _, start, end in found] == split_words(text)
    assert [position for position, _, _ in found] == list(range(len(found)))


@given(st.text(), st.integers(0, 20))
def test_from_any_word_on_the_rest_is_the_same(text: str, place: int) -> None:
    found = list(word_positions(text))
    for position, start, _ in found[place : place + 1]:
        assert list(word_positions(text, position, start)) == found[place:]


@pytest.mark.parametrize(
    ("word", "ignore_case", "found"),
    [
        ("Zeus", False, [(0, 0, 4)]),
        ("zeus", True, [(0, 0, 4), (1, 6, 10)]),
        ("zeus's", True, [(3, 15, 21)]),
        ("Hera", True, []),
    ],
)
def test_a_word_is_found_where_it_is_whole(
    word: str, ignore_case: bool, found: list[tuple[int, int, int]]
) -> None:
    is_same = same_word(word, "en", ignore_case)
    every = word_positions(TEXT)
    assert [(at, start, end) for at, start, end in every if is_same(TEXT[start:end])] == found


def test_case_is_that_of_the_language() -> None:
    assert same_word("\u0131", "tr", ignore_case=True)("I")
    assert not same_word("\u0131", "en", ignore_case=True)("I")


@pytest.mark.parametrize(
    ("text", "is_one"), [("zeus", True), ("", False), ("a b", False), ("!", False)]
)
def test_one_word_is_distinguished_from_other_text(text: str, is_one: bool) -> None:
    assert is_word(text) is is_one
