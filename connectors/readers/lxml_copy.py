"""The same document for lxml, element by element.

Another parse would give another tree: libxml2 does not read HTML like browsers.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import quote

from bs4 import Tag
from bs4.element import CData, NamespacedAttribute, NavigableString
from lxml import etree
from selectolax.lexbor import LexborNode

from connectors.readers.errors import Unreadable

_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_PREFIXED = re.compile(r"([A-Za-z_][\w.-]*):([A-Za-z_][\w.-]*)")
_NAMESPACE = re.compile(r"[\w:/.#?=&~+,;@!$*-]+", re.ASCII)
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ODD = "odd"
"""The name of an element with a name invalid in XML."""
_SPECIAL, _SPECIAL_IN_TEXT = re.compile('[&<>"\t\n]'), re.compile("[&<>]")
_REFERENCES = {ord(space): f"&#{ord(space)};" for space in "\t\n"}
"""Characters read by XML as blanks in an attribute."""
_CONTROLS = bytes({*range(0x20)} - {*b"\t\n"})
_DECLARING = "xmlns"
_NAMESPACES = {
    "xml": "http://www.w3.org/XML/1998/namespace",
    "xlink": "http://www.w3.org/1999/xlink",
}
"""Of HTML's undeclared prefixes; others stand for themselves there."""


@dataclass(frozen=True, slots=True)
class _End:
    """The end of an element."""

    name: str


def mirrored_html(root: LexborNode) -> tuple[Any, dict[Any, LexborNode], dict[str, str]]:
    """Return the root of a copy, the original of each of its elements, and prefixes.

    HTML knows no prefixes: a name with a prefix is matched as written.
    """
    names = _Names()
    written: list[str] = []
    nodes: list[LexborNode] = []
    around: list[tuple[LexborNode, str]] = []
    node: LexborNode | None = root
    while node is not None:
        following = node.child
        if node.is_element_node:
            name = names[node.tag or ""] or _ODD
            written.append(f"<{name}{_written(node.attributes, names)}>")
            nodes.append(node)
            around.append((node, f"</{name}>"))
        elif node.is_text_node:
            text = node.text_content or ""
            is_special = _SPECIAL_IN_TEXT.search(text)
            written.append(escape(text, quote=False) if is_special else text)
            following = node.next
        else:
            following = node.next
        while following is None and around:
            node, end = around.pop()
            written.append(end)
            following = node.next if around else None
        node = following
    copy = _parsed(written, names.prefixes)
    return copy, dict(zip(copy.iter(), nodes, strict=True)), names.prefixes


def mirrored_xml(root: Tag) -> tuple[Any, dict[Any, Tag], dict[str, str]]:
    """Return the same of XML, and the namespaces of its prefixes.

    An element without a prefix is in no namespace, so ``//entry`` finds the entries of Atom.
    """
    builder = etree.TreeBuilder()
    tags: dict[Any, Tag] = {}
    prefixes = dict(_NAMESPACES)
    left: list[Any] = [root]
    while left:
        node = left.pop()
        if isinstance(node, _End):
            builder.end(node.name)
        elif isinstance(node, Tag):
            local = node.name.rpartition(":")[2]
            name = _name(node.prefix, local, node.namespace, prefixes) or _ODD
            attributes = _xml_attributes(node.attrs, prefixes)
            # ``name()`` needs the prefix of a name that has one.
            declared = prefixes if name.startswith("{") else None
            tags[builder.start(name, attributes, declared)] = node
            left += (_End(name), *reversed(node.contents))
        elif type(node) in {NavigableString, CData}:
            builder.data(_NO_XML.sub("", node))
    return builder.close(), tags, prefixes


class _Names(dict[str, str | None]):
    """Names of HTML as in XML, None for invalid names."""

    def __init__(self) -> None:
        super().__init__()
        self.prefixes = dict(_NAMESPACES)

    def __missing__(self, name: str) -> str | None:
        found = self[name] = self._allowed(name)
        return found

    def _allowed(self, name: str) -> str | None:
        prefixed = _PREFIXED.fullmatch(name)
        prefix, local = prefixed.groups() if prefixed else ("", name)
        # A page declares namespaces that its parser does not respect.
        if _DECLARING in (prefix, local) or not _NAME.fullmatch(local):
            return None
        try:
            etree.QName(name.replace(":", "", 1))  # raises for letters that XML has not in names
        except ValueError:
            return None
        if prefix:
            self.prefixes.setdefault(prefix, f"prefix:{quote(prefix)}")
        return name


def _written(attributes: Mapping[str, str | None], names: _Names) -> str:
    """Write attributes with valid names in XML."""
    # Few values have a special character, and a search is quicker than the replacement of each.
    return "".join(
        [f' {name}="{escape(value).translate(_REFERENCES) if _SPECIAL.search(value) else value}"'
         if value else f' {name}=""'
         for each, value in attributes.items() if (name := names[each])]
    )  # fmt: skip


def _parsed(written: list[str], prefixes: Mapping[str, str]) -> Any:
    """Parse XML in which prefixes are not declared yet."""
    declared = "".join([f' xmlns:{prefix}="{name}"' for prefix, name in prefixes.items()])
    start, _, rest = "".join(written).partition(">")
    # Without the characters invalid in XML; a carriage return would be a line feed.
    text = f"{start}{declared}>{rest}".replace("\r", "&#13;")
    text = text.replace("\ufffe", "").replace("\uffff", "")
    content = text.encode(errors="ignore").translate(None, _CONTROLS)
    try:
        return etree.fromstring(content, etree.XMLParser(huge_tree=True))
    except etree.XMLSyntaxError as error:  # libxml2 reads 2,048 elements within each other
        raise Unreadable(
            f"no XPath can be used, its elements are nested too deep: {error}"
        ) from None


def _xml_attributes(attributes: Mapping[str, Any], prefixes: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for each, value in attributes.items():
        if isinstance(each, NamespacedAttribute):
            name = _name(each.prefix, each.name or "", each.namespace, prefixes)
        else:
            name = _name(None, each, None, prefixes)
        if name:
            found[name] = _NO_XML.sub("", str(value or ""))
    return found


def _name(
    prefix: str | None, local: str, namespace: str | None, prefixes: dict[str, str]
) -> str | None:
    """Return a name in lxml's form; None for one that declares a prefix, or is not allowed."""
    if _DECLARING in (prefix, local) or not _NAME.fullmatch(local):
        return None
    if not prefix or namespace is None:
        return local
    # lxml refuses some; what is found by its prefix needs no other.
    known = namespace if _NAMESPACE.fullmatch(namespace) else f"prefix:{quote(prefix)}"
    prefixes[prefix] = known
    return f"{{{known}}}{local}"
