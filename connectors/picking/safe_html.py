"""An inert copy of a page's HTML: the reader's text, to be shown to people.

The copy is written from the parsed page, element by element, with names and attributes of ours
alone. nh3 then removes what does not belong there, whatever a page makes of the writing.
"""

from html import escape

import nh3
from selectolax.lexbor import LexborNode

from connectors.picking.page_tree import PageTree
from connectors.readers.html import hidden_elements
from connectors.readers.visible import MARKS, TEXTLESS
from schemas.records.previews import PageCopy

MAX_ELEMENTS = 8_000
MAX_CHARACTERS = 300_000
"""Of the text, without names of elements."""
MAX_DEPTH = 100
"""Elements within each other; deeper elements stand in the last of them."""
MAX_ALT = 200
_NAMES = (
    "abbr address article aside b blockquote caption cite code col colgroup dd del dfn div dl dt "
    "em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q "
    "s samp section small span strong sub sup table tbody td tfoot th thead time tr u ul "
    "var"
)
_KEPT = frozenset(_NAMES.split())
_CLASSES = {"a": "link", "button": "button", "img": "image", "summary": "summary"}
_SPANS = ("colspan", "rowspan")
_INLINE = {"img", "svg", "button", "select", "option", "textarea"}
_VOID = ("hr", "col", "img", "input", "br", "wbr")
_CELLS = ("td", "th")
_DIRECTIONS = ("ltr", "rtl", "auto")
_CLEANER = nh3.Cleaner(
    tags={*_KEPT, "br"},
    attributes={"*": {"data-n", "dir"}, "td": set(_SPANS), "th": set(_SPANS)},
    allowed_classes={"span": set(_CLASSES.values()), "div": set(_CLASSES.values())},
    url_schemes=set(),
    link_rel=None,
)


class _Full(Exception):
    """The copy has reached its limit."""


def safe_copy(tree: PageTree) -> PageCopy:
    """Return a page's body as HTML without loads and scripts.

    Each element has its number as ``data-n``. Images are shown by their texts; fields, frames,
    styles, addresses and hidden elements are left out.

    >>> from connectors.picking.page_tree import page_tree
    >>> from connectors.readers.html import parsed_html
    >>> safe_copy(page_tree(parsed_html("<p onclick=f()>Argus <a href=/x>sleeps</a><script>"))).html
    '<div data-n="2"><p data-n="3">Argus <span class="link" data-n="4">sleeps</span></p></div>'
    """
    writing = _Writing(tree)
    try:
        writing.write_page()
    except _Full:
        return PageCopy(_CLEANER.clean("".join(writing.pieces)), is_cut=True)
    return PageCopy(_CLEANER.clean("".join(writing.pieces)), is_cut=False)


class _Writing:
    def __init__(self, tree: PageTree) -> None:
        self.pieces: list[str] = []
        self._numbers = {node.mem_id: number for number, node in enumerate(tree.nodes)}
        self._root = tree.nodes[0]
        self._hidden = hidden_elements(self._root)
        self._elements = self._characters = 0

    def write_page(self) -> None:
        # A loop, not a recursion: elements may be nested to any depth.
        left: list[LexborNode | str] = [self._root.css_first("body") or self._root]
        depth = 0
        while left:
            node = left.pop()
            if isinstance(node, str):
                self.pieces.append(node)
                depth -= 1
            elif node.is_text_node:
                text = node.text_content or ""
                self._characters += len(text)
                room = MAX_CHARACTERS - self._characters
                self.pieces.append(escape(text if room >= 0 else text[:room]))
                if room < 0:
                    raise _Full
            elif (
                node.is_element_node
                and node.tag not in {*TEXTLESS, "head", "input"}
                and node.mem_id not in self._hidden
            ):
                if depth < MAX_DEPTH:
                    left.append(self._opened(node))
                    depth += 1
                left += reversed(list(node.iter(include_text=True)))

    def _opened(self, node: LexborNode) -> str:
        """Write the begin of an element, and return its end."""
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise _Full
        tag = node.tag or ""
        is_block = tag in MARKS and tag not in _INLINE
        name = tag if tag in _KEPT or tag == "br" else "div" if is_block else "span"
        kind = f' class="{_CLASSES[tag]}"' if tag in _CLASSES else ""
        number = f' data-n="{self._numbers[node.mem_id]}"'
        outer = self._root if tag == "body" else node
        direction = (node.attributes.get("dir") or outer.attributes.get("dir") or "").lower()
        way = f' dir="{direction}"' if direction in _DIRECTIONS else ""
        cell = ""
        for span in _SPANS if tag in _CELLS else ():
            value = node.attributes.get(span) or ""
            if value.isascii() and value.isdecimal():
                cell += f' {span}="{min(int(value[:4]), 1000)}"'
        self.pieces.append(f"<{name}{kind}{number}{way}{cell}>")
        if tag == "img":
            self.pieces.append(escape((node.attributes.get("alt") or "")[:MAX_ALT]))
        return "" if name in _VOID else f"</{name}>"
