"""What of a page's text reaches a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.cli import output
from streams.cli.output import printable


@pytest.mark.parametrize(
    "text",
    [
        "a family: 👨‍👩‍👧‍👦",
        "a heart on fire: ❤️‍🔥",
        "a doctor: 👩🏽‍⚕️",
        "می‌خواهم",
        "क्‍ष and क्‌ष",
        "a café",
    ],
)
def test_joiners_that_shape_letters_and_emoji_stay(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2J", r"a\x1b[2J"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("\u200da", r"\u200da"),
        ("a\u200d", r"a\u200d"),
        ("a\u200d\u200db", r"a\u200d\u200db"),
        ("a \u200c b", r"a \u200c b"),
        ("pay\u200bpal \U000e0041", r"pay\u200bpal \U000e0041"),
        ("a\u00a0b", "a b"),
    ],
)
def test_what_could_act_on_the_terminal_or_hide_text_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_line_end_stays_where_lines_may() -> None:
    assert printable("a\nb\x1b", lines=True) == "a\nb\\x1b"
    assert printable("a\nb") == "a b"


@given(st.lists(st.text()))
def test_the_parts_of_a_line_are_what_the_line_is(parts: list[str]) -> None:
    shown = output.printable_parts(parts)
    assert len(shown) == len(parts)
    assert "".join(shown) == printable("".join(parts))
