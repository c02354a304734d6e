"""Prune waits without a watched page."""

from collections.abc import Sequence
from functools import partial

from connectors.stores.mongo.database import Database

PRUNED_AT_ONCE = 1000


async def load_watched(database: Database, urls: Sequence[str]) -> set[tuple[str, str | None]]:
    """Load the watches of pages, and those of their documents, each with its URL."""
    documents = database.documents.find({"url": {"$in": urls}}, {"url": 1, "watch": 1})
    watches = database.watches.find({"_id": {"$in": urls}}, {"id": 1})
    watched = {(row["url"], row["watch"]) for row in await documents.to_list(None)}
    return watched | {(row["_id"], row.get("id")) for row in await watches.to_list(None)}


async def prune_waits(database: Database) -> None:
    """Delete waits without a watch or a document."""
    last = ""
    while True:
        after = database.waits.find({"_id": {"$gt": last}}, {"watch": 1}).sort("_id", 1)
        rows = await after.limit(PRUNED_AT_ONCE).to_list(None)
        if not rows:
            return
        last = rows[-1]["_id"]
        watched = await load_watched(database, [row["_id"] for row in rows])
        for row in rows:
            if (row["_id"], row["watch"]) not in watched:
                await database.waits.delete_one({"_id": row["_id"], "watch": row["watch"]})


async def prune_watches(database: Database, before: int) -> None:
    """Delete the watches ended before a time (epoch ms), with their last checks."""
    old = {"id": None, "at": {"$lt": before}}
    some = partial(database.watches.find, old, {"_id": 1}, limit=PRUNED_AT_ONCE)
    while rows := await some().to_list(None):
        urls = {"$in": [row["_id"] for row in rows]}
        await database.checks.delete_many({"_id": urls})
        await database.watches.delete_many({"_id": urls, **old})
