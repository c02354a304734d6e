import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.changes import MAX_CONTEXT, Passage
from streams.core.matching.snippets import MAX_TEXT, excerpt, snippet
from streams.core.text.tokens import UNIT


def passage(before: str, text: str, after: str) -> Passage:
    start = len(before)
    return Passage(text, start, before[max(0, start - MAX_CONTEXT) :], after[:MAX_CONTEXT])


def shown(before: str, text: str, after: str, offset: int) -> str:
    return snippet(passage(before, text, after), 0, len(text), offset)


@pytest.mark.parametrize(
    ("offset", "expected"),
    [
        (0, "... the giant ..."),
        (3, "... the giant ..."),
        (4, "... saw the giant ..."),
        (5, "... saw the giant here ..."),
        (6, "... saw the giant here. ..."),
        (7, "He saw the giant here. ..."),
        (200, "He saw the giant here. Yes"),
    ],
)
def test_context_is_cut_at_words_with_dots_where_text_was_cut(offset: int, expected: str) -> None:
    assert shown("He saw ", "the giant", " here. Yes", offset) == expected


def test_nothing_cut_shows_no_dots() -> None:
    assert shown("", "all", "", 50) == "all"
    assert shown("", "all", "", 0) == "all"


def test_a_word_cut_by_the_end_of_the_known_context_is_left_out() -> None:
    text = shown("don't " * 100, "x", " don't" * 100, 200)
    assert text == "... " + "don't " * 33 + "x" + " don't" * 33 + " ..."


def test_scripts_without_spaces_are_cut_between_characters() -> None:
    assert shown("東京" * 200, "x", "ที่" * 200, 6) == "... 東京東京東京xที่ที่ ..."


@given(
    st.text(alphabet="ab' \u0301東ก่.", max_size=300),
    st.text(alphabet="ab' \u0301東ก่.", max_size=300),
    st.integers(0, 200),
)
def test_a_snippet_never_cuts_a_word(before: str, after: str, offset: int) -> None:
    before, after = before + " ", " " + after
    whole = before + "PASSAGE" + after
    found = shown(before, "PASSAGE", after, offset)
    core = found.removeprefix("... ").removesuffix(" ...")
    at = whole.index("PASSAGE") - core.index("PASSAGE")
    assert whole[at : at + len(core)] == core
    units = [unit.span() for unit in UNIT.finditer(whole)]
    assert not any(start < edge < end for start, end in units for edge in (at, at + len(core)))
    assert core.index("PASSAGE") <= offset
    assert len(core) - core.index("PASSAGE") - len("PASSAGE") <= offset
    assert found.startswith("... ") or not whole[:at].strip()
    assert found.endswith(" ...") or not whole[at + len(core) :].strip()


@given(st.integers(0, 1_500), st.integers(1, 9), st.integers(0, 4_000))
def test_an_excerpt_holds_the_span_and_cuts_no_word(place: int, size: int, length: int) -> None:
    text = " ".join(["word'" + "s" * size] * 1_600)
    units = [unit.span() for unit in UNIT.finditer(text)]
    start = units[place][0]
    end = max(e for _, e in units if e <= start + size + 5 + length)
    low, high = excerpt(text, (start, end))
    assert low <= start
    assert end <= high or high - low > MAX_TEXT - 20
    assert high - low <= MAX_TEXT
    assert not any(a < edge < b for a, b in units for edge in (low, high))
