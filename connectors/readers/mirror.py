"""The same document for lxml, element by element.

Parsing it once more would give another tree: libxml2 does not read HTML as browsers do.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bs4 import Tag
from bs4.element import CData, NavigableString
from lxml import etree
from selectolax.lexbor import LexborNode

_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ODD = "odd"
"""The name of an element with a name that XML does not allow."""


@dataclass(frozen=True, slots=True)
class _End:
    """Where an element ends."""

    name: str


def mirrored_html(root: LexborNode) -> tuple[Any, dict[Any, LexborNode]]:
    """Return the root of a copy, and the element of which each of its elements is one."""
    builder = etree.TreeBuilder()
    nodes: dict[Any, LexborNode] = {}
    open_ids: list[tuple[int, str]] = []
    for node in root.traverse(include_text=True):
        parent = node.parent
        while open_ids and (parent is None or open_ids[-1][0] != parent.mem_id):
            builder.end(open_ids.pop()[1])
        if node.is_element_node:
            name = _name(node.tag or "")
            nodes[builder.start(name, _attributes(node.attributes))] = node
            open_ids.append((node.mem_id, name))
        elif node.is_text_node and open_ids:
            builder.data(_NO_XML.sub("", node.text_content or ""))
    for _, name in reversed(open_ids):
        builder.end(name)
    return builder.close(), nodes


def mirrored_xml(root: Tag) -> tuple[Any, dict[Any, Tag], dict[str, str]]:
    """Return the same of XML, and the namespaces of its prefixes.

    An element without a prefix is in no namespace, so that ``//entry`` finds those of Atom.
    """
    builder = etree.TreeBuilder()
    tags: dict[Any, Tag] = {}
    prefixes: dict[str, str] = {}
    left: list[Any] = [root]
    while left:
        node = left.pop()
        if isinstance(node, _End):
            builder.end(node.name)
        elif isinstance(node, Tag):
            name = _name(node.name.rpartition(":")[2])
            if node.prefix and node.namespace:
                prefixes[node.prefix] = node.namespace
                name = f"{{{node.namespace}}}{name}"
            tags[builder.start(name, _attributes(node.attrs))] = node
            left += (_End(name), *reversed(node.contents))
        elif type(node) in {NavigableString, CData}:
            builder.data(_NO_XML.sub("", node))
    return builder.close(), tags, prefixes


def _name(name: str) -> str:
    return name if _NAME.fullmatch(name) else _ODD


def _attributes(attributes: Mapping[str, Any]) -> dict[str, str]:
    named = {name: value for name, value in attributes.items() if _NAME.fullmatch(name)}
    return {name: _NO_XML.sub("", str(value or "")) for name, value in named.items()}
