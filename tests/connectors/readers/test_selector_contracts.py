"""Views find what the library of their language finds in a document that it parses itself."""

import json
import re
from collections.abc import Sequence
from typing import Any

import lxml.html
import soupsieve
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from jsonpath_rfc9535 import JSONPathNodeList, find
from lxml import etree

from connectors.readers.errors import NothingSelected
from connectors.readers.reading import read_views
from schemas.records.answers import Reading
from schemas.records.views import Selector, View

XPATHS = (
    "//div", "//span/..", "/*/*", "//div[1]", "//div[last()]/span", "//*[@id='k1']", "//*[@title]",
    "//*[not(@title)]", "//span[preceding-sibling::div]", "//div/following-sibling::*[1]",
    "//*[contains(., '3')]", "//div[count(span) > 1]", "//div | //span[2]",
    "//span[position() mod 2 = 1]", "(//span)[2]", "//div[div and not(span)]",
    "//*[starts-with(@id, 'k')]/ancestor::div",
    "//*[translate(@title, 't', 'T') = 'T']", "//span[normalize-space() != '']",
    "//*[@id = 'k2']/descendant::span", "//div[span = div/span]", "//*[string-length(@id) = 2][2]",
    "//*[name() = 'span']/self::span",
)  # fmt: skip
CSSES = (
    "div", "div > span", "div span", "div + span", "span ~ div", "#k1", "[title]", "[title=t]",
    "[id^=k]", "[id$='1']", "[id*=k]", "div:first-child", "span:last-child", "span:nth-child(2n)",
    "div:nth-of-type(2)", "div:only-child", "div:not([id])", "div:has(> span)", "span:is(.c, #k2)",
    "div, span", ".c", "div.c > *", "span:nth-last-child(1)", "div:empty", ":root > *",
)  # fmt: skip
JSONPATHS = (
    "$", "$.*", "$..*", "$.a", "$['b']", "$[0]", "$[-1]", "$[1:]", "$[::2]", "$[::-1]", "$..a",
    "$..[0]", "$[?@.a]", "$..[?@ > 3]", "$..[?@.a == 2 || @.b]", "$[?!@.a]", "$.a.b", "$[0, 1]",
    "$..['a', 'b']", "$..[?length(@) > 1]", "$..[?count(@.*) == 1]", "$[?@.a == $[0].a]",
)  # fmt: skip
NUMBER = re.compile(r"\d{3}|\d")
"""In a tree each has three digits, and may follow another."""


def _markup(tree: Any, numbers: list[int]) -> str:
    """Write a tree of elements, with another number in each, as markup."""
    name, identity, title, children = tree
    numbers.append(len(numbers) + 100)
    attributes = f" id='k{identity}' class='c'" if identity else ""
    attributes += " title='t'" if title else ""
    inner = "".join(_markup(child, numbers) for child in children)
    return f"<{name}{attributes}>{numbers[-1] if not inner else ''}{inner}</{name}>"


def _elements(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names, flags = st.sampled_from(["div", "span"]), st.booleans()
    return st.tuples(names, st.integers(0, 3), flags, st.lists(children, max_size=4))


LEAVES: st.SearchStrategy[Any] = st.tuples(
    st.sampled_from(["div", "span"]), st.integers(0, 3), st.booleans(), st.just([])
)
TREES = _elements(st.recursive(LEAVES, _elements, max_leaves=12))
VALUES = st.recursive(
    st.integers(0, 9),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=12,
)


def found(body: str, header: str, selectors: Sequence[Selector]) -> dict[str, list[str] | None]:
    """The numbers in what each selector finds, None if that is nothing, all from one parse."""
    views = [View(select=(each,)) for each in selectors]
    readings = read_views(body.encode(), header, views)
    texts = [each.css or each.xpath or each.jsonpath or "" for each in selectors]
    return dict(zip(texts, map(_numbers, readings), strict=True))


def _numbers(reading: Reading | Exception) -> list[str] | None:
    if isinstance(reading, NothingSelected):
        return None
    assert isinstance(reading, Reading), reading
    return sorted(NUMBER.findall(reading.text))


def numbers_of(texts: list[str]) -> list[str] | None:
    """The numbers in what a library finds, each once, as nested parts are read once."""
    return sorted({number for text in texts for number in NUMBER.findall(text)}) if texts else None


@given(tree=TREES)
def test_xpath_finds_what_lxml_finds(tree: Any) -> None:
    inner = _markup(tree, [])
    page, document = f"<html><body>{inner}</body></html>", f"<r>{inner}</r>"
    parsed = {
        "text/html": (page, lxml.html.document_fromstring(page)),
        "application/xml": (document, etree.XML(document)),
    }
    selectors = [Selector(xpath=each) for each in XPATHS]
    for header, (body, root) in parsed.items():
        expected = {
            each: numbers_of(["".join(element.itertext()) for element in root.xpath(each)])
            for each in XPATHS
        }
        assert found(body, header, selectors) == expected


@given(tree=TREES)
def test_css_finds_what_soupsieve_finds_in_html_and_xml(tree: Any) -> None:
    inner = _markup(tree, [])
    page, document = f"<html><head></head><body>{inner}</body></html>", f"<r>{inner}</r>"
    parsed = {
        "text/html": (page, BeautifulSoup(page, "html.parser")),
        "application/xml": (document, BeautifulSoup(document, "lxml-xml")),
    }
    selectors = [Selector(css=each) for each in CSSES]
    for header, (body, soup) in parsed.items():
        expected = {
            each: numbers_of([element.get_text() for element in soupsieve.select(each, soup)])
            for each in CSSES
        }
        assert found(body, header, selectors) == expected


@given(value=VALUES)
def test_jsonpath_finds_what_its_library_finds(value: Any) -> None:
    selectors = [Selector(jsonpath=each) for each in JSONPATHS]
    expected = {each: _values_of(find(each, value)) for each in JSONPATHS}
    assert found(json.dumps(value), "application/json", selectors) == expected


def _values_of(nodes: JSONPathNodeList) -> list[str] | None:
    """The numbers in what is found, without what is inside something else that is."""
    values = {node.location: node.value for node in nodes}
    outermost = [
        json.dumps(value)
        for location, value in values.items()
        if not any(location[:at] in values for at in range(len(location)))
    ]
    return sorted(NUMBER.findall(" ".join(outermost))) if values else None
