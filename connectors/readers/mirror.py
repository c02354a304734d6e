"""The same document for lxml, element by element.

Parsing it once more would give another tree: libxml2 does not read HTML as browsers do.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bs4 import Tag
from bs4.element import CData, NamespacedAttribute, NavigableString
from lxml import etree
from selectolax.lexbor import LexborNode

_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_PREFIXED = re.compile(r"([A-Za-z_][\w.-]*):([A-Za-z_][\w.-]*)")
_NAMESPACE = re.compile(r"[\w:/.#?=&~+,;@!$*-]+", re.ASCII)
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ODD = "odd"
"""The name of an element with a name that XML does not allow."""
_DECLARING = "xmlns"
_NAMESPACES = {
    "xml": "http://www.w3.org/XML/1998/namespace",
    "xlink": "http://www.w3.org/1999/xlink",
}
"""Of prefixes that HTML has without declaring them; others stand for themselves there."""


@dataclass(frozen=True, slots=True)
class _End:
    """Where an element ends."""

    name: str


def mirrored_html(root: LexborNode) -> tuple[Any, dict[Any, LexborNode], dict[str, str]]:
    """Return the root of a copy, the element of which each of its elements is one, and prefixes.

    HTML knows no prefixes: a name with one is found by it as it is written.
    """
    builder = etree.TreeBuilder()
    nodes: dict[Any, LexborNode] = {}
    prefixes = dict(_NAMESPACES)
    open_ids: list[tuple[int, str]] = []
    for node in root.traverse(include_text=True):
        parent = node.parent
        while open_ids and (parent is None or open_ids[-1][0] != parent.mem_id):
            builder.end(open_ids.pop()[1])
        if node.is_element_node:
            name = _html_name(node.tag or "", prefixes) or _ODD
            attributes = _html_attributes(node.attributes, prefixes)
            nodes[builder.start(name, attributes, _declared(name, prefixes))] = node
            open_ids.append((node.mem_id, name))
        elif node.is_text_node and open_ids:
            builder.data(_NO_XML.sub("", node.text_content or ""))
    for _, name in reversed(open_ids):
        builder.end(name)
    return builder.close(), nodes, prefixes


def mirrored_xml(root: Tag) -> tuple[Any, dict[Any, Tag], dict[str, str]]:
    """Return the same of XML, and the namespaces of its prefixes.

    An element without a prefix is in no namespace, so that ``//entry`` finds those of Atom.
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
            tags[builder.start(name, attributes, _declared(name, prefixes))] = node
            left += (_End(name), *reversed(node.contents))
        elif type(node) in {NavigableString, CData}:
            builder.data(_NO_XML.sub("", node))
    return builder.close(), tags, prefixes


def _html_attributes(attributes: Mapping[str, Any], prefixes: dict[str, str]) -> dict[str, str]:
    named = {_html_name(name, prefixes): value for name, value in attributes.items()}
    return {name: _value(value) for name, value in named.items() if name}


def _html_name(name: str, prefixes: dict[str, str]) -> str | None:
    if _NAME.fullmatch(name):
        return name
    found = _PREFIXED.fullmatch(name)
    return _name(found[1], found[2], prefixes.get(found[1], ""), prefixes) if found else None


def _xml_attributes(attributes: Mapping[str, Any], prefixes: dict[str, str]) -> dict[str, str]:
    named = {_xml_attribute(name, prefixes): value for name, value in attributes.items()}
    return {name: _value(value) for name, value in named.items() if name}


def _xml_attribute(name: str, prefixes: dict[str, str]) -> str | None:
    if isinstance(name, NamespacedAttribute):
        return _name(name.prefix, name.name or "", name.namespace, prefixes)
    return _name(None, name, None, prefixes)


def _name(
    prefix: str | None, local: str, namespace: str | None, prefixes: dict[str, str]
) -> str | None:
    """Return a name as lxml has it; None for one that declares a prefix, or is not allowed."""
    if _DECLARING in (prefix, local) or not _NAME.fullmatch(local):
        return None
    if not prefix or namespace is None:
        return local
    # lxml refuses some; what is found by its prefix needs no other.
    known = namespace if _NAMESPACE.fullmatch(namespace) else f"prefix:{quote(prefix)}"
    prefixes[prefix] = known
    return f"{{{known}}}{local}"


def _declared(name: str, prefixes: dict[str, str]) -> dict[str, str] | None:
    """Return what lets ``name()`` have the prefix of a name, if it has one."""
    return prefixes if name.startswith("{") else None


def _value(value: Any) -> str:
    return _NO_XML.sub("", str(value or ""))
