"""The items of a version by their identity: what the truth is made of.

An extractor knows the form of a page and no diff. An item is its fields: the pieces of text
that stand together, such as a title or a cell. Two items of a page with one identity are one.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

from bs4 import BeautifulSoup
from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from bench.news.words import plain, words
from connectors.readers.html import html_text

Item = tuple[str, ...]
"""The fields of an item."""

Found = Iterator[tuple[str, list[str]]]

_MARKDOWN_LINK = re.compile(
    r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]*(?:\([^()]*\)[^()\s]*)*)[^)]*\)"
)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_RULER = re.compile(r"[\s|:-]+")
_LIST_ITEM = re.compile(r"\s*(?:[*+-]|\d+\.)\s")
_FEED_FIELDS = ("title", "description", "summary", "content", "encoded")
_FEED_IDS = ("guid", "id", "link")
_HEADLINE_WORDS = 3


def items(content: bytes, text: str, extractor: str) -> dict[str, Item]:
    """Return the items of a version; ``text`` is what is read in it."""
    name, _, argument = extractor.partition(" ")
    found: dict[str, list[str]] = {}
    for identity, fields in _EXTRACTORS[name](content, text, argument):
        there = found.setdefault(identity, [])
        there.extend(each for each in map(plain, fields) if each and each not in there)
    return {identity: tuple(fields) for identity, fields in found.items() if fields}


def _feed(content: bytes, _text: str, _argument: str) -> Found:
    root = etree.fromstring(content, etree.XMLParser(recover=True, resolve_entities=False))
    for entry in root.iter("{*}item", "{*}entry"):
        named = [(etree.QName(each).localname, each) for each in entry if isinstance(each.tag, str)]
        ids = {name: each.text or each.get("href") for name, each in reversed(named)}
        identity = next((ids[name] for name in _FEED_IDS if ids.get(name)), None)
        if identity:
            fields = (html_text("".join(each.itertext())).text for name, each in named
                      if name in _FEED_FIELDS)  # fmt: skip
            yield identity, [line for field in fields for line in field.splitlines()]


def _json(content: bytes, _text: str, key: str) -> Found:
    yield from _objects(json.loads(content), key)


def _objects(value: Any, key: str) -> Found:
    if isinstance(value, dict) and not isinstance(value.get(key), dict | list | None):
        yield str(value[key]), list(_leaves(value))
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _objects(each, key)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    elif value is not None:
        yield from (value if isinstance(value, str) else json.dumps(value)).splitlines()


def _links(content: bytes, _text: str, _argument: str) -> Found:
    """A headline is a link of at least three words; its identity is where it leads."""
    page = LexborHTMLParser(content)
    page.strip_tags(["svg"])  # the title of a drawing is not shown
    for tag in page.css("a[href]"):
        text = plain(tag.text(separator=" "))
        if len(words(text)) >= _HEADLINE_WORDS:
            yield (tag.attributes["href"] or "").partition("?")[0].partition("#")[0], [text]


def _list(_content: bytes, _text: str, _argument: str) -> Found:
    for line in _content.decode("utf-8", "replace").splitlines():
        link = _MARKDOWN_LINK.search(line)
        if link and _LIST_ITEM.match(line):
            yield link[2], [_shown(line)]


def _table(content: bytes, _text: str, columns: str) -> Found:
    """Rows of a table in Markdown; the first columns name the row."""
    for line in content.decode("utf-8", "replace").splitlines():
        if line.count("|") < 2 or _RULER.fullmatch(line):
            continue
        cells = [_shown(each) for each in line.strip().strip("|").split("|")]
        yield " | ".join(cells[: int(columns)]), cells


def _shown(markdown: str) -> str:
    links = _MARKDOWN_LINK.sub(r"\1", _IMAGE.sub("", markdown))
    text = BeautifulSoup(links, "lxml").get_text(" ") if "<" in links else links
    return plain(re.sub(r"[*`]|^\s*[+-]\s", "", text))


def _csv(content: bytes, _text: str, column: str) -> Found:
    for row in csv.reader(StringIO(content.decode("utf-8-sig", "replace"), newline="")):
        if len(row) > int(column):
            yield row[int(column)], row


def _blocks(_content: bytes, text: str, patterns: str) -> Found:
    """An item begins with each line that has the pattern, which is its identity.

    A second pattern, after " until ", is of the line after the last item. Without it the last item
    has the page's footer, which would come and go with whatever item is the last one.
    """
    begin, _, end = patterns.partition(" until ")
    begins, ends = re.compile(begin), re.compile(end or r"(?!)")
    identity, lines = "", list[str]()
    for line in text.splitlines():
        found = begins.search(line)
        if found or ends.search(line):
            yield from [(identity, lines)] if identity else []
            identity, lines = found[0] if found else "", []
        lines.append(line)
    yield from [(identity, lines)] if identity else []


def _prose(_content: bytes, _text: str, _argument: str) -> Found:
    """Sentences have no identity but themselves, so there are no items."""
    return iter(())


_EXTRACTORS: dict[str, Callable[[bytes, str, str], Found]] = {
    "feed": _feed, "json": _json, "links": _links, "list": _list, "table": _table,
    "csv": _csv, "blocks": _blocks, "prose": _prose,
}  # fmt: skip
