"""The text of HTML, as a person sees it."""

import re

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from connectors.readers.charsets import decode
from connectors.readers.visible import BLOCKS, BREAK, HIDDEN, PAGE, UNSEEN, UNSEEN_HERE, lines

_META = re.compile(rb"<meta[^>]+?charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
_PRESCAN = 1024


def read_html(body: bytes, charset: str | None) -> str:
    """Read the visible text, one line per block; ``charset`` is the header's.

    The title belongs to it. Blocks separate words, inline elements do not.
    """
    meta = _META.search(body, 0, _PRESCAN)
    return text_of(decode(body, charset, meta[1].decode("ascii", "replace") if meta else None))


def text_of(markup: str) -> str:
    """Read the visible text of HTML, or of a piece of it.

    Example:
        >>> text_of("<h1>Zeus</h1><p hidden>Hera</p><p>Father of <b>gods</b></p>").splitlines()
        ['Zeus', 'Father of gods']
    """
    root = LexborHTMLParser(markup, options=LexborDocumentOptions.WO_EVENTS).root
    if root is None:
        return ""
    unseen = []
    hidden = _hidden(root)
    for node in list(root.traverse()):
        tag = node.tag
        if tag in UNSEEN or (hidden and node.mem_id in hidden):
            unseen.append(node)
        elif tag in BLOCKS:
            node.insert_before(BREAK)
            node.insert_after(BREAK)
    for node in reversed(unseen):  # an element inside another one before that one
        node.decompose()
    return lines(root.text())


def _hidden(root: LexborNode) -> set[int]:
    """Find the identities of elements that are not shown, though others of their name are."""
    styled = root.css("[style]")
    found = [node for node in styled if HIDDEN.search(node.attributes.get("style") or "")]
    return {node.mem_id for node in root.css(UNSEEN_HERE) + found if node.tag not in PAGE}
