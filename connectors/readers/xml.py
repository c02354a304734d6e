"""The text of XML: of XHTML and feeds what a person sees, otherwise of all elements."""

import re
from collections.abc import Collection
from functools import partial
from html import escape, unescape

from bs4 import BeautifulSoup, Tag
from lxml import etree

from connectors.readers.charsets import decode_checked
from connectors.readers.errors import Unreadable
from connectors.readers.feed import feed_text
from connectors.readers.layout import laid_out
from connectors.readers.marks import BREAK, GAP
from connectors.readers.page_text import PageText
from connectors.readers.prescan import PRESCAN, xml_charset
from connectors.readers.xhtml import marked_pieces, xhtml_text

# Matched at the beginning only: sought everywhere, blanks would cost their square.
_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*>")
# XML defines five names; documents that come from HTML use HTML's.
_NAMED = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z]\w*;)")
_PARSER = partial(etree.XMLParser, resolve_entities=False, load_dtd=False, no_network=True)
_DEEPEST = 256  # libxml2's limit
_TAIL = 1_000
"""Characters in which the end of most documents is found."""
CODE = ("script", "style")
"""Names of the elements of XML of unknown meaning that are no text."""
_FEEDS = ("rss", "feed", "RDF")


def read_xml(body: bytes, charset: str | None) -> PageText:
    """Read the text of XML; ``charset`` is the header's.

    The root element decides how it is read, since the content type may only say that it is
    XML. No entity that it declares is expanded, and nothing that it refers to is fetched.
    Raises Unreadable if it has no root element, declares entities, or is nested deeper than
    256 levels.
    """
    root = parsed_xml(body, charset)
    match kind_of(root):
        case "html":
            return xhtml_text(root)
        case "feed":
            return feed_text(root)
    return laid_out(marked_elements(root, mixed_elements(root)))


def parsed_xml(body: bytes, charset: str | None) -> Tag:
    """Parse XML, and return its root; the rest is as for ``read_xml``."""
    return _root(decode_checked(body, charset, xml_charset(body[:PRESCAN])))


def kind_of(root: Tag) -> str:
    """Return ``html``, ``feed`` or ``elements``: how a document is read, by its root."""
    name = root.name.rpartition(":")[2]
    return name if name == "html" else "feed" if name in _FEEDS else "elements"


def mixed_elements(root: Tag) -> frozenset[int]:
    """Return the identities of the elements with text by itself among their contents."""
    return frozenset(id(text.parent) for text in root.strings if text.strip())


def marked_elements(part: Tag, mixed: Collection[int], excluded: Collection[int] = ()) -> str:
    """Read elements of unknown meaning: each is a line, unless it is in the middle of text.

    An empty line is around an element of elements. Only a ``part`` of a document is read,
    without the elements with an identity in ``excluded``; ``mixed`` are those of the document.
    """

    def marks(tag: Tag) -> tuple[str, str]:
        if id(tag.parent) in mixed:
            return "", ""
        has_elements = id(tag) not in mixed and any(isinstance(each, Tag) for each in tag.contents)
        return (GAP, GAP) if has_elements else (BREAK, BREAK)

    def is_unseen(tag: Tag) -> bool:
        return tag.name in CODE or id(tag) in excluded

    return "".join(marked_pieces(part, marks, is_unseen))


def _root(text: str) -> Tag:
    declaration = _DECLARATION.match(text)
    undeclared = text[declaration.end() :] if declaration else text
    markup = _NAMED.sub(lambda found: escape(unescape(found[0])), undeclared)
    root = BeautifulSoup(markup, "lxml-xml", parser=_PARSER).find(True)
    if root is None:
        raise Unreadable("the content is not XML, or declares entities")
    _check_depth(root)
    if not _has_end(root.name, markup):
        raise Unreadable("incomplete: the XML ends before its root element")
    return root


def _has_end(name: str, markup: str) -> bool:
    """Return whether the root element ends: the parser adds an end that is missing."""
    local = rf"(?:[\w.-]+:)?{re.escape(name.rpartition(':')[2])}"
    end = re.compile(rf"</{local}\s*>|<{local}(?:\s[^<>]*)?/>")
    return bool(end.search(markup, max(len(markup) - _TAIL, 0)) or end.search(markup))


def _check_depth(root: Tag) -> None:
    """Refuse what only an attacker nests so deeply: selectors visit all ancestors."""
    level = [root]
    for _ in range(_DEEPEST):
        level = [child for tag in level for child in tag.children if isinstance(child, Tag)]
        if not level:
            return
    raise Unreadable(f"the XML is nested deeper than {_DEEPEST} levels")
