"""Whether the text of a selector can be used, by its language.

The libraries are imported for the first view that has selectors: most workers never need them.
"""

from collections.abc import Callable, Mapping


def css_fault(text: str) -> str | None:
    """Return why a text is no CSS selector, None if it is one.

    >>> css_fault("#price > b") is None
    True
    """
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError  # noqa: PLC0415 - see above

    try:
        LexborHTMLParser("").css(text)
    except SelectolaxError:
        return f"{text!r} is no CSS selector that can be used"
    return None


GRAMMARS: Mapping[str, Callable[[str], str | None]] = {"css": css_fault}
"""By the JSON name of a field of ``Selector``."""
