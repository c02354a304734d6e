import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.changes import MAX_CONTEXT
from streams.matching.snippets import MAX_TEXT, context, excerpt
from streams.text.tokens import UNIT


def shown(before: str, text: str, after: str, offset: int, new: str = "") -> str:
    """Return the snippet of a text between two others; sentences in ``new`` are new, too."""
    whole = before + text + after
    starts = {whole.index(each) for each in new.split("|") if each}
    bounds = len(before), len(before) + len(text)
    around, left, right = context(whole, bounds, offset, starts)
    return f"{left}{whole[slice(*around)]}{right}"


@pytest.mark.parametrize(
    ("offset", "expected"),
    [
        (0, "... the giant ..."),
        (3, "... the giant ..."),
        (4, "... saw the giant ..."),
        (5, "... saw the giant here ..."),
        (6, "... saw the giant here."),
        (7, "He saw the giant here."),
        (10, "He saw the giant here."),
        (11, "He saw the giant here. Yes."),
        (200, "He saw the giant here. Yes."),
    ],
)
def test_a_sentence_that_does_not_fit_is_cut_at_a_word_and_others_are_taken_whole(
    offset: int, expected: str
) -> None:
    assert shown("He saw ", "the giant", " here. Yes.", offset) == expected


def test_whole_sentences_and_lines_are_taken_while_they_fit() -> None:
    before, after = "First line.\nSecond one. Third. ", " Fifth one. Sixth one.\nSeventh"
    assert shown(before, "Fourth.", after, 7) == "Third. Fourth. Fifth ..."
    assert shown(before, "Fourth.", after, 20) == "Second one. Third. Fourth. Fifth one."
    assert shown(before, "Fourth.", after, 22) == "Second one. Third. Fourth. Fifth one. Sixth one."


def test_a_row_of_a_table_is_one_unit() -> None:
    assert shown("Name\tPrice.  In. Stock\n", "Lamp\t5", "\nBowl\t7. Two", 12) == (
        "... In. Stock\nLamp\t5\nBowl\t7. Two"
    )


def test_a_row_is_one_unit_however_far_before_the_text_its_tab_is() -> None:
    before = "many words " * 8 + "here. One. "
    assert shown(f"Name {before}", "the giant", "", 12) == "One. the giant"
    assert shown(f"Name\t{before}", "the giant", "", 12) == "... here. One. the giant"


def test_neighbours_that_are_new_too_come_whole_up_to_the_limit_of_context() -> None:
    label = "A label that is longer than the offset"
    assert shown("Old line here.\n", "Medical aid", f"\n{label}\nmore", 6, label) == (
        f"... here.\nMedical aid\n{label}"
    )
    assert shown("Old line here.\n", "Medical aid", "\nmore", 5) == "... Medical aid\nmore"
    assert shown("", "Medical aid", f"\n{label}", 0, label) == "Medical aid ..."
    long = "x" * MAX_CONTEXT
    assert shown("", "Medical aid", f"\nlabel {long}", 5, f"label {long}") == "Medical aid ..."


def test_nothing_cut_shows_no_dots() -> None:
    assert shown("", "all", "", 50) == "all"
    assert shown("", "all", "", 0) == "all"


def test_scripts_without_spaces_are_cut_between_characters() -> None:
    assert shown("東京" * 200, "x", "ที่" * 200, 6) == "... 東京東京東京xที่ที่ ..."


@given(
    st.text(alphabet="ab' \u0301東ก่.\n\t", max_size=300),
    st.text(alphabet="ab' \u0301東ก่.\n\t", max_size=300),
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


@given(st.integers(0, 1_500), st.integers(1, 9), st.integers(0, 4_000))
def test_an_excerpt_holds_the_span_and_cuts_no_word(place: int, size: int, length: int) -> None:
    text = " ".join(["word'" + "s" * size] * 1_600)
    units = [unit.span() for unit in UNIT.finditer(text)]
    start = units[place][0]
    end = max(e for _, e in units if e <= start + size + 5 + length)
    low, high = excerpt(text, (0, len(text)), (start, end))
    assert low <= start
    assert end <= high or high - low > MAX_TEXT - 20
    assert high - low <= MAX_TEXT
    assert not any(a < edge < b for a, b in units for edge in (low, high))
    around = excerpt("before " + text + " after", (7, 7 + len(text)), (start + 7, end + 7))
    assert around == (low + 7, high + 7)
