"""A line that another one replaced is one edit, if nobody can doubt which replaced which."""

from dataclasses import replace

import pytest

from connectors.display.entries import shown_entries
from connectors.display.headlines import headline
from connectors.display.html import entries_html
from connectors.display.plain import entries_text
from connectors.display.replaced_lines import MAX_REPLACED
from schemas.records.changes import Diff, Marked, Marks, Span
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.diff.regions import changed_regions
from streams.matching.matcher import Matcher
from tests.fakes.outgoing import notification

LAMP = "Aurora desk lamp\n\n{price}\n\n{stock}\n\nAdd to basket"


def diffs(old: str, new: str, *keywords: str) -> tuple[Diff, ...]:
    asked = Subscription(
        id="s",
        watch="w",
        manager="m",
        document_url="http://a.test/",
        url="http://a.test/",
        receiver=Receiver("http://client.test/"),
        keywords=keywords or ("*",),
        options=Options(),
        created=0,
    )
    return Matcher(changed_regions(old, new), "en").diffs(asked)[0]


def lamp(stock: str, price: str = "99 EUR") -> str:
    return LAMP.format(stock=stock, price=price)


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (lamp("In stock"), lamp("Out of stock"), ["edited: In stock → Out of stock"]),
        ("Sold out", "Available again", ["edited: Sold out → Available again"]),
        (
            lamp("Sold out"),
            lamp("Available again", "89 EUR"),
            [
                "edited: 99 → 89 EUR",
                "edited: Sold out → Available again",
            ],
        ),
    ],
)
def test_a_short_line_that_replaced_another_one_is_an_edit(
    old: str, new: str, shown: list[str]
) -> None:
    assert entries_text(diffs(old, new)).splitlines() == shown


def test_html_shows_both_without_what_stands_around_them_and_the_keyword() -> None:
    found = diffs(lamp("In stock"), lamp("Out of stock"), "stock")
    assert entries_html(found) == (
        '<p dir="auto"><span dir="ltr">edited</span>: '
        "<del>In <b>stock</b></del> → <ins>Out of <b>stock</b></ins></p>"
    )
    (entry,), more = shown_entries(found)
    assert (entry.change, entry.keywords, more) == ("edited", ("stock",), 0)


def test_the_title_is_the_line_that_is_there_now() -> None:
    news = replace(notification("n"), title="Aurora", diffs=diffs("Sold out", "Available again"))
    assert headline(news) == "Available again: Aurora"


def line(change: str, text: str, before: str = "Lamp\n", after: str = "\nBuy") -> Diff:
    span = Span(len(before), len(before) + len(text))
    marks = Marks(snippet=Marked((span,)))
    event = "removed" if change == "removed" else "added"
    return Diff(event, "*", text, f"{before}{text}{after}", change, marks=marks)


@pytest.mark.parametrize(
    "found",
    [
        [line("removed", "Sold out"), line("added", "In stock", before="Chair\n")],
        [line("removed", "Sold out"), line("added", "In stock", after=" at last\nBuy")],
        [line("removed", "so " * MAX_REPLACED), line("added", "In stock")],
        [line("removed", "Sold out"), line("removed", "Gone"), line("added", "In stock")],
        [line("removed", "Sold out"), line("added", "In stock"), line("added", "New")],
        [line("added", "In stock"), line("removed", "Sold out")],
    ],
)
def test_lines_that_may_have_nothing_to_do_with_each_other_stay_apart(found: list[Diff]) -> None:
    entries, _ = shown_entries(found)
    assert [entry.change for entry in entries] == [diff.change for diff in found]


def test_a_state_that_replaced_another_is_an_edit_though_one_before_did_so_too() -> None:
    page = "Portal\n{}\n\nMail\nUp\n\nBackup\n{}"
    found = diffs(page.format("Up", "Partly down"), page.format("Partly down", "Up"), "Backup")
    assert entries_text(found).splitlines() == ["Backup", "edited: Partly down → Up"]
