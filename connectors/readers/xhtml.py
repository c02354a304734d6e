"""The text of parsed XML, and the visible text of XHTML."""

from collections.abc import Callable, Collection, Iterator

from bs4.element import CData, Comment, NavigableString, PageElement, Tag

from connectors.readers.inline import HEADINGS, INLINE, are_apart
from connectors.readers.layout import laid_out
from connectors.readers.page_text import PageText
from connectors.readers.visible import HIDDEN, MARKS, PAGE, UNSEEN, UNSEEN_HERE

_UNSEEN = ", ".join((*sorted(UNSEEN), UNSEEN_HERE))
_NONE, _APART = ("", ""), (" ", "")
_TEXT = (NavigableString, CData)


def xhtml_text(root: Tag) -> PageText:
    """Read the visible text of a page of XHTML, a line per block."""
    return laid_out(marked_xhtml(root)).with_title(xhtml_title(root))


def xhtml_title(root: Tag) -> str:
    """Return the title of a page of XHTML, empty if there is none."""
    title = root.select_one("head > title")
    return title.get_text() if title else ""


def marked_xhtml(root: Tag, unseen: Collection[int] | None = None) -> str:
    """Read the visible text of an element of XHTML, with marks where elements begin and end.

    ``unseen`` are the identities of elements to leave out; None: the hidden elements.
    """
    left_out = hidden_xhtml(root) if unseen is None else unseen

    def marks(tag: Tag) -> tuple[str, str]:
        name = _local(tag)
        if name in INLINE:
            return _APART if _is_apart(tag) else _NONE
        return MARKS.get(name, _NONE)

    return "".join(marked_pieces(root, marks, lambda tag: id(tag) in left_out))


def _is_apart(tag: Tag) -> bool:
    """Return whether an inline element is a word apart from the element before."""
    before = tag.previous_sibling
    while isinstance(before, Comment):
        before = before.previous_sibling
    if not isinstance(before, Tag) or _local(before) not in INLINE:
        return False
    names = _local(before), _local(tag)
    if names == ("a", "a"):
        return True
    texts = before.get_text(), tag.get_text()
    return are_apart(names, texts, lambda: _have_style(before, tag))


def _have_style(one: Tag, other: Tag) -> bool:
    kinds = one.get("class"), other.get("class")
    is_in_heading = any(_local(each) in HEADINGS for each in other.parents)
    return (all(kinds) and kinds[0] != kinds[1]) or is_in_heading


def _local(tag: Tag) -> str:
    return tag.name.rpartition(":")[2]


def hidden_xhtml(root: Tag) -> set[int]:
    """Return the identities of the hidden elements of a page."""
    styled = (tag for tag in root.find_all(style=True) if HIDDEN.search(str(tag["style"])))
    return {id(tag) for tag in (*root.select(_UNSEEN), *styled) if tag.name not in PAGE}


def marked_pieces(
    root: Tag, marks: Callable[[Tag], tuple[str, str]], is_unseen: Callable[[Tag], bool]
) -> Iterator[str]:
    """Collect all text in document order, with the ``marks`` before and after each element.

    Comments and processing instructions are no text. A loop, not a recursion: elements may
    be nested to any depth.
    """
    left: list[PageElement | str] = [root]
    while left:
        node = left.pop()
        if isinstance(node, Tag):
            if not is_unseen(node):
                before, after = marks(node)
                left += (after, *reversed(node.contents), before)
        elif type(node) in (str, *_TEXT):
            yield str(node)
