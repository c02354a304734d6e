"""Whether the text of a selector can be used, by its language.

The libraries are imported for the first view with selectors: most workers never need them.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from connectors.readers.xpath_pieces import pieces_of_xpath

_PLACE = re.compile(r",?(?: at)? position (\d+),?")
"""The place of a fault in the words of soupsieve, from 0."""


def css_fault(text: str) -> str | None:
    """Return the fault of a text as a CSS selector, None if the selector is valid.

    >>> css_fault("#price > b") is None
    True
    >>> css_fault("a, , b")
    "it is no CSS selector: The combinator ',' must have a selector before it, at character 4"
    """
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError  # noqa: PLC0415 - see above
    from soupsieve import SelectorSyntaxError, compile  # noqa: A004, PLC0415 - see above

    try:
        compile(text)  # for XML
    except (SelectorSyntaxError, NotImplementedError) as error:
        return f"it is no CSS selector: {_css_reason(text, error)}"
    except ValueError:  # its pseudo-classes stand for more than 8,192 others
        return "it is a CSS selector with too many pseudo-classes"
    try:
        LexborHTMLParser("").css(text)
    except (SelectolaxError, UnicodeEncodeError):
        return "it is no CSS selector that can be used in HTML"
    return None


def _css_reason(text: str, error: Any) -> str:
    reason = str(error).partition("\n")[0].partition(". ")[0]
    line, column = getattr(error, "line", None), getattr(error, "col", None)
    if line and column:
        place = sum(map(len, text.splitlines(keepends=True)[: line - 1])) + column
    else:
        found = _PLACE.search(reason)
        place = int(found[1]) + 1 if found else 0
    reason = _PLACE.sub("", reason)
    return f"{reason}, at character {place}" if place else reason


def xpath_fault(text: str) -> str | None:
    """Return the fault of a text as an XPath, None if the path is usable.

    >>> xpath_fault("//a[document('x')]")
    "it is no XPath 1.0 that can be used: Unregistered function, at character 5: document('x')"
    """
    why = _xpath_error(text)
    if why is not None:
        return f"it is no XPath 1.0 that can be used: {why}"
    for piece in pieces_of_xpath(text):
        # Of an element: it is the context of a predicate.
        why = _xpath_error(f"self::node(){piece.predicate}")
        if why is None and piece.is_extension:
            why = "Unregistered function"
        if why is not None:
            place = f"at character {piece.place}: {piece.text}"
            return f"it is no XPath 1.0 that can be used: {why}, {place}"
    return None


def _xpath_error(text: str) -> str | None:
    from lxml import etree  # noqa: PLC0415 - see above

    try:
        etree.XPath(text, regexp=False)(etree.Element("html"))
    except (etree.XPathError, ValueError) as error:
        # Prefixes are those of the document.
        known = str(error) == "Undefined namespace prefix"
        return None if known else str(error)
    return None


def exclusion_fault(xpath: str) -> str | None:
    """Return why an XPath cannot exclude a part of a page, None if the path may.

    Only a page shows whether a path finds texts; faults found by ``xpath_fault`` are none here.

    >>> exclusion_fault("count(//p)")
    'it finds a text or a number; select the element, without text() or @…'
    """
    from lxml import etree  # noqa: PLC0415 - see above

    try:
        found = etree.XPath(xpath, regexp=False)(etree.Element("html"))
    except (etree.XPathError, ValueError):
        return None
    if isinstance(found, list):
        return None
    return "it finds a text or a number; select the element, without text() or @…"


def jsonpath_fault(text: str) -> str | None:
    """Return the fault of a text as a JSONPath, None if the path is valid.

    >>> jsonpath_fault("$.offers[0].price") is None
    True
    """
    from jsonpath_rfc9535 import JSONPathError, compile  # noqa: A004, PLC0415 - see above

    try:
        compile(text)
    except (JSONPathError, ArithmeticError, ValueError) as error:  # a number like 1e999
        return f"it is no JSONPath that can be used: {error}"
    except RecursionError:
        return "it is nested too deeply"
    return None


def pattern_fault(text: str) -> str | None:
    """Return the fault of a text as an ignored pattern, None if the pattern is valid."""
    from connectors import patterns  # noqa: PLC0415 - see above

    return patterns.pattern_fault(text)


GRAMMARS: Mapping[str, Callable[[str], str | None]] = {
    "css": css_fault,
    "xpath": xpath_fault,
    "jsonpath": jsonpath_fault,
    "ignore": pattern_fault,
    "exclude": exclusion_fault,
}
"""By the JSON name of a field of ``Selector``, and ``ignore``; ``exclude`` is for its XPaths."""
