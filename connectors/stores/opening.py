"""Open the store of a URL."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from connectors.stores.errors import StoreRefused
from connectors.stores.objects import Objects
from connectors.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from connectors.stores.mongo.store import MongoStore

Store: TypeAlias = "SqliteStore | MongoStore"
"""A store to open and close; other callers name the part they need."""


async def open_store(url: str, history: int = 0, bodies: str | None = None) -> Store:
    """Open the store at ``url``: ``sqlite:PATH`` or ``mongodb://HOST/DATABASE``.

    The store keeps ``history`` older snapshots of each document, and its bodies and pictures in the
    object store ``bodies`` if given.

    Raises StoreRefused for any other URL, for a store of another machine, and for half a copy;
    StoreUnavailable if the store does not answer.

    Example:
        >>> store = await open_store("sqlite:/var/lib/vokter/store.db")  # doctest: +SKIP
        >>> await store.snapshots.document("https://example.org/")  # doctest: +SKIP
        >>> await store.close()  # doctest: +SKIP
    """
    async with AsyncExitStack() as stack:
        store = await open_copy_target(url, history, bodies)
        stack.push_async_callback(store.close)
        if await store.rows.noted_copy() is not None:
            raise StoreRefused(
                f"Refused: a copy into {store.location} is not complete. Continue it "
                "('vokter store copy' with the same two stores), or delete what was copied."
            )
        stack.pop_all()
    return store


async def open_copy_target(url: str, history: int = 0, bodies: str | None = None) -> Store:
    """Open a store to copy into: as ``open_store``, even while a copy is not complete."""
    scheme, _, path = url.partition(":")
    objects = Objects.open(bodies)
    if scheme in {"mongodb", "mongodb+srv"}:
        from connectors.stores.mongo.store import MongoStore  # noqa: PLC0415  # 0.2 s to import

        return await MongoStore.open(url, history, objects)
    if scheme == "sqlite" and path:
        return SqliteStore.open(Path(path), history=history, objects=objects)
    shown = f"{scheme}:…" if "@" in url else url  # it may contain a password
    raise StoreRefused(
        f"Refused: VOKTER_STORE names no store: it is {shown!r}, "
        "expected sqlite:PATH or mongodb://HOST/DATABASE"
    )
