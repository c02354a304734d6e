"""The text of XML: the visible text of XHTML and feeds, otherwise of all elements."""

import re
from collections.abc import Collection
from functools import partial
from typing import NamedTuple

from bs4 import BeautifulSoup, Tag
from lxml import etree

from connectors.readers.charsets import decode_checked
from connectors.readers.errors import Unreadable
from connectors.readers.feed import feed_text
from connectors.readers.layout import laid_out
from connectors.readers.marks import BREAK, GAP
from connectors.readers.page_text import PageText
from connectors.readers.prescan import PRESCAN, xml_charset
from connectors.readers.tables import SEPARATOR
from connectors.readers.xhtml import marked_pieces, xhtml_text
from connectors.readers.xml_repair import repaired_xml, without_message

# Matched at the beginning only: sought everywhere, blanks would cost their square.
_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*>")
_PARSER = partial(etree.XMLParser, resolve_entities=False, load_dtd=False, no_network=True)
_DEEPEST = 256  # libxml2's limit
_TAIL = 1_000
"""Characters in which the end of most documents is found."""
CODE = ("script", "style")
"""Names of elements without text in XML of unknown meaning."""
_SVG = "http://www.w3.org/2000/svg"
_FEEDS = ("rss", "feed", "RDF")
_NO_DATA = re.compile(r"xml(ns)?(:|$)|xsi:")
"""Found at the beginning of the names of attributes about the document alone."""


def read_xml(body: bytes, charset: str | None) -> PageText:
    """Read the text of XML; ``charset`` is the header's.

    The root element decides the reader, since the content type may only say XML. No declared entity
    is expanded, and no reference is fetched. Raises Unreadable without a root element, with
    declared entities, or for more than 256 levels.
    """
    root = parsed_xml(body, charset)
    match kind_of(root):
        case "html":
            return xhtml_text(root)
        case "feed":
            return feed_text(root)
    return laid_out(marked_elements(root, texts_of(root)))


def parsed_xml(body: bytes, charset: str | None) -> Tag:
    """Parse XML, and return its root; the rest is as for ``read_xml``."""
    document = without_message(decode_checked(body, charset, xml_charset(body[:PRESCAN])))
    declaration = _DECLARATION.match(document)
    undeclared = document[declaration.end() :] if declaration else document
    markup = repaired_xml(undeclared)
    root = BeautifulSoup(markup, "lxml-xml", parser=_PARSER).find(True)
    if root is None:
        raise Unreadable("the content is not XML, or declares entities")
    if root.name == "br":
        raise Unreadable("the content is no XML but a message of the server")
    _check_depth(root)
    if not _has_end(root.name, markup):
        raise Unreadable("incomplete: the XML ends before its root element")
    return root


def kind_of(root: Tag) -> str:
    """Return ``html``, ``feed`` or ``elements``: how a document is read, by its root."""
    name = root.name.rpartition(":")[2]
    return name if name == "html" else "feed" if name in _FEEDS else "elements"


class ElementTexts(NamedTuple):
    """The identities of elements: with text by itself among their contents, and with any inside."""

    mixed: frozenset[int]
    filled: frozenset[int]


def texts_of(root: Tag) -> ElementTexts:
    """Return which elements of a document have text."""
    mixed, filled = set(), set()
    for text in root.strings:
        if text.strip():
            mixed.add(id(text.parent))
            for tag in text.parents:
                if id(tag) in filled:
                    break
                filled.add(id(tag))
    return ElementTexts(frozenset(mixed), frozenset(filled))


def marked_elements(part: Tag, texts: ElementTexts, excluded: Collection[int] = ()) -> str:
    """Read elements of unknown meaning: each is a line, unless in the middle of text.

    The line of an element without text inside has its attributes. An empty line is around an
    element of elements. Only a ``part`` of a document is read, without the elements with an
    identity in ``excluded``; ``texts`` are those of the document.
    """

    def marks(tag: Tag) -> tuple[str, str]:
        if id(tag.parent) in texts.mixed:
            return "", ""
        has_elements = id(tag) not in texts.mixed and any(
            isinstance(each, Tag) for each in tag.contents
        )
        mark = GAP if has_elements else BREAK
        return (mark if id(tag) in texts.filled else mark + _attributes(tag)), mark

    def is_unseen(tag: Tag) -> bool:
        return tag.name in CODE or id(tag) in excluded

    return "".join(marked_pieces(part, marks, is_unseen))


def _attributes(tag: Tag) -> str:
    """Return the attributes of an element as a line; those of SVG are no text."""
    if tag.namespace == _SVG:
        return ""
    named = {name: str(value) for name, value in tag.attrs.items() if not _NO_DATA.match(name)}
    return SEPARATOR.join(f"{name}: {value}" for name, value in named.items() if value.strip())


def _has_end(name: str, markup: str) -> bool:
    """Return whether the root element ends: the parser adds a missing end."""
    local = rf"(?:[\w.-]+:)?{re.escape(name.rpartition(':')[2])}"
    end = re.compile(rf"</{local}\s*>|<{local}(?:\s[^<>]*)?/>")
    return bool(end.search(markup, max(len(markup) - _TAIL, 0)) or end.search(markup))


def _check_depth(root: Tag) -> None:
    """Refuse nesting as deep as only an attacker's: selectors visit all ancestors."""
    level = [root]
    for _ in range(_DEEPEST):
        level = [child for tag in level for child in tag.children if isinstance(child, Tag)]
        if not level:
            return
    raise Unreadable(f"the XML is nested deeper than {_DEEPEST} levels")
