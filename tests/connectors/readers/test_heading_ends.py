"""Headings of a page count to the end of the card or section that they are in."""

import pytest

from connectors.readers.reading import read_document
from streams.diff.regions import changed_regions

SITE = "<h1>Site</h1><main><h2>Sport</h2>{}<p>Seen {{}} times</p></main>"
CARDS = (
    "<h3>WWE hides surprise</h3><p>Fans wait {} days</p>",
    "<p>Bayern wins {}:0</p>",
    "<h3>Weather</h3><p>Rain falls {} hours</p>",
    "<p>Troy falls {} times</p>",
)
KINDS = {
    "article": "{}",
    "div": "{}",
    'div class="card"': "{}",
    "li": "<ul>{}</ul>",
    "section": "{}",
    "td": "<table><tr>{}</tr></table>",
    "tr": "<table>{}</table>",
}
MAIN = ("Site", "Sport")


def _headings(page: str, content_type: str = "text/html") -> dict[str, tuple[str, ...]]:
    """Change each number of a page, and return the headings of what has it."""
    before, after = (
        read_document(page.replace("{}", number).encode(), content_type, None)
        for number in ("4", "5")
    )
    found = {}
    for region in changed_regions(before.text, after.text, after.headings):
        assert region.added is not None
        for edit in region.edits:
            assert edit.added is not None
            found[region.added.text[edit.added.start : edit.added.end]] = region.headings
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_card_has_its_own_heading_or_else_that_of_the_section(kind: str) -> None:
    inner = "<td>{}</td>" if kind == "tr" else "{}"
    cards = "".join(f"<{kind}>{inner.replace('{}', c)}</{kind.partition(' ')[0]}>" for c in CARDS)
    assert _headings(
        SITE.replace("{}", KINDS[kind].replace("{}", cards), 1).replace("{{}}", "{}")
    ) == {
        "Fans wait 5 days": (*MAIN, "WWE hides surprise"),
        "Bayern wins 5:0": MAIN,
        "Rain falls 5 hours": (*MAIN, "Weather"),
        "Troy falls 5 times": MAIN,
        "Seen 5 times": MAIN,
    }


@pytest.mark.parametrize("kind", ["aside", "nav"])
def test_an_empty_heading_of_an_aside_is_not_above_what_follows(kind: str) -> None:
    page = f"<h1>News</h1><{kind}><h4>Follow us</h4><a href='/'><svg></svg></a></{kind}><p>Day {{}}"
    assert _headings(page) == {"Day 5": ("News",)}
    page = "<section><h2>Sport</h2></section><p>Day {}"
    assert _headings(page) == {"Day 5": ("Sport",)}


def test_a_heading_of_the_same_level_in_a_card_does_not_end_that_of_the_section() -> None:
    page = "<h2>News</h2><article><h2>WWE</h2><p>Day {}</p></article><article>Won {}:0</article>"
    assert _headings(page) == {"Day 5": ("WWE",), "Won 5:0": ("News",)}


def test_headings_of_an_article_without_cards_count_up_to_the_next_of_their_level() -> None:
    page = (
        "<div><h1>Law</h1><p>Law {}</p></div><div><div><h2>Fines</h2></div><div>Fine {}</div>"
        "<h3>Small</h3><p>Small {}</p><div><h2>Scope</h2> [edit]</div><p>All {} gods</p></div>"
    )
    assert _headings(page) == {
        "Law 5": ("Law",),
        "Fine 5": ("Law", "Fines"),
        "Small 5": ("Law", "Fines", "Small"),
        "All 5 gods": ("Law", "Scope"),
    }


def test_a_heading_alone_in_a_row_is_above_the_rows_that_follow() -> None:
    rows = "<tr><td><h2>Hours</h2></td></tr><tr><td><p>From {}</p><p>Closed</p></td></tr>"
    page = f"<table>{rows}</table>"
    assert _headings(page) == {"From 5": ("Hours",)}


def test_an_entry_of_a_feed_without_a_title_has_that_of_the_feed() -> None:
    page = (
        "<rss><channel><title>Site</title><item><title>WWE</title><description>Day {}"
        "</description></item><item><description>Won {}:0</description></item></channel></rss>"
    )
    found = _headings(page, "application/rss+xml")
    assert found == {"Day 5": ("Site", "WWE"), "Won 5:0": ("Site",)}


@pytest.mark.parametrize(
    ("gone", "headings"),
    [
        ("<article><p>Bayern wins.</p><p>Again.</p></article>", ("Sport",)),
        ("<article><h3>Bayern</h3><p>They win.</p></article>", ("Sport",)),
    ],
)
@pytest.mark.parametrize("rest", ["<article><h3>Io</h3><p>Flies.</p></article>", ""])
def test_a_card_that_was_removed_did_not_stand_under_the_one_before_it(
    gone: str, headings: tuple[str, ...], rest: str
) -> None:
    page = "<h2>Sport</h2><article><h3>WWE</h3><p>Fans wait.</p>{}</article>{}" + rest
    old, new = (
        read_document(page.format("", card).encode(), "text/html", None) for card in (gone, "")
    )
    (region,) = changed_regions(old.text, new.text, new.headings)
    assert (region.added, region.headings) == (None, headings)


def test_the_last_line_of_a_card_that_was_removed_stood_under_its_heading() -> None:
    page = "<h2>Sport</h2><article><h3>WWE</h3><p>Fans wait.</p>{}</article><article>Io</article>"
    old, new = (
        read_document(page.format(line).encode(), "text/html", None)
        for line in ("<p>They hope.</p>", "")
    )
    (region,) = changed_regions(old.text, new.text, new.headings)
    assert (region.added, region.headings) == (None, ("Sport", "WWE"))


def test_ends_are_where_they_are_in_the_normalized_text() -> None:
    page = "<article><h2>ﬁne</h2><p>ﬃ Day {}</p></article><article>Won {}:0</article>"
    assert _headings(page) == {"ffi Day 5": ("fine",), "Won 5:0": ()}


def test_marks_in_a_document_do_no_harm() -> None:
    row = "<tr><td>\x1e\x1a<h2>One</h2>\x1e\x08 Day {}</td></tr>"
    page = f"<p>\x1e\x1b\x1e\x04</p><table>{row}</table>"
    assert [*_headings(page)] == ["Day 5"]
