"""The links of pages, for fetch agents of tests."""

from connectors.readers.links import find_links
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.page_links import PageLinks, page_links


async def linking(due: DueView, fetched: FetchedPage) -> PageLinks:
    """Find the links as a process does."""
    return page_links(find_links, due.url, fetched)
