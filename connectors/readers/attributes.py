"""Values of attributes as part of the text: addresses of links, and texts of images."""

from collections.abc import Collection
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode

from connectors.readers.visible import TEXTLESS

MAX_VALUE = 1_000
"""Characters of a value; longer values are cut."""
_URLS = frozenset(["href", "src", "action", "formaction", "cite", "poster", "longdesc"])
_NO_ADDRESS = ("data:", "javascript:", "blob:")
"""Schemes of very long addresses, or of none."""


def show_attributes(root: LexborNode, names: Collection[str], url: str) -> None:
    """Put the values of attributes at the end of their elements; changes the page.

    Relative addresses are completed by the page's.

    >>> from selectolax.lexbor import LexborHTMLParser
    >>> root = LexborHTMLParser("<a href=/cart>Cart</a>").root
    >>> show_attributes(root, ["href"], "https://shop.example/bikes")
    >>> root.text()
    'Cart (https://shop.example/cart)'
    """
    stated = root.css_first("base[href]")
    base = url if stated is None else _joined(url, (stated.attributes["href"] or "").strip())
    found = root.css(", ".join(f"[{name}]" for name in names))
    for node in {node.mem_id: node for node in found}.values():
        if node.tag not in TEXTLESS:
            given = node.attributes
            values = (_shown(name, given[name] or "", base) for name in names if name in given)
            if shown := "".join(f" ({value})" for value in values if value):
                node.insert_child(shown)


def _shown(name: str, value: str, base: str) -> str:
    shown = " ".join(value.replace("\0", " ")[: 4 * MAX_VALUE].split())
    if name in _URLS:
        if shown.lower().startswith(_NO_ADDRESS):
            return ""
        shown = _joined(base, shown)
    return shown[:MAX_VALUE]


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:  # an address that is none
        return address
