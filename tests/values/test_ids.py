"""Ids are of the content: equal for equal parts, different for others."""

from hypothesis import given
from hypothesis import strategies as st

from streams.values.ids import content_id

PARTS = st.lists(st.none() | st.integers() | st.text(max_size=4), max_size=4).map(tuple)


def test_an_id_is_32_hexadecimal_digits_and_stays_the_same_in_every_release() -> None:
    assert content_id("http://d.test/", 5, None) == "45a00a392cf47e27ecb88d57d1ef7a7a"
    assert content_id() == "cae66941d9efbd404e4d88758ea67670"


@given(PARTS, PARTS)
def test_other_parts_have_another_id(one: tuple[object, ...], two: tuple[object, ...]) -> None:
    # A number and its digits are one part: no id has both in the same position.
    same = [part if part is None else str(part) for part in one] == [
        part if part is None else str(part) for part in two
    ]
    assert (content_id(*one) == content_id(*two)) == same  # type: ignore[arg-type]  # as drawn


def test_parts_are_distinguished_by_their_bounds() -> None:
    assert content_id("ab", "c") != content_id("a", "bc") != content_id("abc")
    assert content_id("") != content_id(None) != content_id()
    assert content_id("None") != content_id(None)


def test_any_text_has_an_id() -> None:
    assert content_id("\ud800") != content_id("?")
