"""Lines are cut into sentences, in every script."""

# ruff: noqa: RUF001 - signs of many scripts are what is tested here
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.text.units import cut_line, cut_lines, sentence_bounds

SIGNS = st.text(alphabet='aB1. !?…。।"」)\t\u00a0中', max_size=40)


@pytest.mark.parametrize(
    "sentences",
    [
        ["Fines shall not exceed 2 %. ", "The U.S. government paid. ", "On 12. Januar kam er."],
        ["Mr. Smith met J. Doe vs. Dr. No. 5 etc. in St. Louis."],
        ['"Why?" ', "He (Ares!) fell... ", "Then (it was late.) ", "Nobody came!"],
        ["It is 3.14. ", "In 2020. ", "Node.js v5. ", "Then iOS."],
        ["Er sagte: „Nein.“ ", "Dann ging er. ", "‚Ja.‘ ", "Sie blieb."],
        ["他走了。", "“你好。”", "好。"],
        ["これは本です。", "それは?", "「はい!」", "そう。"],
        ["यह एक है। ", "वह दो है।"],
        ["هل هذا؟ ", "نعم. ", "لا۔ ", "ok"],
        ["Բարեւ։ ", "Ինչպես"],
        ["សួស្តី។ ", "បាទ"],
        ["no end. of it, e.g. here, is in sight"],
        ["a row. With\ttabs. Is one"],
    ],
)
def test_a_line_is_cut_at_the_ends_of_its_sentences(sentences: list[str]) -> None:
    assert list(filter(None, cut_line("".join(sentences)))) == sentences


@given(SIGNS)
def test_the_pieces_of_a_line_are_the_line(line: str) -> None:
    assert "".join(cut_line(line)) == line
    for unit in cut_lines([(7, 100, line)]):
        assert unit == (line[unit.start - 100 :][: len(unit.text)], unit.start, 7)
        assert unit.text == unit.text.strip()


def test_a_long_line_is_cut_into_pieces_of_some_words() -> None:
    line = "Ab. " * 10_000
    pieces = cut_line(line)
    assert "".join(pieces) == line
    assert min(map(len, pieces[:-1])) >= 80
    assert len(pieces) > 400


def test_bounds_are_where_lines_and_sentences_end() -> None:
    assert sentence_bounds("One. Two\nThree") == [5, 9]


def test_a_long_line_of_dots_is_looked_at_once() -> None:
    # From each dot to the end of them all, it would take hours.
    dots = "." * 1_000_000
    assert list(map(len, cut_line(dots))) == [len(dots)]
