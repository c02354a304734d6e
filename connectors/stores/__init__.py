"""Where Vokter keeps its snapshots and its read side."""

from contextlib import AsyncExitStack
from pathlib import Path

from connectors.stores.base import Store, StoreRefused
from connectors.stores.sqlite.store import SqliteStore

__all__ = ["Store", "open_store", "open_target"]


async def open_store(url: str, former: int = 0) -> Store:
    """Open the store that ``url`` names: ``sqlite:PATH`` or ``mongodb://HOST/DATABASE``.

    Of each document ``former`` snapshots are kept when they are replaced.

    Raises StoreRefused for another URL, for a store that is not to be used from this
    machine and for one that holds half of another, StoreUnavailable for one that does
    not answer.
    """
    async with AsyncExitStack() as stack:
        store = await open_target(url, former)
        stack.push_async_callback(store.close)
        if await store.noted_copy() is not None:
            raise StoreRefused(
                f"Refused: a copy into {store.place} is not complete. Go on with it "
                "('vokter store copy' with the same two stores), or delete what was copied."
            )
        stack.pop_all()
    return store


async def open_target(url: str, former: int = 0) -> Store:
    """Open a store to copy into: as ``open_store``, also where a copy is not complete."""
    scheme, _, place = url.partition(":")
    if scheme in {"mongodb", "mongodb+srv"}:
        from connectors.stores.mongo.store import MongoStore  # noqa: PLC0415  # 0.2 s to import

        return await MongoStore.open(url, former)
    if scheme == "sqlite" and place:
        return SqliteStore.open(Path(place), former=former)
    shown = f"{scheme}:…" if "@" in url else url  # it may hold a password
    raise StoreRefused(
        f"Refused: VOKTER_STORE names no store: it is {shown!r}, "
        "expected sqlite:PATH or mongodb://HOST/DATABASE"
    )
