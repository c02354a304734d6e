import codecs
from dataclasses import replace
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers import Unreadable, builtin
from connectors.readers.html import parsed_html
from connectors.readers.reading import read_document
from connectors.readers.versions import reader_id
from schemas.records.answers import Heading, Reading

KINDS = [
    None,
    "text/html",
    "text/plain; charset=big5",
    "application/xhtml+xml",
    "text/xml",
    "application/rss+xml",
    "application/json",
    "text/markdown",
    "text/csv",
    "text/tab-separated-values",
    "application/pdf",
]


def html(body: str | bytes, header: str = "text/html") -> str:
    return read_document(body if isinstance(body, bytes) else body.encode(), header, None).text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>a</p><p>b</p>", "a\nb"),
        ("<b>wo</b>rd", "word"),
        ("a<br>b", "a\nb"),
        ("<ul><li>a<li>b</ul>c", "a\nb\n\nc"),
        ("<ol><li>a<ul><li>b</ul>c</ol>d", "a\nb\nc\n\nd"),
        ("<article><h3>a</h3><ul><li>b</ul>c</article>", "a\nb\nc"),
        ("<div><h3>a</h3><ul><li>b</ul>c</div>" * 2, "a\nb\nc\n\na\nb\nc"),
        ("<dl><dt>a<dd>1<dt>b<dd>2</dl>c", "a\t1\nb\t2\n\nc"),
        ("<dl><div><dt>a<dd>1</div><dt>b<dt>c<dd>2<dt>d<dd>3<dd>4</dl>", "a\t1\nb\nc\t2\nd\n3\n4"),
        ("<dl><dt>a<dd><table><tr><td>1<td>2</table><dt>b<dd>3</dl>", "a\n1\t2\nb\t3"),
        ("<dt>a<dd>b<p>c", "a\nb\nc"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1\t2"),
        ("<title>A &amp; B</title><body>text", "A & B\n\ntext"),
        ("a\n   b&nbsp;\t c", "a b c"),
        ("a<script>s</script><style>s</style><!-- s --><noscript>s</noscript>b", "ab"),
        ("a<template>s</template><p hidden>s</p><i style='DISPLAY : none'>s</i>b", "ab"),
        ("<div hidden><p>s<b>s</b><p hidden>s</div>a", "a"),
        ("<html hidden><body style='visibility:hidden'>seen later", "seen later"),
        ("<svg><title>s</title><text>t</text></svg>", "t"),
        ("Wörter&shy;buch &#x41; &eacute; ﬁne", "Wörterbuch A é fine"),
        ("<p>unclosed <b>tags", "unclosed tags"),
        ("", ""),
    ],
)
def test_html_is_read_as_a_person_sees_it(markup: str, text: str) -> None:
    assert html(markup) == text


@pytest.mark.parametrize(
    ("body", "header"),
    [
        ("Привет".encode("koi8-r"), "text/html; charset=koi8-r"),
        ("Привет".encode("cp1251"), 'text/html;charset="windows-1251"'),
        (b"<meta charset=windows-1251>" + "Привет".encode("cp1251"), "text/html"),
        (
            b'<meta http-equiv="content-type" content="text/html; charset=cp1251">'
            + "Привет".encode("cp1251"),
            "text/html",
        ),
        (codecs.BOM_UTF8 + "Привет".encode(), "text/html; charset=koi8-r"),
        (codecs.BOM_UTF16_LE + "Привет".encode("utf-16-le"), "text/html"),
        ("Привет".encode(), "text/html; charset=rot13"),
        ("Привет".encode(), "text/html; charset=../../etc/passwd"),
        ("Привет".encode(), "text/html"),
    ],
)
def test_a_declared_charset_is_used_if_it_is_one(body: bytes, header: str) -> None:
    assert html(body, header) == "Привет"


def test_latin_1_means_windows_1252() -> None:
    assert html(b"\x80 \x93a\x94", "text/html; charset=iso-8859-1") == "€ “a”"


def test_an_undeclared_charset_is_detected() -> None:
    text = "Grüße aus München, wo die Straßen schön sind und überall Bäume blühen."
    assert html(text.encode("cp1252")) == text


def test_bytes_that_mean_nothing_are_marked_and_the_rest_is_read() -> None:
    assert html(b"a \xff b", "text/html; charset=utf-8") == "a \ufffd b"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<div><a href=1>Home</a><a href=2>News</a></div>", "Home News"),
        ("<p><a href=1>Home</a>, <a href=2>News</a>.", "Home, News."),
        ("<h3><span>Sport</span><span>Bayern wins</span></h3>", "Sport Bayern wins"),
        ("<h1><span>W</span><span>o</span><span>w</span></h1>", "Wow"),
        ("<h1><span>storm</span><span>over Piraeus</span></h1>", "storm over Piraeus"),
        ("<p><span>kilo</span><span>gram</span>", "kilogram"),
        ("<p><b>un</b><i>believ</i><span>able</span>", "unbelievable"),
        ("<p><b>W</b>ord, <b>W</b><span>Ord</span>, H<sub>2</sub>O", "Word, WOrd, H2O"),
        ("<p><span>www.</span><span>zeus</span>: <b>1</b><b>2</b>", "www.zeus: 12"),
        ("<p><span>Lamp</span><span>Sold out</span>", "Lamp Sold out"),
        ("<p><span>Lamp</span><!-- --><b>Sold out</b>", "Lamp Sold out"),
        ("<p><span class=a>lamp</span><span class=b>sold out</span>", "lamp sold out"),
        ("<p>iP<i></i><b>Hone</b>", "iPHone"),
        ("<p><label>colour</label><span>red</span>", "colour red"),
        ("<p><time>1 May</time><a href=1>by Anna</a><span>news</span>", "1 May by Anna news"),
        ("<p><span>3</span><span>comments</span>", "3 comments"),
        ("<p><span>It rains.</span><span>It snows.</span>", "It rains. It snows."),
    ],
)
def test_texts_that_a_style_sheet_sets_apart_are_words_of_their_own(markup: str, text: str) -> None:
    assert html(markup) == text
    item = f"<rss><channel><item><description>{escape(markup)}</description></item></channel></rss>"
    assert read_document(item.encode(), "text/xml", None).text == text
    root = parsed_html(markup)
    assert root is not None
    assert root.html is not None
    closed = root.html.replace("<html>", '<html xmlns="http://www.w3.org/1999/xhtml">')
    assert read_document(closed.encode(), "application/xhtml+xml", None).text == text


def test_an_element_with_the_role_of_a_heading_is_one_of_its_level() -> None:
    page = (
        "<div role=heading aria-level=3>Sport</div><p>Bayern wins"
        "<section><p role=heading>News</p><p>It rains</section>"
    )
    found = read_document(page.encode(), None, "text/html")
    levels = {found.text[each.start :].split("\n")[0]: each.level for each in found.headings}
    assert levels == {"Sport": 3, "News": 2}


@pytest.mark.parametrize(
    "kind", ["text/plain", "text/x-log", "application/yaml", "application/x-yaml"]
)
def test_other_text_is_read_unchanged(kind: str) -> None:
    reading = read_document(b" <b>a</b>\r\nb\rc ", f"{kind}; charset=utf-8", None)
    assert reading == Reading("<b>a</b>\nb\nc", kind, reader="plain 1")


@pytest.mark.parametrize("header", [None, "", "application/octet-stream", "html", '"text/xml"'])
def test_the_content_decides_if_no_type_is_declared(header: str | None) -> None:
    page = b"\n<!DOCTYPE html><p>a"
    assert read_document(page, header, None) == Reading("a", "text/html", reader=reader_id("html"))
    plain = Reading("a < b", "text/plain", reader="plain 1")
    assert read_document(b"a < b", header, None) == plain
    assert read_document(b"\xef\xbb\xbf<?xml version='1.0'?><a>b</a>", header, None).text == "b"
    feed = Reading("t", "application/xml", "t", (Heading(0, 1),), reader=reader_id("xml"))
    assert read_document(b"<rss><channel><title>t</title></channel></rss>", header, None) == feed
    value = Reading("a: 1", "application/json", reader=reader_id("json"))
    assert read_document(b' [{"a": 1}]', header, None) == value
    assert read_document(b"[1] a footnote", header, None) == replace(plain, text="[1] a footnote")
    with pytest.raises(Unreadable, match="the PDF is broken"):
        read_document(b"\0junk %PDF-1.7", header, None)


def test_the_client_s_choice_overrides_the_header_and_is_kept_unchanged() -> None:
    body = "<p>é".encode("cp1252")
    chosen = "Text/HTML"
    read = read_document(body, "text/plain; charset=cp1252", chosen)
    assert read == Reading("é", chosen, reader=reader_id("html"))


@pytest.mark.parametrize(
    ("body", "header", "reason"),
    [
        (b"x", "image/png", "no reader for the content type 'image/png'"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "text/plain", "binary"),
        (b"PK\x03\x04\x00", None, "binary"),
    ],
)
def test_what_is_not_text_is_unreadable_and_the_reason_says_why(
    body: bytes, header: str | None, reason: str
) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_document(body, header, None)


@given(st.binary(max_size=200) | st.text().map(str.encode), st.sampled_from(KINDS))
def test_any_bytes_are_read_or_refused(body: bytes, header: str | None) -> None:
    try:
        text = read_document(body, header, None).text
    except Unreadable:
        return
    assert text == text.strip()
    text.encode()


def test_a_document_on_which_a_reader_fails_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(body: bytes, charset: str | None) -> str:
        raise RecursionError("too deep")

    monkeypatch.setattr(builtin, "reader", lambda media: failing)
    with pytest.raises(Unreadable, match="too deep"):
        read_document(b"<p>", "text/html", None)
