"""Whether two texts differ in white space alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.diff import common_ends as bounds
from streams.diff.common_ends import has_same_units
from streams.text.tokens import UNIT

SPACES = [character for character in map(chr, range(0x3001)) if character.isspace()]
texts = st.text(st.sampled_from(["a", "b", "5", "\u20ac", "中", "\u0301", " ", "\n", "\x0c"]))


@pytest.mark.parametrize("space", SPACES)
def test_any_white_space_is_as_good_as_a_blank(space: str) -> None:
    assert has_same_units(f"a{space}b.", "a b .")
    assert has_same_units(f"a{space * 9}b." * 1_000, "a b ." * 1_000)


@pytest.mark.parametrize(
    ("old", "new"),
    [("a b", "ab"), ("a b", "a c"), ("a", "a b"), ("x " * 5_000 + "a b", "x " * 5_000 + "ab")],
)
def test_what_divides_words_otherwise_is_a_difference(old: str, new: str) -> None:
    assert not has_same_units(old, new)
    assert not has_same_units(new, old)


@given(texts, texts)
def test_texts_are_the_same_if_their_units_are(old: str, new: str) -> None:
    assert has_same_units(old, new) == (UNIT.findall(old) == UNIT.findall(new))
    assert has_same_units(old, f" {old}".replace(" ", "\n "))


class Unread(str):
    """A text that fails the test if it is read as a whole."""

    __slots__ = ()

    def split(self, *_: object) -> list[str]:
        raise AssertionError


def test_texts_that_differ_where_they_begin_are_not_read_to_their_end() -> None:
    assert not has_same_units(Unread("a " * 1_000), Unread("b " * 1_000))


def test_texts_with_other_characters_are_not_cut_into_units(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "UNIT", None)
    assert not has_same_units("x " * 5_000 + "a", "x " * 5_000 + "b")
