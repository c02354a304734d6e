"""The text of a document in each of many views."""

from collections.abc import Callable, Sequence

from connectors.readers.errors import Unreadable
from connectors.readers.page_text import PageText
from schemas.records.views import View


def page_in_each(
    views: Sequence[View], page: Callable[[View], PageText]
) -> list[PageText | Unreadable]:
    """Read a document in each view, or say why a view fails.

    >>> page_in_each([View()], lambda view: PageText("Zeus"))[0].text
    'Zeus'
    """
    found: list[PageText | Unreadable] = []
    for view in views:
        try:
            found.append(page(view))
        except Unreadable as error:
            found.append(error)
    return found
