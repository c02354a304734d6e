"""A store's content into another, of whatever kind; what was interrupted goes on."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from connectors.stores.base import Store, StoreRefused
from connectors.stores.tables import DOCUMENTS, TABLES, Key, Table

Advance = Callable[[str, int], None]
"""Told how many more rows of a table are copied."""


async def copy(source: Store, target: Store, overwrite: bool, advance: Advance) -> None:
    """Copy all rows; how far that has come is noted in the target after each batch.

    Where both have a row of the same name, the source's prevails. Nobody else may use
    either store. Raises StoreRefused for the same store, and for a target that is not
    empty, unless that is to be overwritten or the rest of the same copy is missing.
    """
    if source.identity == target.identity:
        raise StoreRefused(f"Refused: both are the same store, {target.place}")
    noted = await _begun(source, target)
    if noted is None and not overwrite and not await is_empty(target):
        raise StoreRefused(
            f"Refused: {target.place} is not empty. With --overwrite what is copied takes "
            "the place of what has the same name there, and all else stays."
        )
    names = [table.name for table in (*TABLES, DOCUMENTS)]
    done, after = (0, None) if noted is None else (names.index(noted["table"]), noted["after"])
    for table in (*TABLES, DOCUMENTS)[done:]:
        await _table(source, target, table, after, advance)
        after = None
    await target.note_copy(None)


async def is_empty(store: Store) -> bool:
    """Tell whether a store has no rows."""
    for table in (*TABLES, DOCUMENTS):
        if await store.rows(table, None):
            return False
    return True


async def _begun(source: Store, target: Store) -> dict[str, Any] | None:
    """Give how far an interrupted copy has come, if it was of this source."""
    text = await target.noted_copy()
    noted: dict[str, Any] | None = None if text is None else json.loads(text)
    return noted if noted is not None and noted["source"] == source.identity else None


async def _table(
    source: Store, target: Store, table: Table, after: Key | None, advance: Advance
) -> None:
    while True:
        noted = {"source": source.identity, "table": table.name, "after": after}
        await target.note_copy(json.dumps(noted))
        rows = await source.rows(table, after)
        if not rows:
            return
        if table is DOCUMENTS:
            await _all(_document(source, target, row["url"]) for row in rows)
        else:
            await target.put(table, rows)
        after = table.key_of(rows[-1])
        advance(table.name, len(rows))


async def _all(works: Iterable[Awaitable[None]]) -> None:
    """Wait for every one, then raise the first error: whoever goes on meets no late write."""
    for error in await asyncio.gather(*works, return_exceptions=True):
        if error is not None:
            raise error


async def _document(source: Store, target: Store, url: str) -> None:
    document, there = await source.document(url), await target.document(url)
    if document is None or document == there:
        return
    if not await target.compare_and_set(document, there.version if there else 0):
        raise StoreRefused(f"Refused: {target.place} is in use; stop all workers first")
