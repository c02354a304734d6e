"""The empty lines that separate the blocks of HTML and XHTML."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers.layout import laid_out
from connectors.readers.marks import BREAK
from connectors.readers.reading import read_document


def text(markup: str, kind: str = "text/html") -> str:
    return read_document(markup.encode(), kind, None).text


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("a<h2>b</h2>c<h3>d</h3>", "a\n\nb\nc\n\nd"),
        ("a<section>b</section>c", "a\n\nb\n\nc"),
        ("<nav>a</nav><main>b</main><aside>c</aside>", "a\n\nb\n\nc"),
        ("a<hr><hr>b", "a\n\nb"),
        ("<section><article><h1>a</h1></article></section>b", "a\n\nb"),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("a<pre>b  c\n  d\n\n\ne</pre>f\ng", "a\nb c\nd\n\ne\nf g"),
        ("<title>a</title>b", "a\n\nb"),
    ],
)
def test_an_empty_line_separates_blocks_and_never_more_than_one(markup: str, expected: str) -> None:
    assert text(markup) == expected
    assert text(f"<html><body>{markup}</body></html>", "application/xml") == expected


@pytest.mark.parametrize(
    ("item", "is_card"),
    [
        ("<div><a>Home</a></div>", False),
        ("one<br>two", False),
        ("Menu<ul><li>one</li><li>two</li></ul>", False),
        ("<p>Zeus</p><p>sky</p>", True),
        ("<div>Zeus</div><div>sky</div><ul><li>tag</li></ul>", True),
        ("<div>god</div><h3>Zeus</h3>", True),
    ],
)
def test_an_item_of_several_blocks_is_set_apart(item: str, is_card: bool) -> None:
    found = text(f"<ul><li>first</li><li>{item}</li><li>last</li></ul>")
    assert found.startswith("first\n\n") is is_card
    assert found.endswith("\n\nlast") is is_card
    assert found.count("\n\n") == 2 * is_card


def test_the_parts_and_the_label_of_an_article_are_one_block() -> None:
    article = """<article><div>Politics</div><h2><span>Sky:</span><div>Zeus is back</div></h2>
      <section>He says so himself.</section><footer>3 min</footer></article>"""
    expected = "before\n\nPolitics\nSky: Zeus is back\nHe says so himself.\n3 min\n\nafter"
    assert text(f"before{article}after") == expected


def test_the_later_headings_of_an_article_begin_blocks() -> None:
    assert text("<article><p>a</p><p>b</p><p>c</p><h2>d</h2></article>") == "a\nb\nc\n\nd"


marked = st.lists(st.sampled_from([BREAK + chr(code) for code in range(26)]) | st.text("a \n"))


@given(marked.map("".join))
def test_marks_in_any_order_do_no_harm(several: str) -> None:
    page = laid_out(several)
    assert page.text.count("a") == several.count("a")
    assert "\n\n\n" not in page.text
    assert all(page.text[each.start] == "a" for each in page.headings)


@given(marked.map("".join))
def test_blanks_that_follow_others_are_not_seen(several: str) -> None:
    assert laid_out(several.replace(" ", "  \t ")) == laid_out(re.sub(" +", " ", several))
