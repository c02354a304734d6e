"""The text of XHTML, as a person sees it."""

from collections.abc import Collection

from bs4 import Tag

from connectors.readers.layout import laid_out
from connectors.readers.markup import marked_pieces
from connectors.readers.page_text import PageText
from connectors.readers.visible import HIDDEN, MARKS, PAGE, UNSEEN, UNSEEN_HERE

_UNSEEN = ", ".join((*sorted(UNSEEN), UNSEEN_HERE))
_NONE = ("", "")


def xhtml_text(root: Tag) -> PageText:
    """Read the visible text of a page of XHTML, one line per block."""
    return laid_out(marked_xhtml(root)).with_title(xhtml_title(root))


def xhtml_title(root: Tag) -> str:
    """Return the title of a page of XHTML, empty if it has none."""
    title = root.select_one("head > title")
    return title.get_text() if title else ""


def marked_xhtml(root: Tag, excluded: Collection[int] = ()) -> str:
    """Read the visible text of an element of XHTML, with marks where elements begin and end.

    ``excluded`` are the identities of elements that are left out.
    """
    unseen = {id(tag) for tag in root.select(_UNSEEN)}

    def is_unseen(tag: Tag) -> bool:
        if id(tag) in excluded:
            return True
        hides = id(tag) in unseen or HIDDEN.search(str(tag.get("style", "")))
        return bool(hides) and tag.name not in PAGE

    return "".join(marked_pieces(root, _marks, is_unseen))


def _marks(tag: Tag) -> tuple[str, str]:
    return MARKS.get(tag.name.rpartition(":")[2], _NONE)
