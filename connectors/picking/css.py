"""A short CSS selector for an element of a page, likely to hold when the page changes.

An id, a meaningful class or a tag is sought which is unique on the page, or inside an ancestor with
such a selector. Its position counts only if there is none.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from connectors.picking.page_tree import COMMON_TAG, NamedTree, Numbers
from schemas.records.views import MAX_EXPRESSION, is_by_position

_STEP, _POSITION, _COMPOUND = 8, 60, 2
_BY_CHANCE = 15
"""For a common tag present once by chance."""
_MAX_NEAR = 30
"""Ancestors to examine for each element."""
_MAX_NAMES = 5
"""Names of an element to combine with each other."""
_MAX_ALIKE = 500
"""Elements with a name to search for others."""


class _Choice(NamedTuple):
    cost: int
    selector: str


def selector_of(page: NamedTree, number: int) -> str | None:
    """Return a selector for this element alone; None if too long.

    >>> from connectors.readers.html import parsed_html
    >>> from connectors.picking.page_tree import named_tree, page_tree
    >>> root = parsed_html("<ul id=gods><li>Zeus<li class=queen>Hera</ul><p>Argus")
    >>> page = named_tree(page_tree(root))
    >>> [selector_of(page, number) for number in (3, 4, 5, 6)]
    ['#gods', '#gods > li:nth-of-type(1)', '.queen', 'p']
    """
    best: dict[int, _Choice] = {}
    # From the root down: what an element is called may depend on its ancestors alone.
    for each in (*reversed(page.tree.ancestors(number)), number):
        best[each] = min(_choices(page, each, best))
    found = best[number].selector
    return found if len(found) <= MAX_EXPRESSION else None


def selectors_of(page: NamedTree, siblings: Sequence[int]) -> Iterator[str]:
    """Yield selectors for these siblings alone, by a shared name, the best first.

    None of them has a position.
    """
    shared = set.intersection(*(set(page.names[each]) for each in siblings))
    above = page.tree.ancestors(siblings[0])[:_MAX_NEAR]
    for name in sorted(shared, key=lambda each: (each.cost, each.selector)):
        called = page.called[name.selector.lower()]
        if list(called) == list(siblings):
            yield name.selector
        for each in above:
            if _count(called, each + 1, page.tree.ends[each]) > len(siblings):
                break  # there are as many inside those further up
            outer = selector_of(page, each)
            if outer is not None and not is_by_position(outer):
                yield f"{outer} {name.selector}"


def _choices(page: NamedTree, number: int, best: dict[int, _Choice]) -> Iterator[_Choice]:
    """Yield selectors for an element, of whose ancestors the best ones are known."""
    own = list(_compounds(page, number))
    near = page.tree.ancestors(number)[:_MAX_NEAR]
    for cost, selector, called in own:
        if len(called) == 1:
            yield _Choice(cost + (_BY_CHANCE if cost == COMMON_TAG else 0), selector)
        for above in near:
            if _count(called, above + 1, page.tree.ends[above]) > 1:
                break  # there are as many inside those further up
            outer = best[above]
            yield _Choice(outer.cost + _STEP + cost, f"{outer.selector} {selector}")
    if not near:
        yield _Choice(_POSITION, ":root")
        return
    outer = best[near[0]]
    yield _Choice(outer.cost + _STEP + _POSITION, f"{outer.selector} > {_position(page, number)}")


def _compounds(page: NamedTree, number: int) -> Iterator[tuple[int, str, Numbers]]:
    """Yield the names of an element, and two of them together, with their matches."""
    known = page.names[number]
    for each in known:
        yield each.cost, each.selector, page.called[each.selector.lower()]
    for one, other in combinations(sorted(known, key=_is_tag, reverse=True)[:_MAX_NAMES], 2):
        found = [page.called[each.selector.lower()] for each in (one, other)]
        few, many = sorted(found, key=len)
        if len(few) <= _MAX_ALIKE:
            both = [each for each in few if _count(many, each, each + 1)]
            yield one.cost + other.cost + _COMPOUND, one.selector + other.selector, both


def _is_tag(name: tuple[str, int]) -> bool:
    return name[0][0].isalpha()


def _count(numbers: Sequence[int], start: int, end: int) -> int:
    return bisect_right(numbers, end - 1) - bisect_left(numbers, start)


def _position(page: NamedTree, number: int) -> str:
    """Return a selector to tell an element from its siblings."""
    tree, tag = page.tree, page.tree.nodes[number].tag
    siblings = tree.children(tree.parents[number])
    if not (known := page.names[number]) or not _is_tag(known[-1]):
        return f":nth-child({siblings.index(number) + 1})"
    alike = [each for each in siblings if tree.nodes[each].tag == tag]
    return f"{tag}:nth-of-type({alike.index(number) + 1})"
