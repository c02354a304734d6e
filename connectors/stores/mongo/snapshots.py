"""The fetch stage's side: documents, and what they have yet to publish.

A document is one row, with its records, so that one write sets all of it. Rows
are limited to 16 MB: records too large for that are spilled into rows of their
own, written before the document that names them and counts only with it.
"""

import asyncio
import zlib
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime

from bson import ObjectId
from pymongo.errors import DuplicateKeyError

from connectors.stores.base import StoreUnavailable
from connectors.stores.mongo import former
from connectors.stores.mongo.database import Database, Row
from connectors.stores.mongo.upserts import upsert
from connectors.stores.packing import pack, unpack
from schemas.documents import Document, Unpublished

MAX_ROW = 14_000_000
"""Bytes of text and records in one row, well below the 16 MiB that it may have."""
_PLAIN = {field.name for field in fields(Document)} - {"url", "text", "unpublished"}
"""Fields that stand in a row as they are."""


def row(document: Document) -> tuple[Row, list[bytes]]:
    """The document as its row, and the records that must be spilled; slow for large texts."""
    values: Row = {"_id": document.url, **{name: getattr(document, name) for name in _PLAIN}}
    values["text"] = None if document.text is None else pack(document.text)
    records = [zlib.compress(record) for record in document.unpublished]
    if not records:
        return values, []
    values["waiting"] = True
    if len(values["text"] or b"") + sum(map(len, records)) > MAX_ROW:
        return values, records
    return {**values, "records": records}, []


async def compare_and_set(
    database: Database, values: Row, spilled: Sequence[bytes], expected_version: int, keeps: bool
) -> bool:
    """Put the row in the place of the expected version; ``keeps`` the text that it had."""
    if expected_version and keeps:
        await former.keep(database, values, expected_version)
    if spilled:
        values = {**values, "spill": await _spill(database, values, spilled)}
    if expected_version:
        place = {"_id": values["_id"], "version": expected_version}
        return (await database.documents.replace_one(place, values)).matched_count == 1
    try:
        await database.documents.insert_one(values)
    except DuplicateKeyError:
        return False
    return True


async def read(database: Database, url: str) -> Document | None:
    """The stored document."""
    found = await database.documents.find_one({"_id": url})
    if found is None:
        return None
    packed = await _packed(database, found)
    return await asyncio.to_thread(_document, found, packed)


def _document(found: Row, packed: Sequence[bytes]) -> Document:
    text = None if found["text"] is None else unpack(found["text"])
    plain = {name: value for name, value in found.items() if name in _PLAIN}
    return Document(found["_id"], **plain, text=text, unpublished=_records(packed))


async def unpublished(database: Database) -> list[Unpublished]:
    """What all documents have yet to publish."""
    found = database.documents.find({"waiting": True}, {"text": 0}).sort("_id", 1)
    return [
        Unpublished(
            row["_id"],
            row["version"],
            await asyncio.to_thread(_records, await _packed(database, row)),
        )
        for row in await found.to_list(None)
    ]


async def clear_unpublished(database: Database, url: str, version: int) -> bool:
    """Drop the records of exactly this version."""
    place = {"_id": url, "version": version, "waiting": True}
    dropped = {"$unset": {"waiting": "", "records": "", "spill": ""}}
    cleared = await database.documents.update_one(place, dropped)
    await database.spilled.delete_many({"url": url, "version": version})
    return cleared.modified_count == 1


async def forget(database: Database, url: str, watch: str, keeps: bool) -> None:
    """Delete the document, if it is this watch's, and all that belongs to it.

    ``keeps`` its last text as one that was replaced.
    """
    if keeps:
        await former.keep_last(database, url, watch)
    await database.documents.delete_one({"_id": url, "watch": watch})
    await database.checks.delete_one({"_id": url, "watch": watch})


async def record_checks(database: Database, checks: Sequence[tuple[str, str, int]]) -> None:
    """Note the newest check of each document that is still kept."""
    urls = [url for url, _, _ in checks]
    kept = database.documents.find({"_id": {"$in": urls}}, {"watch": 1})
    watches = {row["_id"]: row["watch"] for row in await kept.to_list(None)}
    for url, watch, at in checks:
        if watches.get(url) == watch:
            newer = {"$or": [{"at": {"$lt": at}}, {"watch": {"$ne": watch}}]}
            values = {"$set": {"watch": watch, "at": at}}
            await upsert(database.checks, {"_id": url, **newer}, values)


async def prune_spilled(database: Database, before: int) -> None:
    """Delete spilled records from before a time (epoch ms) that no document names.

    A worker died before it set its document, or another one was faster.
    """
    oldest = ObjectId.from_datetime(datetime.fromtimestamp(before / 1000, UTC))
    spilled = database.spilled.find({"_id": {"$lt": oldest}}, {"url": 1, "name": 1})
    for found in await spilled.to_list(None):
        named = {"_id": found["url"], "spill.name": found["name"]}
        if await database.documents.find_one(named, {"_id": 1}) is None:
            await database.spilled.delete_one({"_id": found["_id"]})


async def _spill(database: Database, values: Row, records: Sequence[bytes]) -> Row:
    """Write the records into rows of their own; what the document is to say of them."""
    name = ObjectId()
    owner = {"url": values["_id"], "version": values["version"], "name": name}
    for place, record in enumerate(records):
        await database.spilled.insert_one({**owner, "place": place, "record": record})
    return {"name": name, "count": len(records)}


async def _packed(database: Database, found: Row) -> Sequence[bytes]:
    """The records of a document's row, compressed."""
    spill = found.get("spill")
    if spill is None:
        return tuple(found.get("records", ()))
    place = {"url": found["_id"], "version": found["version"], "name": spill["name"]}
    rows = await database.spilled.find(place).sort("place", 1).to_list(None)
    if len(rows) < spill["count"]:
        raise StoreUnavailable(f"{found['_id']} was changed while it was read")
    return [row["record"] for row in rows]


def _records(packed: Sequence[bytes]) -> tuple[bytes, ...]:
    return tuple(map(zlib.decompress, packed))
