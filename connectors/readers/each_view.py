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
    return [_page_or_reason(view, page) for view in views]


def _page_or_reason(view: View, page: Callable[[View], PageText]) -> PageText | Unreadable:
    try:
        return page(view)
    except Unreadable as error:
        return error
