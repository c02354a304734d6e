"""Errors of readers."""

from schemas.codec.json_values import nested_json
from schemas.records.answers import ViewMissing
from schemas.records.views import Selector, View, is_of_product


class Unreadable(Exception):
    """A document cannot be read as text; the message says why.

    Example:
        >>> raise Unreadable("the PDF is encrypted")
        Traceback (most recent call last):
        connectors.readers.errors.Unreadable: the PDF is encrypted
    """


class NothingSelected(Unreadable, ViewMissing):
    """A page in which the selectors of a view find nothing."""


def nothing_selected() -> NothingSelected:
    """Return the error for a page in which the selectors of a view find nothing."""
    return NothingSelected("nothing on the page matches view.select")


def nothing_like_a_quote(confidence: float, least: float) -> NothingSelected:
    """Return the error for a page in which too little of the nearest passage is as in a quote."""
    return NothingSelected(
        "nothing on the page matches view.select; "
        f"the nearest passage is only {confidence:.0%} like the quote ({least:.0%} are needed)"
    )


def nothing_shown() -> NothingSelected:
    """Return the error for selectors with hidden matches only."""
    return NothingSelected(
        "view.select finds only elements without visible text; use XPath with text() or @attribute"
    )


def no_price() -> NothingSelected:
    """Return the error for a page without a price for programs."""
    return NothingSelected(
        "the page states no price for programs (JSON-LD, microdata, Open Graph); "
        "set view.select to where it shows the price"
    )


def no_stock() -> NothingSelected:
    """Return the error for a text without a stock."""
    return NothingSelected(
        "nothing says whether it is in stock (view.stock); "
        "set view.select to where the page says it"
    )


def no_element(selector: Selector) -> Unreadable:
    """Return the error for an exclusion by XPath of a text instead of an element."""
    return Unreadable(
        f"view.exclude: the XPath {selector.xpath!r} finds a text or a number; "
        "select the element, without text() or @…"
    )


def unfit_view(view: View, content: str) -> Unreadable | None:
    """Return the error for an HTML option of a view in other content, None without such options."""
    fields = {"main": view.main, "attributes": bool(view.attributes), "as: rows": view.rows}
    asked = next((name for name, is_asked in fields.items() if is_asked), None)
    if is_of_product(view):
        return Unreadable(f"{content} states no price for programs: set view.number.from to text")
    if view.stock:
        return Unreadable(f"{content} states no stock for programs: set view.select")
    return None if asked is None else Unreadable(f"view.{asked} finds nothing in {content}")


def wrong_language(selector: Selector, content: str) -> Unreadable:
    """Return the error for a selector in a language unfit for the content."""
    (language,) = nested_json(selector)
    return Unreadable(f"a selector of the kind {language} finds nothing in {content}")
