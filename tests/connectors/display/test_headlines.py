"""The line that says the news of a notification."""

from dataclasses import replace

import pytest

from connectors.display.headlines import MAX_NAME, MAX_NEWS, headline
from schemas.records.changes import Diff
from schemas.records.field_types import MAX_TITLE
from schemas.records.numbers import NumberNews
from tests.fakes.outgoing import PAGE, notification

LAMP = replace(notification("n"), title="Aurora desk lamp")


def new(text: str, change: str = "added") -> Diff:
    return Diff("removed" if change == "removed" else "added", "*", text, text, change=change)


def edit(before: str, after: str) -> Diff:
    return Diff("added", "*", after, after, "edited", before, after)


@pytest.mark.parametrize(
    ("diffs", "line"),
    [
        ([new("In stock")], "In stock: Aurora desk lamp"),
        ([edit("Price: 99 EUR", "Price: 89 EUR")], "Price: 89 EUR: Aurora desk lamp"),
        ([new("In stock", "removed")], "Removed: In stock (Aurora desk lamp)"),
        ([new("Lamps", "moved")], "Moved: Lamps (Aurora desk lamp)"),
        ([new("A light."), new("A timer."), new("A cable.")], "3 changes: Aurora desk lamp"),
        ([], "Aurora desk lamp has changed"),
        ([new("Out of stock", "removed"), new("In stock")], "In stock: Aurora desk lamp"),
    ],
)
def test_the_news_comes_before_the_name_of_the_page(diffs: list[Diff], line: str) -> None:
    assert headline(replace(LAMP, diffs=tuple(diffs))) == line


def test_a_number_says_why_it_is_notified_or_else_what_it_was() -> None:
    reasons = ("below 100 EUR (counts again from 101 EUR on)", "changed by 10 % from 99 EUR")
    price = NumberNews("99", "89", "EUR", reasons)
    line = headline(replace(LAMP, number=price, diffs=(edit("99 EUR", "89 EUR"),)))
    assert line == "Aurora desk lamp: 89 EUR (below 100; changed by 10 % from 99)"
    plain = replace(LAMP, number=NumberNews("99", "89", ""))
    assert headline(plain) == "Aurora desk lamp: 89 (was 99)"


@pytest.mark.parametrize("status", ["failing", "timeout", "lost", "recovered", "found"])
def test_a_failure_names_the_page_and_without_a_title_its_address(status: str) -> None:
    assert headline(replace(LAMP, status=status)).endswith(": Aurora desk lamp")
    assert headline(replace(LAMP, status=status, title="")).endswith(f": {PAGE}")


def test_changes_that_were_left_out_are_not_counted() -> None:
    some = replace(LAMP, diffs=(new("A light."), new("A timer.")), truncated=True)
    assert headline(some) == "2 or more changes: Aurora desk lamp"


def test_a_long_sentence_is_cut_around_what_changed_and_a_long_title_at_its_end() -> None:
    around = "as all who live on Olympus know "
    long = edit(f"{around * 9}99 EUR {around * 9}", f"{around * 9}89 EUR {around * 9}")
    line = headline(replace(LAMP, title="lamp " * (MAX_TITLE // 5), diffs=(long,)))
    assert "89 EUR" in line
    assert len(line) <= MAX_NEWS + MAX_NAME + 20


def test_a_page_cannot_add_lines_or_turn_the_text_around() -> None:
    hostile = "In\nstock\u202e\x1b[2J"
    line = headline(replace(LAMP, title=hostile, diffs=(new(hostile),)))
    assert line.isprintable()
    assert "\u202e" not in line


def test_the_name_of_a_subscription_stands_for_the_title_of_its_page() -> None:
    named = replace(LAMP, name="Lamp for Ann", diffs=(new("In stock"),))
    assert headline(named) == "In stock: Lamp for Ann"
    assert headline(replace(named, title="")) == "In stock: Lamp for Ann"
    assert headline(replace(named, name="")) == "In stock: Aurora desk lamp"


def test_the_name_of_a_subscription_for_several_pages_stands_before_the_page() -> None:
    covered = replace(LAMP, name="Shop", document=PAGE + "lamp", diffs=(new("In stock"),))
    assert headline(covered) == "In stock: Shop: Aurora desk lamp"
    assert headline(replace(covered, title="")) == f"In stock: Shop: {PAGE}lamp"
    everywhere = replace(LAMP, name="Stock", pages="pages:*", diffs=(new("In stock"),))
    assert headline(everywhere) == "In stock: Stock: Aurora desk lamp"
