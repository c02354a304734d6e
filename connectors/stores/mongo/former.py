"""Snapshots that were replaced.

Each is kept before it is replaced: a worker that dies in between leaves one that holds
still, which is no former one to a reader, and is kept again later.
"""

from connectors.stores.mongo.database import Database, Row

_FIELDS = {"read_at": 1, "slot": 1, "content_type": 1, "language": 1, "text": 1}


async def keep(database: Database, values: Row, version: int) -> None:
    """Keep the text of a version, if ``values`` have another."""
    until = values["read_at"] if values["text"] is not None else values["slot"]
    other = {"version": version, "read_at": {"$ne": values["read_at"]}}
    found = await database.documents.find_one({"_id": values["_id"], **other}, _FIELDS)
    if found is not None:
        await _put(database, found, until)


async def keep_last(database: Database, url: str, watch: str) -> None:
    """Keep the text of a watch that ends; it held until it was last looked at."""
    place = {"_id": url, "watch": watch}
    found = await database.documents.find_one(place, _FIELDS)
    if found is not None:
        checked = await database.checks.find_one(place) or {"at": 0}
        await _put(database, found, max(found["slot"], checked["at"]))


async def prune(database: Database, count: int, before: int) -> None:
    """Delete what was replaced before a time (epoch ms), and all but ``count`` of a document.

    Not when one more is kept: that would be a round trip more for each change.
    """
    await database.snapshots.delete_many({"until": {"$lt": before}})
    stages: list[Row] = [
        {"$group": {"_id": "$url", "n": {"$sum": 1}}},
        {"$match": {"n": {"$gt": count}}},
    ]
    async for found in database.snapshots.aggregate(stages):
        more = database.snapshots.find({"url": found["_id"]}, {"at": 1}).sort("at", -1).skip(count)
        names = [row["_id"] for row in await more.to_list(None)]
        await database.snapshots.delete_many({"_id": {"$in": names}})


async def _put(database: Database, found: Row, until: int) -> None:
    if found["text"] is None:
        return
    url, at = found["_id"], found.get("read_at", 0)
    values = {
        "url": url,
        "at": at,
        "until": until,
        "content_type": found["content_type"],
        "language": found["language"],
        "text": found["text"],
    }
    await database.snapshots.update_one({"_id": f"{at} {url}"}, {"$set": values}, upsert=True)
