"""Reads the picture that ``vokter picture`` saves."""

from dataclasses import dataclass

from connectors.stores.opening import Store, open_store
from schemas.records.urls import canonical
from streams.cli.setup.existing_store import check_store_exists
from streams.settings import Settings


@dataclass(frozen=True, slots=True)
class PictureAsked:
    """The picture of a page that a manager asks for: the newest, or the one before it.

    The view is that of a ``subscription`` (its id), else of the manager's oldest.
    """

    manager: str
    url: str
    subscription: str | None
    earlier: bool


async def read_picture(settings: Settings, asked: PictureAsked) -> bytes:
    """Read a picture from the store; raises LookupError, StoreRefused or StoreUnavailable."""
    check_store_exists(settings)
    store = await open_store(settings.store_url)
    try:
        picture = await _picture(store, asked)
    finally:
        await store.close()
    if picture is None:
        which = "before the last change of " if asked.earlier else "of "
        raise LookupError(
            f"There is no picture {which}{asked.url}. Pictures are taken of subscriptions with "
            "view.render and view.screenshot."
        )
    return picture


async def _picture(store: Store, asked: PictureAsked) -> bytes | None:
    of, at = (asked.manager, canonical(asked.url) or asked.url), None
    if asked.earlier:
        page = await store.texts.snapshots(*of, None, 2, asked.subscription)
        if page is None or len(page.items) < 2:
            return None
        at = page.items[1].at
    return await store.texts.picture(*of, at, asked.subscription)
