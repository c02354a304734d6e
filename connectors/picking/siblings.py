"""An item among equal siblings on a page, such as an item of a list, and a selector for them all.

An item watched by its position would be another item after the next addition.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from connectors.picking.css import selector_of, selectors_of
from connectors.picking.page_tree import ITEM_NAMES, NamedTree, is_state
from schemas.records.views import MAX_EXPRESSION, is_by_position

_NO_ITEMS = (
    "b", "br", "dd", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "p", "script",
    "small", "span", "strong", "style", "td", "template", "th", "thead", "tfoot", "tbody",
)  # fmt: skip
"""Elements repeated in any text; the cells of a row are no list, the rows are."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Siblings:
    """The equal siblings of an item, and its place among them; a ``selector`` for them all."""

    item: int
    nth: int
    count: int
    selector: str


def siblings_of(page: NamedTree, number: int) -> Siblings | None:
    """Return the equal siblings of an element, or of the nearest surrounding element with some.

    None if there are none, or if no selector without a position finds them.

    >>> from connectors.readers.html import parsed_html
    >>> from connectors.picking.page_tree import named_tree, page_tree
    >>> root = parsed_html("<h1>Jobs</h1><ul class=jobs><li>Cook<li>Baker <b>Zug</b><li>Smith</ul>")
    >>> siblings_of(named_tree(page_tree(root)), 7)
    Siblings(item=6, nth=2, count=3, selector='.jobs')
    """
    tree = page.tree
    first: tuple[int, int, int] | None = None
    for each in (number, *tree.ancestors(number)):
        if tree.parents[each] < 0 or tree.nodes[each].tag in _NO_ITEMS:
            continue
        kind, others = _kind(page, each), tree.children(tree.parents[each])
        alike = [other for other in others if _kind(page, other) == kind]
        if len(alike) < 2:
            continue
        first = first or (each, alike.index(each) + 1, len(alike))
        selector = next(_common_selectors(page, alike), None)
        if selector is not None:
            return Siblings(*first, selector)
    return None


def has_own_name(page: NamedTree, number: int, item: int, css: str) -> bool:
    """Return whether a selector for an element names something in its item other than a count.

    A tag present once by chance is no name: the next item may have the tag, too.
    """
    inside = [number, *page.tree.ancestors(number)]
    inside = inside[: inside.index(item) + 1]
    names = (each.selector for one in inside for each in page.names[one])
    return not _DIGITS.search(css) and any(not name[0].isalpha() and name in css for name in names)


def _kind(page: NamedTree, number: int) -> tuple[str | None, ...]:
    """Return the features common to equal siblings: counting ids are the same."""
    node = page.tree.nodes[number]
    values = node.attributes
    classes = (each for each in (values.get("class") or "").split() if not is_state(each))
    named = (_DIGITS.sub("0", values.get(name) or "") for name in ITEM_NAMES)
    return (node.tag, " ".join(sorted(classes)), *named)


def _common_selectors(page: NamedTree, alike: Sequence[int]) -> Iterator[str]:
    """Yield selectors without a position for all of them: of their own parent, or by a name.

    Other content of the parent is read with them if they have no name of their own.
    """
    parent = page.tree.parents[alike[0]]
    holder = selector_of(page, parent)
    is_free = holder is not None and not is_by_position(holder)
    if is_free and len(alike) == len(page.tree.children(parent)):
        yield str(holder)
    yield from (each for each in selectors_of(page, alike) if len(each) <= MAX_EXPRESSION)
    if is_free:
        yield str(holder)
