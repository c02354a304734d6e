"""Older snapshots.

A version is copied before a new version replaces the row. If a worker dies in between, the copy is
of a version still current: readers skip the copy, and the next change copies the version again.
"""

from dataclasses import dataclass

from connectors.stores.mongo.database import Database, Row

_FIELDS = {
    "url": 1,
    "view": 1,
    "read_at": 1,
    "slot": 1,
    "content_type": 1,
    "language": 1,
    "text": 1,
    "reader": 1,
    "body": 1,
}


@dataclass(frozen=True, slots=True)
class MongoSnapshotHistory:
    """The latest ``count`` older snapshots of each document in each view."""

    count: int

    async def keep(self, database: Database, values: Row, version: int) -> None:
        """Keep the text of a version if the new row ``values`` has another text."""
        if not self.count:
            return
        until = values["read_at"] if values["text"] is not None else values["slot"]
        other = {"version": version, "read_at": {"$ne": values["read_at"]}}
        found = await database.documents.find_one({"_id": values["_id"], **other}, _FIELDS)
        if found is not None:
            await _put(database, found, until)

    async def keep_last(self, database: Database, key: str, watch: str) -> None:
        """Keep the text of an ending view or watch, current until its last check.

        The bodies of its snapshots are deleted.
        """
        if not self.count:
            return
        found = await database.documents.find_one({"_id": key, "watch": watch}, _FIELDS)
        if found is not None:
            of_watch = {"_id": found["url"], "watch": watch}
            checked = await database.checks.find_one(of_watch) or {"at": 0}
            await _put(database, {**found, "body": None}, max(found["slot"], checked["at"]))
            of_view = {"url": found["url"], "view": found["view"]}
            await database.snapshots.update_many(of_view, {"$set": {"body": None}})

    async def prune(self, database: Database, before: int) -> None:
        """Delete the versions replaced before a time (epoch ms), and all but the latest ``count``.

        Counting them at each change would be another round trip.
        """
        await database.snapshots.delete_many({"until": {"$lt": before}})
        too_many: list[Row] = [
            {"$group": {"_id": {"url": "$url", "view": "$view"}, "n": {"$sum": 1}}},
            {"$match": {"n": {"$gt": self.count}}},
        ]
        async for found in database.snapshots.aggregate(too_many):
            several = database.snapshots.find(found["_id"], {"at": 1})
            oldest = await several.sort("at", -1).skip(self.count).to_list(None)
            ids = [row["_id"] for row in oldest]
            await database.snapshots.delete_many({"_id": {"$in": ids}})


async def _put(database: Database, found: Row, until: int) -> None:
    if found["text"] is None:
        return
    url, view, at = found["url"], found["view"], found["read_at"]
    values = {
        "url": url,
        "view": view,
        "at": at,
        "until": until,
        "content_type": found["content_type"],
        "language": found["language"],
        "text": found["text"],
        "reader": found["reader"],
        "body": found["body"],
    }
    await database.snapshots.update_one(
        {"_id": f"{at} {url} {view}"}, {"$set": values}, upsert=True
    )
