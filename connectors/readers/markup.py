"""The text of parsed XML."""

from collections.abc import Callable, Iterator

from bs4.element import CData, NavigableString, PageElement, Tag

_TEXT = (NavigableString, CData)


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
