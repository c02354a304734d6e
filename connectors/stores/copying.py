"""Copy the content of a store into another, of whatever kind; an interrupted copy continues."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Protocol

from connectors.stores.errors import StoreRefused
from connectors.stores.tables import DOCUMENTS, TABLES, Key, Row, StoreTable
from schemas.records.documents import Document

Advance = Callable[[str, int], None]
"""Reports how many more rows of a table are copied."""


class RowAccess(Protocol):
    """The rows of a store; a port. Every method may raise StoreUnavailable."""

    async def read(self, table: StoreTable, after: Key | None) -> list[Row]:
        """Read some rows of a table in the order of their keys, after a key."""

    async def put(self, table: StoreTable, rows: list[Row]) -> None:
        """Insert rows; a row replaces the earlier row with its key."""

    async def noted_copy(self) -> str | None:
        """Load the note about an incomplete copy into this store."""

    async def note_copy(self, state: str | None) -> None:
        """Note the progress of a copy into this store; None: the copy is complete."""


class DocumentAccess(Protocol):
    """The documents of a store, as a copy needs them."""

    async def document(self, url: str, view: str = "") -> Document | None:
        """Load the stored state of a document in a view."""

    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        """Store a state if the stored version is the expected version (0: none is stored)."""


class CopyableStore(Protocol):
    """The port of a store for copies."""

    @property
    def identity(self) -> str:
        """The identity of the store, wherever the store is opened."""

    @property
    def location(self) -> str:
        """The location, for people."""

    @property
    def rows(self) -> RowAccess:
        """Its rows, except documents."""

    @property
    def snapshots(self) -> DocumentAccess:
        """Its documents."""


async def copy_rows(
    source: CopyableStore, target: CopyableStore, *, overwrite: bool, advance: Advance
) -> None:
    """Copy all rows; the target notes the progress after each batch.

    If both have a row with the same key, the source's wins. Nobody else may use either store
    meanwhile. Raises StoreRefused if both are the same store, or if the target has rows, unless
    they may be overwritten or belong to an interrupted copy of the same source.
    """
    if source.identity == target.identity:
        raise StoreRefused(f"Refused: both are the same store, {target.location}")
    text = await target.rows.noted_copy()
    noted: dict[str, Any] | None = None if text is None else json.loads(text)
    if noted is not None and noted["source"] != source.identity:
        noted = None
    if noted is None and not overwrite and not await _is_empty(target):
        raise StoreRefused(
            f"Refused: {target.location} is not empty. With --overwrite, rows that are copied "
            "replace those with the same key there, and all others stay."
        )
    tables = (*TABLES, DOCUMENTS)
    names = [table.name for table in tables]
    done, after = (0, None) if noted is None else (names.index(noted["table"]), noted["after"])
    for table in tables[done:]:
        await _copy_table(source, target, table, after, advance)
        after = None
    await target.rows.note_copy(None)


async def _is_empty(store: CopyableStore) -> bool:
    for table in (*TABLES, DOCUMENTS):
        if await store.rows.read(table, None):
            return False
    return True


async def _copy_table(
    source: CopyableStore,
    target: CopyableStore,
    table: StoreTable,
    after: Key | None,
    advance: Advance,
) -> None:
    while True:
        noted = {"source": source.identity, "table": table.name, "after": after}
        await target.rows.note_copy(json.dumps(noted))
        rows = await source.rows.read(table, after)
        if not rows:
            return
        if table is DOCUMENTS:
            works = (_copy_document(source, target, table.key_of(row)) for row in rows)
            # All, whatever fails: after an error no write is under way.
            for error in await asyncio.gather(*works, return_exceptions=True):
                if error is not None:
                    raise error
        else:
            await target.rows.put(table, rows)
        after = table.key_of(rows[-1])
        advance(table.name, len(rows))


async def _copy_document(source: CopyableStore, target: CopyableStore, key: Key) -> None:
    document = await source.snapshots.document(*key)
    there = await target.snapshots.document(*key)
    if document is None or document == there:
        return
    if not await target.snapshots.compare_and_set(document, there.version if there else 0):
        raise StoreRefused(f"Refused: {target.location} is in use; stop all workers first")
