"""The elements of a page in their order, as the reader's parser has them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from connectors.picking.names import Name, names

Numbers = Sequence[int]
"""Numbers of elements, in order."""


@dataclass(frozen=True, slots=True)
class PageTree:
    """The elements by their numbers: 0 is the root, and others follow in the document's order.

    ``parents`` has -1 for the root; what is inside element n has the numbers from n + 1 up to,
    and without, ``ends[n]``.
    """

    nodes: Sequence[LexborNode]
    parents: Sequence[int]
    ends: Sequence[int]

    def ancestors(self, number: int) -> list[int]:
        """Return the numbers of an element's ancestors, the nearest one first."""
        found = []
        while (number := self.parents[number]) >= 0:
            found.append(number)
        return found


def page_tree(root: LexborNode) -> PageTree:
    """Number the elements of a parsed page."""
    nodes = list(root.traverse())
    numbers = {node.mem_id: number for number, node in enumerate(nodes)}
    above = (node.parent for node in nodes)
    parents = [-1 if node is None else numbers.get(node.mem_id, -1) for node in above]
    ends = list(range(1, len(nodes) + 1))
    for number in range(len(nodes) - 1, 0, -1):
        ends[parents[number]] = max(ends[parents[number]], ends[number])
    return PageTree(nodes, parents, ends)


@dataclass(frozen=True, slots=True)
class NamedTree:
    """What the elements of a page can be called, and which others are called the same."""

    tree: PageTree
    names: Sequence[Sequence[Name]]
    """Of each element."""
    called: dict[str, Numbers]
    """The elements by their names, in small letters: an old page has them without case."""


def named_tree(tree: PageTree) -> NamedTree:
    """Find the names of all elements."""
    called: defaultdict[str, list[int]] = defaultdict(list)
    named = []
    for number, node in enumerate(tree.nodes):
        found = tuple(names(node.tag or "", node.attributes))
        named.append(found)
        for each in found:
            called[each.selector.lower()].append(number)
    return NamedTree(tree, named, dict(called))
