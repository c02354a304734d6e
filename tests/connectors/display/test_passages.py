"""How lines and rows that came or went are shown: what changed, apart from what stands around."""

from collections.abc import Sequence

from connectors.display.html import entries_html
from connectors.display.plain import entries_text
from schemas.records.changes import Diff, Marked, Marks, Span
from schemas.records.field_types import DiffEvent

WAS = "Login: up\nPayments: up\nMail: down"
IS = "Login: down\nPayments: up\nMail: up"
OLD_ROWS = "Phone\tPrice\tStock\nPhone X\t€799\tin stock\nPhone Y\t€899\tsold out"
NEW_ROWS = "Phone\tPrice\tStock\nPhone X\t€749\tsold out\nPhone Y\t€899\tsold out"

ADDED = '<p dir="auto"><span dir="ltr">added</span>: '
GREY = '<span style="color:#757575">'


def span(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start, start + len(part))


def passage(
    event: DiffEvent, keyword: str, text: str, snippet: str, changed: Sequence[str] = ()
) -> Diff:
    """Return an entry of a line, in a snippet in which other lines may have changed."""
    words = [] if keyword == "*" else [keyword]
    inside = Marked((Span(0, len(text)),), tuple(span(text, each) for each in words))
    around = Marked(
        tuple(span(snippet, each) for each in changed or (text,)),
        tuple(span(snippet, each) for each in words),
    )
    return Diff(event, keyword, text, snippet, event, marks=Marks(inside, around))


STATUS = [
    passage(event, keyword, text, snippet, changed)
    for snippet, changed, event in (
        (WAS, ("Login: up", "Mail: down"), "removed"),
        (IS, ("Login: down", "Mail: up"), "added"),
    )
    for text in changed
    for keyword in (text.split(":")[0], "*")
]
ROWS = [
    passage(event, keyword, text, snippet)
    for event, text, snippet in (
        ("removed", "Phone X\t€799\tin stock", OLD_ROWS),
        ("added", "Phone X\t€749\tsold out", NEW_ROWS),
    )
    for keyword in ("Phone", "*")
]


def test_plain_text_has_what_changed_once_and_not_what_stands_around_it() -> None:
    assert entries_text(STATUS).splitlines() == [
        "removed: Login: up",
        "removed: Mail: down",
        "added: Login: down",
        "added: Mail: up",
    ]


def test_plain_text_has_the_row_that_changed_and_keeps_its_cells_apart() -> None:
    assert entries_text(ROWS).splitlines() == [
        "removed: Phone X · €799 · in stock",
        "added: Phone X · €749 · sold out",
    ]


def test_rows_that_came_together_are_kept_apart() -> None:
    rows = "Phone X\t€749\nPhone Y\t€899"
    assert entries_text([passage("added", "*", rows, rows)]) == (
        "added: Phone X · €749 / Phone Y · €899"
    )


def test_html_has_what_stands_around_a_row_without_marks() -> None:
    assert entries_html(ROWS[2:]) == (
        f"{ADDED}{GREY}<b>Phone</b> · Price · Stock / </span>"
        "<ins>Phone X · €749 · sold out</ins>"
        f"{GREY} / Phone Y · €899 · sold out</span></p>"
    )


def test_the_keywords_of_one_line_are_marked_in_one_entry() -> None:
    both = [
        passage("added", each, "Argus sleeps.", "So be it. Argus sleeps.")
        for each in ("Argus", "sleeps")
    ]
    assert entries_html(both) == (
        f"{ADDED}{GREY}So be it. </span><ins><b>Argus</b> <b>sleeps</b>.</ins></p>"
    )


def test_the_same_line_removed_and_added_is_two_entries() -> None:
    both = [passage(event, "*", "Argus", "Argus") for event in ("removed", "added")]
    assert entries_text(both) == "removed: Argus\nadded: Argus"


def test_an_edited_row_keeps_its_cells_apart() -> None:
    old, new = "Phone Z\t€99\tin stock", "Phone Z\t€89\tin stock"
    edit = Diff("added", "phone", "€89", new, "edited", before=old, after=new)
    assert entries_text([edit]) == "edited: Phone Z · €99 → €89 · in stock"
