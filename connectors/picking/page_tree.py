"""The elements of a page in their order, as the parser of the reader has them, and their names."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from selectolax.lexbor import LexborNode

Numbers = Sequence[int]
"""Numbers of elements, in order."""

_PLAIN = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]{0,59}")
"""Identifiers of CSS without escapes."""
_VALUE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ .:/-]{0,39}")
_TAG = re.compile(r"[a-z][a-z0-9-]*")
_ATTRIBUTES = ("itemprop", "data-testid", "data-test", "data-qa", "data-id", "name", "role")
"""Attributes about the meaning of an element, rather than its look."""
ITEM_NAMES = ("id", *_ATTRIBUTES)
"""Those by which an item differs from its siblings."""
_ALONE = frozenset(["h1", "main", "title"])
"""Elements present once in a page."""
_NAMING = frozenset(["article", "aside", "footer", "form", "header", "nav", "table", "time"])
"""Elements of which a page has few."""
_STATE = re.compile(
    r"(is|has|js|ng|no)-.*|active|current|selected|open|opened|closed|hidden|visible|show|shown|"
    r"hover|focus|visited|loaded|loading|lazy\w*|disabled|enabled|collapsed?|expanded|first|last|"
    r"odd|even|clearfix|sticky|animated?",
    re.IGNORECASE,
)
"""Classes of passing states."""
_LAYOUT = re.compile(
    r"[mp][trblxyse]?-.*|(w|h|text|bg|flex|grid|gap|col|cols|row|items|justify|font|border|"
    r"rounded|shadow|leading|tracking|z|top|left|right|bottom|order|min|max|space|opacity|"
    r"overflow|inline|block|absolute|relative|static|fixed|container|wrapper|inner|outer|"
    r"content-box|pull|float|align|d|fs|fw|u|small|large|sm|md|lg|xl)(-.*)?",
    re.IGNORECASE,
)
"""Classes about the look of an element."""
_GENERATED = re.compile(
    r"(css|sc|jsx|jss|emotion|svelte|styled|chakra|mui|tw)-.*|_ng.*|v-[0-9a-f]+"
)
_VOWELS = frozenset("aeiouyAEIOUY")
_MAX_CLASSES = 8


COMMON_TAG = 7
"""The cost of a tag which a page may have many times."""


class Name(NamedTuple):
    """A simple selector; ``cost`` is higher for a long or a short-lived name."""

    selector: str
    cost: int


@dataclass(frozen=True, slots=True)
class PageTree:
    """The elements by their numbers: 0 is the root, and others follow in the document's order.

    ``parents`` has -1 for the root; the elements inside element n have the numbers from n + 1 up
    to, and without, ``ends[n]``.
    """

    nodes: Sequence[LexborNode]
    parents: Sequence[int]
    ends: Sequence[int]

    def ancestors(self, number: int) -> list[int]:
        """Return the numbers of an element's ancestors, the nearest first."""
        found = []
        while (number := self.parents[number]) >= 0:
            found.append(number)
        return found

    def children(self, number: int) -> list[int]:
        """Return the numbers of the elements right in an element."""
        found, each = [], number + 1
        while each < self.ends[number]:
            found.append(each)
            each = self.ends[each]
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
    """Possible names of the elements of a page, and the other elements with the same names."""

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


def names(tag: str, attributes: Mapping[str, str | None]) -> Iterator[Name]:
    """Yield the names of an element: by its id, attributes, classes and tag.

    >>> [name.selector for name in names("p", {"id": "price", "class": "css-1x2y3z big"})]
    ['#price', '.big', 'p']
    """
    identity = attributes.get("id") or ""
    if _PLAIN.fullmatch(identity) and not is_generated(identity):
        yield Name(f"#{identity}", 14 if re.search(r"\d{3}", identity) else 1)
    for each in _ATTRIBUTES:
        value = attributes.get(each) or ""
        if _VALUE.fullmatch(value) and not is_generated(value):
            yield Name(f'[{each}="{value}"]', 3)
    for each in dict.fromkeys((attributes.get("class") or "").split()[:_MAX_CLASSES]):
        if _PLAIN.fullmatch(each) and not is_generated(each) and not is_state(each):
            yield Name(f".{each}", 12 if _LAYOUT.fullmatch(each) else 4)
    if _TAG.fullmatch(tag):
        cost = 2 if tag in _ALONE else 5 if tag in _NAMING or "-" in tag else COMMON_TAG
        # What is inside these two may be anywhere.
        yield Name(tag, 30 if tag in {"html", "body"} else cost)


def is_state(name: str) -> bool:
    """Return whether a class is a passing state, such as ``active``."""
    return bool(_STATE.fullmatch(name))


def is_generated(name: str) -> bool:
    """Return whether a name seems generated by a tool, and so may change.

    >>> [is_generated(each) for each in ("price", "productPrice", "css-1ab2c", "kXyZq", "h2")]
    [False, False, True, True, False]
    """
    return bool(_GENERATED.fullmatch(name)) or any(map(_is_random, re.split(r"[-_:. /]+", name)))


def _is_random(word: str) -> bool:
    letters = sum(each.isalpha() for each in word)
    if len(word) < 5 or not letters:
        return False
    inner = word.rstrip("0123456789")
    if any(each.isdigit() for each in inner) or len(word) - len(inner) > 4:
        return True
    turns = sum(a.isupper() != b.isupper() for a, b in pairwise(inner))
    return turns > 0.4 * len(inner) or not _VOWELS.intersection(inner)
