"""Commands that read a store create none."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from connectors.stores.errors import StoreRefused
from connectors.stores.opening import Store, open_store
from streams.settings import Settings


@asynccontextmanager
async def existing_store(settings: Settings) -> AsyncIterator[Store]:
    """Open the store and close it at the end; raises StoreRefused or StoreUnavailable."""
    check_store_exists(settings)
    store = await open_store(settings.store_url)
    try:
        yield store
    finally:
        await store.close()


def check_store_exists(settings: Settings) -> None:
    """Refuse an SQLite file that does not exist, because opening would create it.

    Raises StoreRefused.
    """
    scheme, _, path = settings.store_url.partition(":")
    if scheme == "sqlite" and not Path(path).expanduser().is_file():
        raise StoreRefused(
            f"Refused: there is no store at {path}. Start 'vokter up', or name the data folder "
            "of a deployment with --data-dir, or its store with VOKTER_STORE."
        )
