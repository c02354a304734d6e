"""A notification in the terminal."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from connectors.display.plain import BETWEEN_HEADINGS
from schemas.records.changes import Diff, Marked, Marks, Returned, Span
from streams.cli.jobs.notification_view import show_notification, shown_lines
from tests.fakes.notifications import NOTIFICATION

URL = "https://example.org/giants"
EDIT = Diff(
    event="added",
    keyword="price",
    text="€1,199.00",
    snippet="Price: €1,199.00",
    change="edited",
    before="Price: €1,299.00",
    after="Price: €1,199.00",
    headings=("Laptops",),
)


@pytest.mark.parametrize(
    ("status", "reason", "said"),
    [
        ("failing", "HTTP 500", "failing {} cannot be read: HTTP 500"),
        ("recovered", "", "recovered {} can be read again"),
        ("lost", "a \x1b[2J", "lost {} has nothing of what is watched: a \\x1b[2J"),
        ("found", "", "found {} has what is watched again"),
    ],
)
def test_a_notice_of_failures_has_a_line(
    status: str, reason: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_notification(replace(NOTIFICATION, status=status, reason=reason, diffs=(), url=URL))
    assert capsys.readouterr().out.strip() == said.format(URL)


def test_escape_sequences_of_a_page_do_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    diff = Diff("added", "argus", "argus\x1b[2J", "the\x1b]0;title\x07 argus\x1b[2J \x9b31m sleeps")
    show_notification(replace(NOTIFICATION, diffs=(diff,)))
    out = capsys.readouterr().out
    assert "argus" in out
    assert not set(out) & {"\x1b", "\x07", "\x9b"}


def test_an_edit_is_one_entry_as_it_was_and_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    both = (replace(EDIT, event="removed"), EDIT, replace(EDIT, keyword="€"))
    show_notification(replace(NOTIFICATION, title="Shop", diffs=both))
    assert capsys.readouterr().out.splitlines() == [
        BETWEEN_HEADINGS.join(("Shop", "Laptops")),
        "  edited [price, €] Price: €1,299.00 → €1,199.00",
    ]


def test_an_edit_that_is_noise_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    noisy = replace(EDIT, before="3 hours ago", after="5 hours ago", headings=(), noise="times")
    show_notification(replace(NOTIFICATION, diffs=(noisy,)))
    assert capsys.readouterr().out == "  edited [price] only times changed: 3 → 5 hours ago\n"


def test_title_and_headings_are_repeated_only_where_they_change(
    capsys: pytest.CaptureFixture[str],
) -> None:
    never = replace(EDIT, before="Argus sleeps.", after="Argus never sleeps.")
    show_notification(
        replace(NOTIFICATION, diffs=(EDIT, never, replace(NOTIFICATION.diffs[0], headings=())))
    )
    assert capsys.readouterr().out.splitlines() == [
        "Laptops",
        "  edited [price] Price: €1,299.00 → €1,199.00",
        "  edited [price] Argus sleeps.",
        "         → Argus never sleeps.",
        "   added [argus] Argus Panoptes",
    ]


def test_a_return_is_said_once_with_its_time_and_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    back = Returned(since=1_700_000_000_000, times=3)
    show_notification(
        replace(NOTIFICATION, title="Shop", returned=back, diffs=(EDIT, replace(EDIT, after="x")))
    )
    said = "The page returned to a text that it first had on 2023-11-14 22:13 UTC (3rd time)."
    out = capsys.readouterr().out
    assert out.splitlines()[:2] == [BETWEEN_HEADINGS.join(("Shop", "Laptops")), said]
    assert out.count("returned") == 1


def test_what_changed_is_in_colour_and_the_keyword_bold_where_the_terminal_can() -> None:
    argus = Span(0, 5)
    marks = Marks(Marked((Span(0, 13),), (argus,)), Marked((Span(0, 13),), (argus,)))
    new = Diff("added", "argus", "Argus sleeps.", "Argus sleeps. So does Io.", marks=marks)
    console = Console(force_terminal=True, color_system="standard", highlight=False)
    with console.capture() as captured:
        for line in shown_lines(replace(NOTIFICATION, diffs=(EDIT, new))):
            console.print(line, soft_wrap=True)
    out = captured.get()
    assert "Price: \x1b[31m€1,299.00\x1b[0m → \x1b[32m€1,199.00\x1b[0m" in out
    assert "\x1b[1;32mArgus\x1b[0m\x1b[32m sleeps.\x1b[0m So does Io." in out


@pytest.mark.parametrize("variable", ["NO_COLOR", "TERM"])
def test_without_colours_what_stands_around_a_new_sentence_is_left_out(
    variable: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    new = Diff("added", "argus", "Argus sleeps.", "Argus sleeps. So does Io.")
    show_notification(replace(NOTIFICATION, diffs=(new,)))
    assert "So does Io." in capsys.readouterr().out
    monkeypatch.setenv(variable, "dumb")
    show_notification(replace(NOTIFICATION, diffs=(new,)))
    assert "So does Io." not in capsys.readouterr().out


@given(st.text(), st.text(), st.text())
def test_an_entry_has_three_lines_and_no_control_character_whatever_a_page_contains(
    before: str, after: str, heading: str
) -> None:
    edit = replace(EDIT, before=before, after=after, headings=(heading,), keyword=heading)
    new = replace(NOTIFICATION.diffs[0], snippet=before, headings=(after,))
    for diff in (edit, new):
        lines = [line.plain for line in shown_lines(replace(NOTIFICATION, diffs=(diff,)))]
        assert 1 <= len(lines) <= 3
        # The joiners shape letters and emoji, and do nothing else.
        assert all(re.sub("[\u200c\u200d]", "", line).isprintable() for line in lines)
