"""Unpublished records too large for the row of their document.

A row is limited to 16 MB. Larger records are spilled into further rows before their document is
written, and count once the document is written.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from bson import ObjectId

from connectors.stores.errors import StoreUnavailable
from connectors.stores.mongo.database import Database, Row


async def spill(database: Database, document: Row, records: Sequence[bytes]) -> Row:
    """Write records into rows of their own; return how the document refers to them."""
    name = ObjectId()
    owner = {"document": document["_id"], "version": document["version"], "name": name}
    for number, record in enumerate(records):
        await database.spilled.insert_one({**owner, "number": number, "record": record})
    return {"name": name, "count": len(records)}


async def load_records(database: Database, document: Row) -> Sequence[bytes]:
    """Load the records of a document's row, compressed."""
    spilled = document.get("spill")
    if spilled is None:
        return tuple(document.get("records", ()))
    query = {"document": document["_id"], "version": document["version"], "name": spilled["name"]}
    rows = await database.spilled.find(query).sort("number", 1).to_list(None)
    if len(rows) < spilled["count"]:
        raise StoreUnavailable(f"{document['url']} was changed while it was read")
    return [row["record"] for row in rows]


async def prune_spilled(database: Database, before: int) -> None:
    """Delete records spilled before a time (epoch ms), except those of a document.

    Their worker died before the write of the document, or another worker was faster.
    """
    oldest = ObjectId.from_datetime(datetime.fromtimestamp(before / 1000, UTC))
    spilled = database.spilled.find({"_id": {"$lt": oldest}}, {"document": 1, "name": 1})
    for found in await spilled.to_list(None):
        named = {"_id": found["document"], "spill.name": found["name"]}
        if await database.documents.find_one(named, {"_id": 1}) is None:
            await database.spilled.delete_one({"_id": found["_id"]})
