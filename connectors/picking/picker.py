"""What a process makes of a page that people pick a part of."""

from collections.abc import Iterable
from hashlib import sha256

from selectolax.lexbor import SelectolaxError

from connectors.picking.css import selector_of
from connectors.picking.page_tree import PageTree, named_tree, page_tree
from connectors.picking.quoting import quote_of
from connectors.picking.safe_html import safe_copy
from connectors.readers.errors import Unreadable
from connectors.readers.html import parsed_html
from connectors.readers.reading import html_of
from schemas.records.previews import NO_COPY, CopiedPage, PickedPart
from schemas.records.views import Selector

MAX_FOUND = 200
"""Elements of which it is said that a selector finds them."""


def copied_page(
    body: bytes, header: str | None, known: str, selectors: Iterable[Selector]
) -> CopiedPage:
    """Return a copy of a page, unless it is ``known``, with what CSS selectors find in it.

    ``header`` is the response's Content-Type. What is no HTML has no copy.
    """
    parsed = _parsed(body, header)
    if parsed is None:
        return NO_COPY
    copy_id = sha256(body).hexdigest()[:16]
    copy = None if copy_id == known else safe_copy(parsed[1])
    return CopiedPage(copy_id, copy, _found(parsed[1], selectors))


def picked_part(body: bytes, header: str | None, number: int) -> PickedPart | None:
    """Return selectors for an element by its number in the copy, None if there is no such one."""
    parsed = _parsed(body, header)
    if parsed is None or not 0 <= number < len(parsed[1].nodes):
        return None
    css, quote = selector_of(named_tree(parsed[1]), number), quote_of(parsed[0], number)
    return PickedPart(
        css=None if css is None else Selector(css=css),
        quote=None if quote is None else Selector(quote=quote),
    )


def _found(tree: PageTree, selectors: Iterable[Selector]) -> tuple[int, ...]:
    numbers = {node.mem_id: number for number, node in enumerate(tree.nodes)}
    found: set[int] = set()
    for selector in selectors:
        try:
            found.update(numbers[node.mem_id] for node in tree.nodes[0].css(selector.css or ""))
        except (SelectolaxError, UnicodeEncodeError):  # the reader says why
            continue
    return tuple(sorted(found)[:MAX_FOUND])


def _parsed(body: bytes, header: str | None) -> tuple[str, PageTree] | None:
    try:
        markup = html_of(body, header)
    except Unreadable:  # the reader says why
        return None
    root = parsed_html(markup) if markup else None
    return None if markup is None or root is None else (markup, page_tree(root))
