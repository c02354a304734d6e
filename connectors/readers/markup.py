"""The text of parsed XML."""

from collections.abc import Callable, Iterator

from bs4.element import CData, NavigableString, PageElement, Tag

from connectors.readers.visible import BREAK

_TEXT = (NavigableString, CData)


def pieces(
    root: Tag, is_block: Callable[[Tag], bool], is_unseen: Callable[[Tag], bool]
) -> Iterator[str]:
    """Collect all text in document order, with a BREAK before and after each block.

    Comments and processing instructions are no text. A loop, not a recursion: elements may
    be nested to any depth.
    """
    left: list[PageElement | str] = [root]
    while left:
        node = left.pop()
        if isinstance(node, Tag):
            if not is_unseen(node):
                edge = BREAK if is_block(node) else ""
                left += (edge, *reversed(node.contents), edge)
        elif type(node) in (str, *_TEXT):
            yield str(node)
