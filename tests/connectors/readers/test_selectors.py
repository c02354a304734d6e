"""XPath, JSONPath and CSS in each kind of document that they fit; each case is our own."""

from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import Tag

from connectors.readers.errors import NothingSelected, Unreadable
from connectors.readers.reading import read_views
from schemas.records.answers import Reading
from schemas.records.views import Selector, View

FINDS_TEXT = "finds a text or a number; select the element, without text() or @…"
PAGE = """<title>Shop</title><nav>Menu <a href=/cart>Cart</a></nav><main><h1>Bike</h1>
<p id=price>Now: <b>12</b></p><ul><li>red<li>blue</ul><table><tr><td>S<td>L</table></main>"""
RSS = """<rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title>
<item><title>one</title><description>D &lt;b>1&lt;/b></description><pubDate>now</pubDate>
<dc:creator>me</dc:creator></item><item><title>two</title></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><entry><title>one</title>
<summary>s</summary></entry></feed>"""
XHTML = """<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><h1>H</h1>
<p>a<b>c</b></p></body></html>"""
XML = "<r><i><a>1</a><b>2</b></i><i><a>3</a></i></r>"
JSON = """{"a": {"b": [{"p": 1.50, "n": "x"}, {"p": 2, "n": "y"}]}, "c": 5, "c": 6, "": [1, [2]]}"""
KINDS = {
    PAGE: "text/html", RSS: "application/rss+xml", ATOM: "application/atom+xml",
    XHTML: "application/xhtml+xml", XML: "text/xml", JSON: "application/json",
}  # fmt: skip


def selectors(**texts: Any) -> tuple[Selector, ...]:
    return tuple(Selector(**{name: text}) for name, text in texts.items())


def outcome(document: str, view: View) -> Reading | Unreadable:
    (found,) = read_views(document.encode(), KINDS[document], [view])
    return found


def lines(document: str, view: View) -> list[str]:
    found = outcome(document, view)
    assert isinstance(found, Reading), found
    return found.text.split("\n")


@pytest.mark.parametrize(
    ("xpath", "expected"),
    [
        ("//p[@id='price']", ["Now: 12"]),
        ("//p/text()", ["Now:"]),
        ("//nav//a/@href", ["/cart"]),
        ("//li | //h1", ["Bike", "red", "blue"]),
        ("count(//li)", ["2"]),
        ("1 div 8", ["0.125"]),
        ("string(//h1)", ["Bike"]),
        ("boolean(//h1)", ["true"]),
        ("/html/body/main/table/tbody/tr/td[2]", ["L"]),
        ("//li[last()]", ["blue"]),
        ("//*[contains(., 'red')]/li[1]", ["red"]),
        ("//li[following-sibling::li]", ["red"]),
        ("/HTML/Body//LI[. = 'red'] | //P[@ID='price']", ["Now: 12", "red"]),
        ("//P[@id='PRICE'] | //h1", ["Bike"]),
    ],
)
def test_xpath_finds_elements_and_texts_in_the_tree_of_a_browser(
    xpath: str, expected: list[str]
) -> None:
    assert lines(PAGE, View(select=selectors(xpath=xpath))) == expected


@pytest.mark.parametrize("xpath", ["//dl", "//@none", "false()", "string(//dl)", "//comment()"])
def test_xpath_that_finds_no_text_finds_nothing(xpath: str) -> None:
    assert isinstance(outcome(PAGE, View(select=selectors(xpath=xpath))), NothingSelected)


PREFIXED = b"""<html xmlns:q="http://q.test/" xmlns:bad="http://\xc3\xbc test/" lang="de"
xml:lang="en" q:a="1" bad:b="2"><body><q:like bad:c="3"
xmlns:none="">4</q:like><svg><a xlink:href="/c" ver="5"/>
</svg><p xmlns="http://d.test/">6</p></body></html>"""


@pytest.mark.parametrize("header", ["text/html", "text/xml"])
@pytest.mark.parametrize(
    ("xpath", "expected"),
    [
        ("//@xml:lang", "en"),
        ("//@lang", "de"),
        ("//*[lang('en')]/@q:a", "1"),
        ("//@bad:*", "2 3"),
        ("//q:like", "4"),
        ("//*[name() = 'q:like']/@bad:c", "3"),
        ("//@xlink:href", "/c"),
        ("//@ver", "5"),
        ("//@xmlns | //@xmlns:q | //@none", None),
    ],
)
def test_names_with_prefixes_are_found_as_they_are_written(
    xpath: str, expected: str | None, header: str
) -> None:
    page = PREFIXED.replace(b"<svg>", b"<svg xmlns:xlink='http://www.w3.org/1999/xlink'>")
    (found,) = read_views(page, header, [View(select=selectors(xpath=xpath))])
    if expected is None:
        assert isinstance(found, Unreadable)
    else:
        assert isinstance(found, Reading), found
        assert " ".join(found.text.split()) == expected


@pytest.mark.parametrize(
    ("document", "view", "expected"),
    [
        (RSS, View(select=selectors(xpath="//item/title")), ["one", "", "two"]),
        (RSS, View(select=selectors(css="item:first-of-type")), ["one", "D 1"]),
        (RSS, View(select=selectors(xpath="//dc:creator")), ["me"]),
        (RSS, View(select=selectors(css="pubDate")), ["now"]),
        (RSS, View(exclude=selectors(css="description")), ["News", "", "one", "", "two"]),
        (RSS, View(exclude=selectors(xpath="//item[1]")), ["News", "", "two"]),
        (ATOM, View(select=selectors(xpath="//entry/title")), ["one"]),
        (ATOM, View(select=selectors(css="entry > summary")), ["s"]),
        (XHTML, View(select=selectors(xpath="//p")), ["ac"]),
        (XHTML, View(select=selectors(css="p"), exclude=selectors(css="b")), ["a"]),
        (XML, View(select=selectors(xpath="//a")), ["1", "3"]),
        (XML, View(select=selectors(xpath="//i[2]")), ["3"]),
        (XML, View(select=selectors(css="r"), exclude=selectors(css="b, i:last-child")), ["1"]),
        (XML, View(select=selectors(xpath="//i | //a")), ["1", "2", "", "3"]),
    ],
)
def test_xml_and_feeds_are_read_in_parts_as_they_are_as_a_whole(
    document: str, view: View, expected: list[str]
) -> None:
    assert lines(document, view) == expected


@pytest.mark.parametrize(
    ("jsonpath", "expected"),
    [
        ("$.a.b[0].p", ["a.b.p: 1.50"]),
        ("$.a.b[-1].n", ["a.b.n: y"]),
        ("$..n", ["a.b.n: x", "", "a.b.n: y"]),
        ("$.a.b[::-1].n", ["a.b.n: x", "", "a.b.n: y"]),
        ("$['c']", ["c: 5", "c: 6"]),
        ("$.a.b[?@.p > 1.6].n", ["a.b.n: y"]),
        ("$.a.b[?match(@.n, 'x|z')].p", ["a.b.p: 1.50"]),
        ("$.a.b[?length(@.n) == 1 && !@.q].n", ["a.b.n: x", "", "a.b.n: y"]),
        ('$[""][1]', ["2"]),
        ("$.a.b[0:1]", ["a.b.p: 1.50", "a.b.n: x"]),
    ],
)
def test_jsonpath_finds_values_which_keep_their_keys(jsonpath: str, expected: list[str]) -> None:
    assert lines(JSON, View(select=selectors(jsonpath=jsonpath))) == expected


def test_values_of_json_may_be_left_out_wherever_they_are() -> None:
    view = View(select=selectors(jsonpath="$.a"), exclude=selectors(jsonpath="$.a.b[0]"))
    assert lines(JSON, view) == ["a.b.p: 2", "a.b.n: y"]
    assert lines(JSON, View(exclude=selectors(jsonpath="$"))) == [""]


def test_numbers_with_very_many_digits_are_read_in_parts() -> None:
    page = b'[{"n": %b, "m": 1}, {"n": 2, "m": 3}]' % (b"9" * 5_000)
    for jsonpath, text in {"$[0].n": "n: " + "9" * 5_000, "$[?@.n > 2].m": "m: 1"}.items():
        view = View(select=selectors(jsonpath=jsonpath))
        (found,) = read_views(page, "application/json", [view])
        assert isinstance(found, Reading), found
        assert found.text == text


@pytest.mark.parametrize(
    ("document", "view", "reason"),
    [
        (JSON, View(select=selectors(css="a")), "a selector of the kind css finds nothing in JSON"),
        (PAGE, View(exclude=selectors(jsonpath="$.a")), "of the kind jsonpath finds nothing in HT"),
        (XML, View(select=selectors(jsonpath="$.a")), "of the kind jsonpath finds nothing in XML"),
        (PAGE, View(select=selectors(xpath="//x:y")), "cannot be used: Undefined namespace prefix"),
        (XML, View(select=selectors(xpath="document('/etc/passwd')")), "Unregistered function"),
        (JSON, View(select=selectors(jsonpath="$[?@.p==1e999]")), "cannot be used: "),
        (PAGE, View(select=selectors(css="\ud800")), "cannot be used"),
        (PAGE, View(exclude=selectors(xpath="//p/text()")), f"the XPath '//p/text()' {FINDS_TEXT}"),
        (PAGE, View(exclude=selectors(xpath="//a/@href")), FINDS_TEXT),
        (PAGE, View(exclude=selectors(xpath="count(//p)")), FINDS_TEXT),
        (XML, View(exclude=selectors(xpath="//a/text()")), FINDS_TEXT),
        (XHTML, View(exclude=selectors(xpath="string(//p)")), FINDS_TEXT),
        (RSS, View(exclude=selectors(xpath="//title/text()")), FINDS_TEXT),
    ],
)
def test_a_selector_that_does_not_fit_is_a_failure_of_its_view(
    document: str, view: View, reason: str
) -> None:
    found = outcome(document, view)
    assert isinstance(found, Unreadable)
    assert not isinstance(found, NothingSelected)
    assert reason in str(found)
    assert lines(document, View()) != [""]


def test_the_texts_of_xml_are_looked_at_once_for_all_that_is_selected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[Tag] = []
    strings = Tag._all_strings

    def counted(tag: Tag, *arguments: Any, **options: Any) -> Iterator[str]:
        looks.append(tag)
        return strings(tag, *arguments, **options)

    monkeypatch.setattr(Tag, "strings", property(counted))
    (found,) = read_views(
        b"<r>" + b"<p>a<b>c</b></p>" * 20 + b"</r>", "text/xml", [View(select=selectors(css="p"))]
    )
    assert isinstance(found, Reading)
    assert (found.text.split("\n"), len(looks)) == (["ac"] * 20, 1)
