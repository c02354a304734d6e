"""An arrow points from what was to what is, in the direction in which both are read."""

from dataclasses import replace

import pytest

from connectors.channels.message import message
from connectors.display.directions import arrow
from connectors.display.entries import shown_entries
from connectors.display.html import entries_html
from connectors.display.plain import entries_text
from connectors.display.runs import line_text
from schemas.records.changes import Diff
from tests.fakes.outgoing import notification

HEBREW, OTHER, ARABIC, DIGITS = "במלאי", "אזל", "السعر", "\u0661\u0662"


def edit(before: str, after: str) -> Diff:
    return Diff("added", "*", after, after, "edited", before, after)


@pytest.mark.parametrize(
    ("before", "after", "base", "points"),
    [
        ("a", "b", "ltr", "→"),
        ("a", "b", "rtl", "→"),
        (HEBREW, OTHER, "rtl", "←"),
        (HEBREW, OTHER, "ltr", "←"),
        (HEBREW, "b", "ltr", "→"),
        (HEBREW, "b", "rtl", "←"),
        ("a", OTHER, "rtl", "←"),
        (f"{ARABIC}: 99", "89", "rtl", "←"),
        ("Price: 99", f"89 {HEBREW}", "ltr", "→"),
        ("99", "89", "ltr", "→"),
        (DIGITS, DIGITS, "ltr", "←"),
        ("", OTHER, "rtl", "←"),
        ("", "b", "ltr", "→"),
    ],
)
def test_an_arrow_has_the_direction_of_the_texts_around_it_or_of_the_paragraph(
    before: str, after: str, base: str, points: str
) -> None:
    assert arrow(before, after, base) == points  # type: ignore[arg-type]  # one of two


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (f"{ARABIC}: 99", f"{ARABIC}: 89", f"{ARABIC}: 99 ← 89"),
        (f"Aurora X1 {HEBREW}", f"Aurora X2 {HEBREW}", f"Aurora X1 → X2 {HEBREW}"),
        (f"{HEBREW} X1", f"{HEBREW} X2", f"{HEBREW} X1 → X2"),
        (HEBREW, OTHER, f"{HEBREW} ← {OTHER}"),
    ],
)
def test_an_edit_in_one_line_reads_from_old_to_new(before: str, after: str, shown: str) -> None:
    (entry,), _ = shown_entries([edit(before, after)])
    assert list(map(line_text, entry.lines)) == [shown]


def test_the_second_line_of_an_edit_begins_with_an_arrow_to_its_text() -> None:
    (entry,), _ = shown_entries([edit(f"{HEBREW} {HEBREW}", f"{HEBREW} {OTHER} {HEBREW}")])
    assert line_text(entry.lines[1]).startswith("← ")


def test_a_replaced_line_has_an_arrow_from_old_to_new() -> None:
    both = [
        Diff("removed", "*", HEBREW, HEBREW, "removed"),
        Diff("added", "*", OTHER, OTHER, "added"),
    ]
    assert f"<del>{HEBREW}</del> ← <ins>{OTHER}</ins>" in entries_html(both)


def test_plain_text_keeps_the_direction_of_a_line_after_its_label() -> None:
    assert entries_text([edit(HEBREW, OTHER)]) == f"edited: \u2068{HEBREW} ← {OTHER}\u2069"
    assert entries_text([edit("1 lamp", "2 lamps")]).isprintable()


def test_html_lets_the_text_decide_on_its_direction_and_says_its_language() -> None:
    diff = replace(edit(HEBREW, OTHER), headings=("Lamps",))
    html = entries_html([diff], language="he")
    assert html == (
        '<p dir="auto" lang="he"><span dir="auto">Lamps</span><br>'
        f'<span dir="ltr">edited</span>: <del>{HEBREW}</del> ← <ins>{OTHER}</ins></p>'
    )
    news = replace(notification("n"), title=HEBREW, diffs=(diff,), language='h"e')
    own = message(news, "", "").html or ""
    assert f'<bdi dir="auto"><a href="http://document.test/">{HEBREW}</a></bdi>' in own
    assert '<p dir="auto" lang="h&quot;e">' in own


def test_each_keyword_has_its_direction() -> None:
    news = replace(notification("n"), diffs=(Diff("added", HEBREW, HEBREW, HEBREW),))
    made = message(news, "", "")
    assert f'You watch it for: <bdi dir="auto">{HEBREW}</bdi>.' in (made.html or "")
    assert f"You watch it for: \u2068{HEBREW}\u2069." in made.text
