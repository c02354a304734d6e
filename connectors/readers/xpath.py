"""XPath 1.0 on a document, without functions of effect."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from connectors.readers.errors import Unreadable

_CAPITALIZED = re.compile(r""" "[^"]*" | '[^']*' | (?<![\w.-])[A-Z][\w.-]* """, re.VERBOSE)

Located = tuple[Any, str | None]
"""An element of lxml, and a text at the element if the text was found."""


def found_by_xpath(root: Any, expression: str, prefixes: Mapping[str, str]) -> list[Located]:
    """Evaluate an expression on a root element; empty texts, and false, are nothing.

    ``prefixes`` are the namespaces of names in the expression. Raises Unreadable.

    >>> root = etree.XML("<p><b>Zeus</b></p>")
    >>> found_by_xpath(root, "count(//b)", {})[0][1]
    '1'
    """
    try:
        # EXSLT's regular expressions are Python's, which take as long as they like.
        path = etree.XPath(expression, namespaces=dict(prefixes) or None, regexp=False)
        result = path(root)
    except (etree.XPathError, ValueError) as error:
        raise Unreadable(f"the XPath {expression!r} cannot be used: {error}") from None
    if isinstance(result, list):
        return list(_located(result))
    text = _written(result)
    return [(root, text)] if text else []


def as_in_html(expression: str) -> str:
    """Return an XPath with names in small letters, as HTML has them.

    Names of SVG with capitals do not begin with a capital.

    >>> as_in_html("//DIV[@ID = 'Price']//linearGradient")
    "//div[@id = 'Price']//linearGradient"
    """
    return _CAPITALIZED.sub(
        lambda found: found[0] if found[0][0] in "\"'" else found[0].lower(), expression
    )


def _located(results: list[Any]) -> Iterator[Located]:
    for each in results:
        if isinstance(each, str):
            parent = each.getparent()  # type: ignore[attr-defined]  # a smart string of lxml
            if parent is not None and each.strip():
                yield parent, each
        elif isinstance(getattr(each, "tag", None), str):  # no comment
            yield each, None


def _written(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "true" if value else ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    return value
