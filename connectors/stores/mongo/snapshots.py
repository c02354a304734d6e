"""Documents and their unpublished records, for the fetch agent.

A document is one row together with its records, written at once.
"""

import asyncio
import zlib
from collections.abc import Sequence
from dataclasses import fields

from pymongo import UpdateOne
from pymongo.errors import DuplicateKeyError

from connectors.stores.mongo.database import Database, MongoPart, Row, asks, document_key, in_parts
from connectors.stores.mongo.history import MongoSnapshotHistory
from connectors.stores.mongo.page_waits import load_watched
from connectors.stores.mongo.spilling import load_records, spill
from connectors.stores.objects import Objects
from connectors.stores.packing import pack, unpack
from schemas.records.documents import Document, PageWait, Unpublished

MAX_ROW = 14_000_000
"""Bytes of text, pictures and records in one row, well below the limit of 16 MiB."""
_PLAIN = {field.name for field in fields(Document)} - {"text", "unpublished"}
"""Fields with the same value in a row."""


class MongoSnapshots(MongoPart):
    """Implements ``streams.agents.fetch.effects.Snapshots``."""

    def __init__(self, database: Database, location: str, history: int, objects: Objects) -> None:
        """Keep ``history`` older snapshots of each document."""
        super().__init__(database, location)
        self._history = MongoSnapshotHistory(history)
        self._objects = objects

    @asks
    async def slots(self, url: str, watch: str) -> dict[str, int]:
        """Load the last due time of each view of which a state for this watch is stored."""
        fields = {"view": 1, "slot": 1}
        rows = self.database.documents.find({"url": url, "watch": watch}, fields)
        return {row["view"]: row["slot"] for row in await rows.to_list(None)}

    @asks
    async def document(self, url: str, view: str = "") -> Document | None:
        """Load the stored state of a document in a view."""
        found = await self.database.documents.find_one({"_id": document_key(url, view)})
        if found is None:
            return None
        packed = await load_records(self.database, found)
        return await self._objects.take_in(await asyncio.to_thread(_document, found, packed))

    @asks
    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        """Store a state if the stored version is the expected version (0: none is stored)."""
        document = await self._objects.put_out(document, expected_version)
        values, too_large = await asyncio.to_thread(_row, document)
        if expected_version:
            await self._history.keep(self.database, values, expected_version)
        if too_large:
            values["spill"] = await spill(self.database, values, too_large)
        if expected_version:
            query = {"_id": values["_id"], "version": expected_version}
            return (await self.database.documents.replace_one(query, values)).matched_count == 1
        try:
            await self.database.documents.insert_one(values)
        except DuplicateKeyError:
            return False
        return True

    @asks
    async def clear_unpublished(self, url: str, version: int, view: str = "") -> None:
        """Drop the unpublished records of exactly this version, and nothing else."""
        key = document_key(url, view)
        query = {"_id": key, "version": version, "waiting": True}
        dropped = {"$unset": {"waiting": "", "records": "", "spill": ""}}
        # Hardly any were spilled: the others take one request.
        unspilled = {**query, "spill": {"$exists": False}}
        if not (await self.database.documents.update_one(unspilled, dropped)).matched_count:
            await self.database.documents.update_one(query, dropped)
            await self.database.spilled.delete_many({"document": key, "version": version})

    @asks
    async def unpublished(self) -> list[Unpublished]:
        """Load the records that documents have yet to publish, ordered by URL and view."""
        without = dict.fromkeys(("text", "picture", "earlier_picture", "body"), 0)
        found = self.database.documents.find({"waiting": True}, without).sort("_id", 1)
        several = []
        for row in await found.to_list(None):
            packed = await load_records(self.database, row)
            records = await asyncio.to_thread(_decompress, packed)
            several.append(Unpublished(row["url"], row["version"], records, row["view"]))
        return several

    @asks
    async def forget(
        self, url: str, watch: str, view: str | None = None, before: int | None = None
    ) -> None:
        """Delete a document's states of this watch; their history stays."""
        older = {} if before is None else {"slot": {"$lt": before}}
        for each in await self.slots(url, watch) if view is None else [view]:
            key = document_key(url, each)
            await self._history.keep_last(self.database, key, watch)
            await self.database.documents.delete_one({"_id": key, "watch": watch, **older})
        if view is None:
            # Its last check is listed with the subscriptions that ended with it.
            await self.database.waits.delete_one({"_id": url, "watch": watch})

    @asks
    async def record_checks(self, checks: Sequence[tuple[str, str, int]]) -> None:
        """Note the last check of each stored document, also of a recently deleted document."""
        urls = [url for url, _, _ in checks]
        kept = self.database.documents.find({"url": {"$in": urls}}, {"url": 1, "watch": 1})
        watches = {(row["url"], row["watch"]) for row in await kept.to_list(None)}
        noted = self.database.checks.find({"_id": {"$in": urls}}, {"watch": 1})
        watches |= {(row["_id"], row["watch"]) for row in await noted.to_list(None)}
        updates = []
        for url, watch, at in checks:
            if (url, watch) in watches:
                others = {"_id": url, "watch": {"$ne": watch}}
                updates.append(UpdateOne(others, {"$set": {"watch": watch, "at": at}}))
                latest = {"$set": {"watch": watch}, "$max": {"at": at}}
                updates.append(UpdateOne({"_id": url}, latest, upsert=True))
        for part in in_parts(updates):
            await self.database.checks.bulk_write(part)
        await self.database.waits.delete_many({"_id": {"$in": urls}})

    @asks
    async def record_waits(self, begun: Sequence[PageWait], ended: Sequence[str]) -> None:
        """Note which watched documents wait, and which documents wait no longer."""
        await self.database.waits.delete_many({"_id": {"$in": list(ended)}})
        watched = await load_watched(self.database, [wait.url for wait in begun])
        for wait in begun:
            if (wait.url, wait.watch) not in watched:
                continue
            known = {"_id": wait.url, "watch": wait.watch}
            changes = {"$min": {"since": wait.since}, "$set": {"reason": wait.reason}}
            updated = await self.database.waits.update_one(known, changes)
            if not updated.matched_count:
                row = {**known, "since": wait.since, "reason": wait.reason}
                await self.database.waits.replace_one({"_id": wait.url}, row, upsert=True)


def _row(document: Document) -> tuple[Row, list[bytes]]:
    """Convert a document to its row and its too large records; slow."""
    values: Row = {name: getattr(document, name) for name in _PLAIN}
    values["_id"] = document_key(document.url, document.view)
    values["text"] = None if document.text is None else pack(document.text)
    records = [zlib.compress(record) for record in document.unpublished]
    if not records:
        return values, []
    values["waiting"] = True
    kept = (values["text"], values["picture"], values["earlier_picture"], values["body"])
    if sum(len(each or b"") for each in (*kept, *records)) > MAX_ROW:
        return values, records
    return {**values, "records": records}, []


def _document(found: Row, packed: Sequence[bytes]) -> Document:
    text = None if found["text"] is None else unpack(found["text"])
    plain = {name: found[name] for name in _PLAIN}
    return Document(**plain, text=text, unpublished=_decompress(packed))


def _decompress(packed: Sequence[bytes]) -> tuple[bytes, ...]:
    return tuple(map(zlib.decompress, packed))
