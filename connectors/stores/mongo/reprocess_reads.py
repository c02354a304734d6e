"""The history of pages for the reprocess agent, for all their managers."""

import asyncio
from collections.abc import Collection

from connectors.stores.mongo.database import Database, MongoPart, asks, document_key
from connectors.stores.objects import Objects
from connectors.stores.packing import document_subject, unpack, unpack_fact, unpack_subscription
from schemas.records.changes import DocumentChanged
from schemas.records.documents import KeptSnapshot
from schemas.records.subscriptions import Subscription


class MongoKeptPages(MongoPart):
    """Implements ``streams.agents.history.reprocess_effects.KeptPages``."""

    def __init__(self, database: Database, location: str, objects: Objects) -> None:
        """Load bodies from these objects."""
        super().__init__(database, location)
        self._objects = objects

    @asks
    async def pages(self, after: tuple[str, str], limit: int) -> list[tuple[str, str]]:
        """List the URLs and view ids of watched pages, in order.

        Fewer if a page has several subscriptions, but none only after the last page.
        """
        url, view = after
        beyond = [{"url": {"$gt": url}}, {"url": url, "view": {"$gt": view}}]
        fields = {"url": 1, "view": 1}
        found = self.database.subscriptions.find({"ended": None, "$or": beyond}, fields)
        rows = await found.sort([("url", 1), ("view", 1)]).limit(limit).to_list(None)
        return list(dict.fromkeys((row["url"], row["view"]) for row in rows))

    @asks
    async def subscribers(self, url: str, view: str | None, limit: int) -> list[Subscription]:
        """List the oldest subscriptions to a page which have not ended."""
        query = {"ended": None, "url": url} | ({} if view is None else {"view": view})
        found = self.database.subscriptions.find(query, {"body": 1})
        rows = await found.sort([("created", 1), ("_id", 1)]).limit(limit).to_list(None)
        return [unpack_subscription(row["body"]) for row in rows]

    @asks
    async def times(self, url: str, view: str, since: int, limit: int) -> list[int]:
        """List the begins of the snapshots held since a time, and the times of changes."""
        then = {"$gte": since}
        is_read = {"_id": document_key(url, view), "text": {"$ne": None}}
        current = await self.database.documents.find_one(is_read, {"read_at": 1})
        times = set() if current is None else {current["read_at"]}
        subject = document_subject(url, view)
        for rows, query in (
            (self.database.snapshots, {"url": url, "view": view, "until": then}),
            (self.database.facts, {"kind": "change", "subject": subject, "at": then}),
        ):
            found = rows.find(query, {"at": 1}).sort("at", -1).limit(limit)
            times |= {row["at"] for row in await found.to_list(None)}
        return sorted(times)[-limit:]

    @asks
    async def snapshot(self, url: str, view: str, at: int) -> KeptSnapshot | None:
        """Load the snapshot with this begin."""
        fields = {"text": 1, "reader": 1, "body": 1}
        is_read = {"_id": document_key(url, view), "text": {"$ne": None}, "read_at": at}
        row = await self.database.documents.find_one(is_read, fields)
        if row is None:
            row = await self.database.snapshots.find_one({"_id": f"{at} {url} {view}"}, fields)
        if row is None:
            return None
        text = await asyncio.to_thread(unpack, row["text"])
        body = await self._objects.load(row["body"])
        return KeptSnapshot(at, text, row["reader"], body)

    @asks
    async def changes(self, url: str, view: str, at: int) -> list[DocumentChanged]:
        """Load the parts of the change recorded at a time."""
        query = {"kind": "change", "subject": document_subject(url, view), "at": at}
        rows = await self.database.facts.find(query, {"fact": 1}).sort("_id", 1).to_list(None)
        facts = await asyncio.to_thread(lambda: [unpack_fact(row["fact"]) for row in rows])
        return [fact for fact in facts if isinstance(fact, DocumentChanged)]

    @asks
    async def notified(self, ids: Collection[str]) -> set[str]:
        """Return those of these ids under which a notification was recorded."""
        keys = [f"notification {each}" for each in ids]
        found = self.database.facts.find({"_id": {"$in": keys}}, {"_id": 1})
        return {row["_id"].removeprefix("notification ") for row in await found.to_list(None)}
