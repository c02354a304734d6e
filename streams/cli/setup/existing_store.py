"""Commands on a store create none."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Protocol, TypeVar

from connectors.stores.errors import StoreRefused
from connectors.stores.opening import Store, open_store
from connectors.stores.pages import ListingPage
from schemas.records.urls import canonical
from streams.cli.discovery import with_running
from streams.settings import Settings
from streams.values.ids import ID_BEGINNING


class CursorPage(Protocol):
    """A page of a listing, with the cursor of the next page."""

    @property
    def next(self) -> str | None:
        """The cursor, None after the last page."""


PAGE = 1000
"""Rows that are read at a time."""
ID_LENGTH = 32
"""Characters of an id."""

AnyPage = TypeVar("AnyPage", bound=CursorPage)
Item = TypeVar("Item")


@asynccontextmanager
async def existing_store(settings: Settings) -> AsyncIterator[Store]:
    """Open the store of the running deployment, or of the settings, and close it at the end.

    Raises StoreRefused or StoreUnavailable. A missing SQLite file is refused, because opening
    would create the file.
    """
    settings = with_running(settings)
    path = settings.store_file
    if path is not None and not path.is_file():
        raise StoreRefused(
            f"Refused: there is no store at {path}. Start 'vokter up', or name the data folder "
            "of a deployment with --data-dir, or its store with VOKTER_STORE."
        )
    store = await open_store(settings.store_url, bodies=settings.bodies)
    try:
        yield store
    finally:
        await store.close()


async def listing_pages(
    read: Callable[[str | None], Awaitable[AnyPage | None]],
) -> AsyncIterator[AnyPage]:
    """Yield each page of a listing; ``read`` is called with the cursor, None for the first."""
    after: str | None = None
    while (page := await read(after)) is not None:
        yield page
        if (after := page.next) is None:
            return


async def first_items(
    read: Callable[[str | None], Awaitable[ListingPage[Item]]], limit: int
) -> list[Item]:
    """Return the first items of a listing, of as many pages as needed."""
    items: list[Item] = []
    async for page in listing_pages(read):
        items += page.items
        if len(items) >= limit:
            break
    return items[:limit]


async def full_id(store: Store, manager: str, beginning: str) -> str:
    """Return the id of a manager's subscription with this beginning.

    Raises LookupError if there is none, or several.
    """
    if len(beginning) == ID_LENGTH:
        return beginning.lower()
    read = partial(store.subscriptions.page, manager, limit=PAGE)
    every = [each async for page in listing_pages(read) for each in page.items]
    return the_id([each.subscription.id for each in every], manager, beginning)


async def page_and_id(
    store: Store, manager: str, page: str, subscription: str | None
) -> tuple[str, str | None]:
    """Return the canonical URL of a page and the id of the subscription with the view.

    ``page`` is a URL, or the beginning of an id; ``subscription`` is one, too. Raises LookupError.
    """
    url = None if ID_BEGINNING.fullmatch(page) else canonical(page) or page
    named = subscription if url else page
    found = None if named is None else await full_id(store, manager, named)
    if url is None:
        assert found is not None, "an id has been given"
        listed = await store.subscriptions.get(manager, found)
        if listed is None:
            raise LookupError(_no_subscription(found, manager))
        url = listed.subscription.url
    return url, found


def _no_subscription(beginning: str, manager: str) -> str:
    return f"There is no subscription {beginning} of {manager}; vokter list --json has ids"


def the_id(ids: Iterable[str], manager: str, beginning: str) -> str:
    """Return the only id with this beginning; raises LookupError.

    >>> the_id(["35ae0db7", "3f1b8f6f"], "default", "35ae")
    '35ae0db7'
    """
    found = [each for each in ids if each.startswith(beginning.lower())] if beginning else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise LookupError(_no_subscription(beginning, manager))
    raise LookupError(f"{len(found)} subscriptions of {manager} begin with {beginning}; use more")
