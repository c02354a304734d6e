"""The article of a page alone, with the lines that it has in the whole page."""

import subprocess
import sys

import pytest

from connectors.readers.errors import Unreadable
from connectors.readers.reading import read_views
from schemas.records.answers import Reading
from schemas.records.views import Selector, View

PAGE = """<html><head><title>Thessaly Today</title></head><body>
<nav><ul><li><a href=/>Home</a></li><li><a href=/news>Latest news</a></li></ul></nav>
<main><article><h1>Giants seen near Larissa</h1>
<p>The father<i>hood</i> of gods was seen on Monday by several shepherds, who told the police.</p>
<h2>What they saw</h2><ul><li>One large bird of the mountain</li><li>Two flashes</li></ul>
<table><tr><th>Place<th>Price</tr><tr><td>Larissa<td>12 €</tr></table>
<p>The police will look into it, though nobody was hurt and no sheep were missing on Tuesday.</p>
</article></main><aside><a href=/a>Most read this week</a></aside>
<footer>© 2026 Imprint and privacy</footer></body></html>""".encode()
ARTICLE = [
    "Giants seen near Larissa",
    "The fatherhood of gods was seen on Monday by several shepherds, who told the police.",
    "What they saw",
    "One large bird of the mountain",
    "Two flashes",
    "Place\tPrice",
    "Larissa\t12 €",
    "The police will look into it, though nobody was hurt and no sheep were missing on Tuesday.",
]


def read(body: bytes, header: str = "text/html; charset=utf-8") -> Reading:
    (found,) = read_views(body, header, [View(main=True)])
    if isinstance(found, Unreadable):
        raise found
    return found


def lines(reading: Reading) -> list[str]:
    return [line for line in reading.text.split("\n") if line]


def test_the_article_is_read_without_navigation_and_keeps_its_lines() -> None:
    reading = read(PAGE)
    assert lines(reading) == ARTICLE
    assert reading.title == "Thessaly Today"
    starts = [reading.text[each.start :].partition("\n")[0] for each in reading.headings]
    assert starts == ["Giants seen near Larissa", "What they saw"]


def test_other_views_of_the_same_parse_are_as_without_it() -> None:
    others = [View(), View(select=(Selector(css="footer"),))]
    _, *found = read_views(PAGE, "text/html; charset=utf-8", [View(main=True), *others])
    assert found == read_views(PAGE, "text/html; charset=utf-8", others)


@pytest.mark.parametrize(
    "body",
    [
        b"<html><body><nav>Shop</nav><div id=price>12 euros</div><p>Only today.</p></body></html>",
        b"<html><body><div>Shop</div><div>12 euros</div><div>Only today.</div></body></html>",
    ],
)
def test_a_page_without_an_article_is_read_as_a_whole_and_keeps_its_lines(body: bytes) -> None:
    assert {"12 euros", "Only today."} <= set(lines(read(body)))


@pytest.mark.parametrize("body", [b"", b"<html></html>"])
def test_an_empty_page_is_empty(body: bytes) -> None:
    assert read(body).text == ""


@pytest.mark.parametrize(
    ("body", "header"),
    [
        (b"<a>b</a>", "application/xml"),
        (b"{}", "application/json"),
        (b"a", "text/plain"),
        (b"%PDF-1.7", "application/pdf"),
    ],
)
def test_the_article_of_something_else_is_a_clear_error(body: bytes, header: str) -> None:
    with pytest.raises(Unreadable, match=r"^view\.main finds nothing in "):
        read(body, header)


def test_who_wants_no_article_does_not_load_what_finds_it() -> None:
    script = (
        "import sys; from connectors.readers.reading import read_document; "
        "read_document(b'<p>a', 'text/html', None); sys.exit('trafilatura' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
