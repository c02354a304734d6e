"""The text of XHTML, as a person sees it."""

from bs4 import Tag

from connectors.readers.markup import pieces
from connectors.readers.visible import BLOCKS, HIDDEN, PAGE, UNSEEN, UNSEEN_HERE, lines

_UNSEEN = ", ".join((*sorted(UNSEEN), UNSEEN_HERE))


def xhtml_text(root: Tag) -> str:
    """Read the visible text of an element of XHTML, one line per block."""
    unseen = {id(tag) for tag in root.select(_UNSEEN)}

    def is_unseen(tag: Tag) -> bool:
        hides = id(tag) in unseen or HIDDEN.search(str(tag.get("style", "")))
        return bool(hides) and tag.name not in PAGE

    return lines("".join(pieces(root, _is_block, is_unseen)))


def _is_block(tag: Tag) -> bool:
    return tag.name.rpartition(":")[2] in BLOCKS
