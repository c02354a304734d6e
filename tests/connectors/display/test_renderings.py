"""Entries as plain text and as HTML."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from connectors.display.entries import MAX_ENTRIES, REMARKS
from connectors.display.html import entries_html
from connectors.display.plain import entries_text
from connectors.display.shortening import GAP, MAX_LINE
from schemas.records.changes import Diff, Marked, Marks, Span
from schemas.records.field_types import NoiseKind

EDIT = Diff(
    event="added",
    keyword="price",
    text="€1,199.00",
    snippet="Price: €1,199.00",
    change="edited",
    before="Price: €1,299.00",
    after="Price: €1,199.00",
)
BEGIN = '<p dir="auto"><span dir="ltr">'
GREY = '<span style="color:#757575">'
ISOLATES = re.compile("[\u2068\u2069]")
SNIPPET = "He has a hundred eyes. Argus never sleeps. So does Io."
NEW = Diff(
    event="added",
    keyword="argus",
    text="Argus never sleeps.",
    snippet=SNIPPET,
    marks=Marks(
        text=Marked((Span(0, 19),), (Span(0, 5),)),
        snippet=Marked((Span(23, 42),), (Span(23, 28),)),
    ),
)


class Parsed(HTMLParser):
    """The tags and the text of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        self.text += "\n" if tag == "br" else ""

    def handle_data(self, data: str) -> None:
        self.text += data


def test_an_entry_of_a_new_sentence_shows_its_neighbours_where_it_can_be_marked() -> None:
    assert entries_text([NEW]) == "added: Argus never sleeps."
    assert entries_html([NEW]) == (
        f"{BEGIN}added</span>: {GREY}He has a hundred eyes. </span>"
        "<ins><b>Argus</b> never sleeps.</ins>"
        f"{GREY} So does Io.</span></p>"
    )


def test_an_edit_that_is_noise_says_so() -> None:
    noisy = replace(EDIT, before="212 votes", after="214 votes", noise="numbers")
    assert entries_text([noisy]) == "edited (only numbers changed): 212 → 214 votes"
    assert entries_html([replace(noisy, link="https://a.example/")]) == (
        f'{BEGIN}<a href="https://a.example/">edited</a> (only numbers changed)</span>: '
        "<del>212</del> → <ins>214</ins> votes</p>"
    )


def test_each_kind_of_noise_has_a_remark() -> None:
    _, about = get_args(NoiseKind)
    assert set(about.pattern.pattern.split("|")) == {"", *REMARKS}


def test_a_sentence_that_is_gone_is_marked_as_removed() -> None:
    assert "<del><b>Argus</b> never sleeps.</del>" in entries_html(
        [replace(NEW, event="removed", change="removed")]
    )


def test_a_sentence_that_only_moved_is_not_marked() -> None:
    shown = entries_html([replace(NEW, change="moved", marks=Marks())])
    assert shown == f"{BEGIN}moved</span>: {SNIPPET}</p>"


def test_an_entry_links_to_the_page() -> None:
    linked = replace(EDIT, link='https://a.example/?x&y"><script>')
    assert entries_html([linked]).startswith(
        f'{BEGIN}<a href="https://a.example/?x&amp;y&quot;&gt;&lt;script&gt;">edited</a></span>: P'
    )


def test_a_long_passage_is_cut_around_the_keyword() -> None:
    long = f"{'and so on ' * 60}Argus{' and on' * 60}"
    at = long.index("Argus")
    marked = Marked((Span(0, len(long)),), (Span(at, at + 5),))
    (line,) = entries_text([replace(NEW, text=long, marks=Marks(text=marked))]).splitlines()
    assert line.startswith(f"added: {GAP} ")
    assert line.endswith(f" {GAP}")
    assert "so on Argus and on" in line
    assert len(line) <= 2 * MAX_LINE + 20


def test_the_keyword_is_shown_however_long_what_stands_before_it() -> None:
    before, new = "it went on " * 30, f"{'and so on ' * 30}Argus"
    at = len(before) + len(new)
    marked = Marked((Span(len(before), at),), (Span(at - 5, at),))
    shown = entries_html([replace(NEW, snippet=before + new, marks=Marks(snippet=marked))])
    assert f"{BEGIN}added</span>: {GREY}{GAP} </span><ins>" in shown
    assert "and so on <b>Argus</b></ins></p>" in shown


def test_what_is_not_shown_is_counted() -> None:
    many = [replace(EDIT, after=str(number)) for number in range(MAX_ENTRIES + 2)]
    assert entries_text(many).endswith("\n… and 2 more")
    assert entries_html(many).endswith("<p>… and 2 more</p>")


@pytest.mark.parametrize("render", [entries_text, entries_html])
def test_characters_that_act_on_a_terminal_or_turn_the_text_around_are_left_out(
    render: object,
) -> None:
    hostile = "pri\x1b[2Jce \x9b31m \u202e99\u2066 \x00 \ud800"
    edit = replace(EDIT, before=hostile, after=f"{hostile}9", headings=(hostile,))
    for diff in (edit, replace(NEW, snippet=hostile, keyword=hostile, link=hostile)):
        shown = render([diff])  # type: ignore[operator]  # one of two functions
        assert not set(shown) & set("\x1b\x9b\x00\u202e\u2066\ud800")


@example("a\nb", "a\x85b", "c\nd\u2028e")
@given(st.text(), st.text(), st.text())
def test_plain_text_has_three_lines_at_most_for_an_entry(
    before: str, after: str, heading: str
) -> None:
    edit = replace(EDIT, before=before, after=after, headings=(heading,))
    assert len(entries_text([edit]).splitlines()) <= 3


@given(st.text(), st.text(), st.text())
def test_html_without_its_tags_is_the_plain_text_if_nothing_stands_around_it(
    before: str, after: str, heading: str
) -> None:
    marked = Marked((Span(0, len(before)),), (Span(1, 3),))
    diffs = [
        replace(EDIT, before=before, after=after, headings=(heading,), link=after),
        replace(NEW, text=before, snippet=before, marks=Marks(marked, marked)),
    ]
    for diff in diffs:
        html = Parsed(entries_html([diff]))
        assert html.text == ISOLATES.sub("", entries_text([diff]))
        assert html.tags <= {"p", "br", "a", "b", "del", "ins", "span"}
