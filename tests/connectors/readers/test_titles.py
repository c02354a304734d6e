"""The title and the headings of a document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers.normalization import MAX_HEADINGS, MAX_TITLE
from connectors.readers.reading import read_document
from schemas.records.answers import Reading

FEED = """<rss><channel><title>News</title><description>All</description>
  <item><title>Zeus &amp;amp; Io</title><description>&lt;h1&gt;Sky&lt;/h1&gt;x</description></item>
  <item><title>Hera</title></item></channel></rss>"""


def read(body: str, kind: str = "text/html") -> Reading:
    return read_document(body.encode(), kind, None)


def headings(reading: Reading) -> list[tuple[int, str]]:
    return [
        (each.level, reading.text[each.start :].partition("\n")[0]) for each in reading.headings
    ]


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("<title> Zeus\n &amp; Io </title><h1>x</h1>", "Zeus & Io"),
        ("<meta property='og:title' content='Zeus'><h1>x</h1>", "Zeus"),
        ("<title> </title><h2>x</h2><h1>Zeus</h1><h1>y</h1>", "Zeus"),
        ("<svg><title>x</title></svg><h2>y</h2>", ""),
        (f"<title>{'ﬁ' * MAX_TITLE}</title>", "fi" * (MAX_TITLE // 2)),
        ("", ""),
    ],
)
def test_the_title_is_that_of_the_page_or_its_first_heading(markup: str, title: str) -> None:
    assert read(markup).title == title


RSS = """<rss><channel><image><title>Logo</title></image><title>News</title>
  <textInput><title>Search</title><description>here</description></textInput>
  <item><title>Zeus</title></item></channel></rss>"""
PLANET = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Planet</title>
  <entry><title>Zeus</title><source><title>Olympus</title></source><summary>x</summary></entry>
  <entry><title>Io</title></entry></feed>"""


@pytest.mark.parametrize(
    ("body", "text", "found"),
    [
        (RSS, "News\n\nZeus", [(1, "News"), (2, "Zeus")]),
        (PLANET, "Planet\n\nZeus\nOlympus\nx\n\nIo", [(1, "Planet"), (2, "Zeus"), (2, "Io")]),
    ],
)
def test_only_the_titles_of_a_feed_and_its_entries_are_headings(
    body: str, text: str, found: list[tuple[int, str]]
) -> None:
    reading = read(body, "text/xml")
    assert (reading.text, headings(reading)) == (text, found)


@pytest.mark.parametrize(
    ("body", "kind", "title", "found"),
    [
        (FEED, "text/xml", "News", [(1, "News"), (2, "Zeus & Io"), (3, "Sky"), (2, "Hera")]),
        ("# Zeus\n\n## Io #\n\nx", "text/markdown", "Zeus", [(1, "Zeus"), (2, "Io")]),
        ("<html><head><title>Z</title></head><h2>I</h2></html>", "text/xml", "Z", [(2, "I")]),
        ('{"title": "Zeus"}', "application/json", "", []),
        ("# Zeus", "text/plain", "", []),
        ("a,b", "text/csv", "", []),
    ],
)
def test_other_documents_have_a_title_and_headings_if_they_name_them(
    body: str, kind: str, title: str, found: list[tuple[int, str]]
) -> None:
    reading = read(body, kind)
    assert reading.title == title
    assert headings(reading) == found


def test_a_heading_is_one_line_and_an_empty_one_is_none() -> None:
    reading = read("<h1> </h1><h2><img></h2><h3>a<br>b</h3><h6><div>c</div></h6><h2>d")
    assert headings(reading) == [(3, "a b"), (6, "c"), (2, "d")]


lines = st.text("aﬁ\u00ad\u0301é\u00a0", max_size=5)


@given(st.lists(lines, max_size=6))
def test_headings_are_where_they_are_in_the_normalized_text(several: list[str]) -> None:
    reading = read("".join(f"x{each}<h2>h{each}</h2>" for each in several))
    assert len(reading.headings) == len(several)
    assert all(reading.text[each.start] == "h" for each in reading.headings)


def test_of_many_headings_the_first_ones_are_known() -> None:
    reading = read("<h2>a</h2>" * (MAX_HEADINGS + 1))
    assert len(reading.headings) == MAX_HEADINGS
    assert reading.text.count("a") == MAX_HEADINGS + 1
