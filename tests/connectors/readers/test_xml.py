"""XHTML and other XML."""

import asyncio

import pytest

from connectors.readers import Unreadable
from connectors.readers.reading import read_document
from connectors.readers.xml_repair import repaired_xml

XHTML = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"
  "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
  <head><title>Argus &amp; Io</title><script src="x.js"/><style>p { color: red }</style></head>
  <body>
    <h1>The giant</h1><p>a</p><p>b</p>
    <p>un<b>believ</b>able,<br/>caf&eacute;&nbsp;<![CDATA[<raw>]]> <!-- unseen --></p>
    <p hidden="hidden">hidden</p><div style="display: none">styled</div>
    <ul><li>one</li><li>two</li></ul>
  </body>
</html>"""
DATA = """\
<?xml version="1.0"?>
<?xml-stylesheet href="x.css"?>
<catalogue xmlns:x="http://x.test/">
  <book id="7"><title>Theogony</title><x:by>Hesiod</x:by><!-- no text --></book>
  <note>wo<em>rd</em> and <em>more</em></note>
  <style>p {}</style>
</catalogue>"""


def xml(body: str | bytes, kind: str = "application/xml") -> str:
    return read_document(body if isinstance(body, bytes) else body.encode(), kind, None).text


@pytest.mark.parametrize("kind", ["application/xhtml+xml", "application/xml", "text/xml"])
def test_xhtml_is_read_as_a_person_sees_it(kind: str) -> None:
    assert xml(XHTML, kind).splitlines() == [
        "Argus & Io",
        "",
        "The giant",
        "a",
        "b",
        "unbelievable,",
        "café <raw>",
        "one",
        "two",
    ]


def test_xhtml_with_a_prefix_is_read_like_any_other() -> None:
    page = '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:p>a</h:p><h:p>b</h:p></h:html>'
    assert xml(page) == "a\nb"


def test_elements_of_other_xml_are_lines_unless_they_are_inside_text() -> None:
    assert xml(DATA) == "Theogony\nHesiod\n\nword and more"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('<?xml version="1.0" encoding="koi8-r"?><a>Привет</a>'.encode("koi8-r"), "text/xml"),
        ("<a>Привет</a>".encode("koi8-r"), "text/xml; charset=koi8-r"),
        ('<?xml version="1.0" encoding="utf-16"?><a>Привет</a>'.encode("utf-16"), "text/xml"),
        ("<a>Привет</a>".encode(), "text/xml"),
    ],
)
def test_the_charset_is_that_of_mark_header_or_declaration(body: bytes, kind: str) -> None:
    assert xml(body, kind) == "Привет"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<a>1<b>2</a>3</a>", "123"),
        ("<a>1 & 2</a>", "1 & 2"),
        ("<a>AT&T && R&D;</a>", "AT&T && R&D;"),
        ("<a>5 < 6, x<5, <3</a><b/>", "5 < 6, x<5, <3"),
        ("<a>if a <b and c</a>", "if a <b and c"),
        ("<a b='1&2' c='3<4'>1 < 2</a>", "1 < 2"),
        ("<r><!-- a & b < c --><a>1</a></r>", "1"),
        ("<r><![CDATA[a & b < c &amp; d]]></r>", "a & b < c &amp; d"),
        ("<r><a>&#; &#x; &;</a></r>", "&#; &#x; &;"),
        ("<a>&LT;b&GT; &nosuch;</a>", "<b> &nosuch;"),
        ("<a>1&#xD83D;&#xDE00;2&#55357;3</a>", "1😀2\ufffd3"),
    ],
)
def test_what_is_not_well_formed_is_read_as_far_as_it_can_be(markup: str, text: str) -> None:
    assert " ".join(xml(markup).split()) == text


@pytest.mark.parametrize(
    "markup", ["<!--", "<![CDATA[", "<a b='", '<a b="', "<a b=\"' '", "&", "<", "<a ", "<?"]
)
def test_faults_take_no_longer_for_each_other(markup: str) -> None:
    repaired_xml(markup * 200_000)  # with their square it would not end


def test_the_attributes_of_elements_without_text_are_read() -> None:
    patch = '<patch id="X"><package version="01.003" size="7"/><note kind="a">new</note></patch>'
    assert xml(patch) == "version: 01.003 · size: 7\nnew"
    assert xml('<patch id="X"><package version="01.003"/></patch>') == "id: X\nversion: 01.003"


def test_attributes_about_the_document_and_those_in_text_or_pictures_are_not_read() -> None:
    names = 'xmlns="u" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xml:lang="de"'
    assert xml(f'<a {names} xsi:schemaLocation="b c"><b d=" "/></a>') == ""
    assert xml('<p>one <img src="a.png"/> two</p>') == "one two"
    assert xml('<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>') == ""


@pytest.mark.parametrize(
    "body", ["<br />\n<b>Fatal error</b>: out of memory<br />", "Warning: out of memory <br />"]
)
def test_a_message_instead_of_a_document_is_unreadable(body: str) -> None:
    with pytest.raises(Unreadable, match=r"no XML but a message|not XML"):
        xml(body)


@pytest.mark.parametrize(
    "markup",
    ["<a>cut of", "<a>cut off</a", "<a><b>cut</b>", "<a><b>cut</b>\n<b", "<a xmlns='x'><b/>"],
)
def test_xml_without_its_end_is_unreadable(markup: str) -> None:
    with pytest.raises(Unreadable, match="incomplete"):
        xml(markup)


@pytest.mark.parametrize(
    "markup",
    ["<a>1</a>", "<a>1</a \n>", "<a>1</a>\n<!-- 2 s -->", "<a>1</a> rubbish", "<a>1</a><b/>"],
)
def test_what_follows_the_end_of_xml_is_passed_over(markup: str) -> None:
    assert xml(markup) == "1"
    assert (xml("<a/>"), xml("<a b='1'\n/>")) == ("", "b: 1")


@pytest.mark.parametrize("body", ["", "no markup at all", "<", "<!-- only -->"])
def test_what_has_no_element_is_unreadable(body: str) -> None:
    with pytest.raises(Unreadable, match="not XML"):
        xml(body)


def test_a_billion_laughs_are_unreadable() -> None:
    laughs = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))
    with pytest.raises(Unreadable, match="declares entities"):
        xml(f'<!DOCTYPE l [<!ENTITY l0 "lol">{laughs}]><l>&l9;</l>')


async def test_nothing_that_a_document_refers_to_is_read_or_fetched() -> None:
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    there = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with server:
        page = f'<!DOCTYPE a SYSTEM "{there}a.dtd"><a xmlns:i="http://www.w3.org/2001/XInclude">'
        page += f'b<i:include href="{there}c" parse="text"/></a>'
        assert await asyncio.to_thread(xml, page) == "b"
        file = 'x SYSTEM "file:///etc/passwd"'
        for what in (file, f'x SYSTEM "{there}x"', f'% x SYSTEM "{there}"'):
            with pytest.raises(Unreadable):
                await asyncio.to_thread(xml, f"<!DOCTYPE a [<!ENTITY {what}>]><a>&x;</a>")
    assert asked == []


def test_xml_that_is_nested_without_end_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="nested deeper"):
        xml("<rss><title>" * 20_000)
    assert xml("<a>" * 200 + "x" + "</a>" * 200) == "x"
