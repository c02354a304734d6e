"""The links of pages, for fetch stages of tests."""

from connectors.readers.links import find_links
from streams.core.fetching.due_view import DueView
from streams.core.fetching.page_links import PageLinks
from streams.fetch.examining import FetchedResponse
from streams.fetch.linking import page_links


async def linking(due: DueView, fetched: FetchedResponse) -> PageLinks:
    """Find the links as a process does."""
    return page_links(find_links, due.url, fetched)
