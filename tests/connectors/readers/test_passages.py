"""Quotes are found again in texts that have changed, and patterns are removed from them."""

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.patterns import MAX_PROGRAM, matched_spans, pattern_fault
from connectors.readers.cutting import without_spans
from connectors.readers.errors import NothingSelected
from connectors.readers.page_text import PageText
from connectors.readers.quotes import LEAST, found_quote
from connectors.readers.reading import read_views
from schemas.records.answers import Heading, Reading
from schemas.records.views import Quote, Selector, View

SHOP = "Shop\nBook: 12 € a piece\nBike: 12 € a month\nCar: 99 € a day"
MONTHLY = Quote("12 €", "Bike: ", " a month")


def text_of(text: str, quote: Quote) -> str | None:
    found = found_quote(text, quote)
    return None if found is None else text[slice(*found.span)]


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        (SHOP, Quote("Bike: 12 €"), "Bike: 12 €"),
        (SHOP, MONTHLY, "12 €"),
        ("A € 22.49 in stock\nB € 29.99", Quote("€ 24.99"), None),
        ("Lamp € 22.49 in stock\nB € 9.9", Quote("€ 24.99", "Lamp ", " in stock"), "€ 22.49"),
        ("The lamp costs now: € 1,2\nB 9", Quote("€ 24.99", "The lamp costs now: "), "€ 1,2"),
        (SHOP.replace("Bike: 12", "Bike: 13"), MONTHLY, "13 €"),
        (SHOP.replace("Bike: 12 €", "Bike: 1,300 €"), MONTHLY, "1,300 €"),
        (SHOP, Quote("a piece Bike:"), "a piece\nBike:"),
        ("so much else\n" * 500 + "The quick red fox jumps over lazy dogs", Quote(
            "The quick brown fox jumps over the lazy dogs"
        ), "The quick red fox jumps over lazy dogs"),
        ("値段は三千円です。" + "今日の会議は東京で午後三時から始まります。", Quote(
            "会議は東京で午後二時", "今日の", "から始まります。"
        ), "会議は東京で午後三時"),
        ("ราคาพิเศษวันนี้ 1300 บาทต่อเดือนเท่านั้น", Quote(
            "1200 บาทต่อเดือน", "ราคาพิเศษวันนี้ ", "เท่านั้น"
        ), "1300 บาทต่อเดือน"),
        (SHOP, Quote("nothing of that kind is anywhere"), None),
        ("", Quote("a"), None),
        ("a b", Quote("€ € €"), None),
    ],
)  # fmt: skip
def test_a_quote_is_what_its_words_have_become(
    text: str, quote: Quote, expected: str | None
) -> None:
    assert text_of(text, quote) == expected


def test_context_chooses_among_the_same_words() -> None:
    found = found_quote(SHOP, MONTHLY)
    assert found is not None
    assert (found.span[0], found.confidence) == (SHOP.rindex("12 €"), 1.0)


def test_the_more_has_changed_the_less_is_a_quote_found_with_confidence() -> None:
    quote = Quote("one two three four five six")
    texts = ["one two three four five six", "one two 3 four five six", "one 2 3 four five six"]
    found = [found_quote(text, quote) for text in texts]
    confidences = [each.confidence for each in found if each is not None]
    assert confidences == sorted(confidences, reverse=True)
    assert (len(confidences), confidences[0], min(confidences) >= LEAST) == (3, 1.0, True)


words = st.lists(st.sampled_from(["a", "ab", "cd", "e,"]), min_size=1, max_size=9).map(" ".join)


@given(words, words, words)
def test_a_quote_that_is_there_is_found_where_it_is(before: str, exact: str, after: str) -> None:
    found = found_quote(f"{before} {exact} {after}", Quote(exact, f"{before} ", f" {after}"))
    assert found is not None
    assert found.span == (len(before) + 1, len(before) + 1 + len(exact))


def test_a_view_has_quotes_after_its_other_parts_and_leaves_others_out() -> None:
    page = b"<h1>Shop</h1><p>Bike: 12 a month</p><p>Car: 99 a day</p>"
    quote = Selector(quote=Quote("12 a month"))
    views = [
        View(select=(quote,)),
        View(select=(quote, Selector(css="h1"))),
        View(exclude=(quote,)),
        View(select=(Selector(quote=Quote("not there at all")),)),
    ]
    *read, lost = read_views(page, "text/html", views)
    texts = [each.text for each in read if isinstance(each, Reading)]
    assert texts == ["12 a month", "Shop\n12 a month", "Shop\nBike: \nCar: 99 a day"]
    assert [each.confidence for each in read if isinstance(each, Reading)] == [1.0, 1.0, None]
    assert isinstance(lost, NothingSelected)


def test_a_quote_that_is_found_is_enough_for_a_view_with_other_selectors() -> None:
    page = b"<h1>Shop</h1><p>Bike: 12 a month</p>"
    quote, gone = Selector(quote=Quote("12 a month")), Selector(css="#gone")
    views = [View(select=(gone, quote)), View(select=(gone, Selector(quote=Quote("99 a day"))))]
    found, lost = read_views(page, "text/html", views)
    assert isinstance(found, Reading)
    assert (found.text, found.title, found.headings) == ("12 a month", "Shop", ())
    assert isinstance(lost, NothingSelected)


@pytest.mark.parametrize(
    ("exact", "reason"),
    [
        (
            "the bike costs 99 or less",
            "; the nearest passage is only 44% like the quote (60% are needed)",
        ),
        ("zeus", ""),
    ],
)
def test_a_quote_that_is_not_found_says_how_near_the_nearest_is(exact: str, reason: str) -> None:
    page = b"<p>the bike is cheap, 99 only</p>"
    (lost,) = read_views(page, "text/html", [View(select=(Selector(quote=Quote(exact)),))])
    assert isinstance(lost, NothingSelected)
    assert str(lost) == f"nothing on the page matches view.select{reason}"


def test_a_view_is_as_certain_as_its_least_certain_quote() -> None:
    page = b"<p>Now only 13 a month</p><p>Car: 99 a day</p>"
    changed = Selector(quote=Quote("only 12 a", "Now ", " month"))
    view = View(select=(Selector(quote=Quote("Car: 99")), changed))
    (reading,) = read_views(page, "text/html", [view])
    assert isinstance(reading, Reading)
    assert reading.confidence is not None
    assert 0.6 <= reading.confidence < 1


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ([r"\d+ views"], "Zeus\nHera: \n\nend"),
        ([r"^\d+ views$"], "Zeus\nHera: 7 views\n\nend"),
        ([r"^Hera.*$", r"\d+ views"], "Zeus\n\nend"),
        ([r"(?i)^zeus\n", "end"], "12 views\nHera: 7 views\n"),
        ([""], "Zeus\n12 views\nHera: 7 views\n\nend"),
    ],
)
def test_what_is_ignored_is_in_no_text(patterns: list[str], expected: str) -> None:
    page = PageText("Zeus\n12 views\nHera: 7 views\n\nend")
    assert without_spans(page, matched_spans(page.text, patterns)).text == expected


def test_headings_move_with_their_text() -> None:
    page = PageText(
        "é1 Zeus\nx\n2 Hera\n3", headings=(Heading(0, 1), Heading(10, 2), Heading(17, 2))
    )
    found = without_spans(page, matched_spans(page.text, [r"\d", "x"]))
    assert found.text == "é Zeus\n Hera"
    assert [each.start for each in found.headings] == [0, 7]


@pytest.mark.parametrize("text", ["é 1", "1", "\U0001f6002 ü3\n4"])
def test_spans_count_characters_not_bytes(text: str) -> None:
    digits = [text[start:end] for start, end in matched_spans(text, [r"\d"])]
    assert digits == [char for char in text if char.isdecimal()]


@pytest.mark.parametrize("pattern", [r"\d+ views", "^a|b$", "a{1000}", r"\p{Greek}+", "(?i)x"])
def test_a_pattern_of_re2_can_be_used(pattern: str) -> None:
    assert pattern_fault(pattern) is None


@pytest.mark.parametrize("pattern", ["(", ")(", "(?=a)", r"(a)\1", "a{1001}", "[\ud800]"])
def test_a_pattern_of_another_kind_is_refused(pattern: str) -> None:
    assert (pattern_fault(pattern) or "").startswith("it is no regular expression of RE2: ")


def test_a_pattern_that_is_a_large_program_is_refused() -> None:
    assert f"at most {MAX_PROGRAM:,} steps" in (pattern_fault("(a{900}){1}b{900}c{900}") or "")


@pytest.mark.parametrize(
    ("text", "patterns", "expected"),
    [
        ("Zeus x\n 12\nend", [r"x\n", "12"], "Zeus  \nend"),
        ("x\n 12\nend", [r"x\n", "12"], "end"),
        ("1 x\n2\nend", ["1", r"x\n2"], "end"),
        ("Zeus\nx\nHera", [r"\nx\n"], "ZeusHera"),
    ],
)
def test_what_is_cut_across_lines_makes_one_of_them(
    text: str, patterns: list[str], expected: str
) -> None:
    page = PageText(text)
    assert without_spans(page, matched_spans(text, patterns)).text == expected


def test_a_line_is_looked_for_once_however_much_is_cut_out_of_it() -> None:
    class Counted(str):
        __slots__ = ()
        looks: ClassVar[list[int]] = []

        def find(self, *place: Any) -> int:
            self.looks.append(0)
            return super().find(*place)

        def rfind(self, *place: Any) -> int:
            self.looks.append(0)
            return super().rfind(*place)

    text = Counted("a1 " * 100 + "\n" + "1 " * 100)
    found = without_spans(PageText(text), matched_spans(text, [r"\d"]))
    assert (found.text, len(Counted.looks)) == ("a " * 100, 4)
