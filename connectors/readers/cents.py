"""The cents of a price marked by their size or place alone."""

import re

from selectolax.lexbor import LexborNode

from connectors.readers.marks import CENTS

MAX_CENTS = 300
"""The most elements of a page to examine."""
_SMALL = (
    "sup, sub, small, [class*='cent' i], [class*='fraction' i], [class*='decimal' i], "
    "[class*='penny' i], [class*='pence' i], [class*='kopeck' i], [class*='dec' i], "
    "[style*='super' i], [style*='font-size' i]"
)
_CENTS = re.compile(r"\s*\d\d(?!\d)[^\d.,]{0,6}")
_NOTE = re.compile(r"[\s(\[]*\d{1,2}[\s)\]]*")
_WHOLE = re.compile(r"\d\s*[€£$¥₽₴₺₪₸₾]?\s*\Z")
_WITH_DECIMALS = re.compile(r"\d[.,]\d\d\s*\Z")
_UP = ("sup", "sub")
_SIBLINGS = 3
"""Nodes before an element, and elements around the element, searched for the number."""


def mark_cents(root: LexborNode) -> None:
    """Put a sign before the cents of smaller size, and remove the numbers of notes.

    >>> from connectors.readers.html import parsed_html
    >>> root = parsed_html("<p>$19<sup>99</sup> and $5.00<sup>1</sup>")
    >>> mark_cents(root)
    >>> root.text().replace(CENTS, ".")
    '$19.99 and $5.00'
    """
    for node in root.css(_SMALL)[:MAX_CENTS]:
        text, before = node.text(), _text_before(node)
        if before is None or not _WHOLE.search(before):
            continue
        has_decimals = _WITH_DECIMALS.search(before) is not None
        is_petrol = has_decimals and text.strip() == "9"
        if is_petrol or (not has_decimals and _CENTS.fullmatch(text)):
            (node.child or node).insert_before(CENTS)  # in the block in which the cents are
        elif node.tag in _UP and _NOTE.fullmatch(text):
            node.decompose()


def _text_before(node: LexborNode) -> str | None:
    """Return the text right before an element, None if there is none."""
    at: LexborNode | None = node
    for _ in range(_SIBLINGS):
        if at is None:
            return None
        before = at.prev
        for _ in range(_SIBLINGS):
            if before is None:
                break
            if before.tag != "-comment" and (text := before.text()).strip():
                return text
            before = before.prev
        at = at.parent
    return None
