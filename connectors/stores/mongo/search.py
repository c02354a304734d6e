"""The words of changes: the API searches them, and ``vokter reprocess --index`` writes them again.

A row of a change has its terms as a list, of which the server has an index.
"""

import asyncio
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from pymongo import UpdateOne

from connectors.stores import cursor
from connectors.stores.mongo.database import MongoPart, Row, asks, in_parts
from connectors.stores.packing import (
    client_subject,
    page_fact_id,
    unpack_fact,
    unpack_subscription,
)
from connectors.stores.pages import ChangeSearch, FoundChange, ListingPage
from connectors.stores.read_side import FactPage
from connectors.stores.seen import MAX_WATCHES, Coverage, SeenChanges, WatchRow
from connectors.stores.span import covered_span

_COVERED = ("page", "removed_page")
_NEWEST_FIRST = [("at", -1), ("_id", -1)]


class MongoSearch(MongoPart):
    """Implements ``connectors.stores.ports.ChangeSearcher``."""

    @asks
    async def find(
        self, manager: str, asked: ChangeSearch, after: str | None, limit: int
    ) -> ListingPage[FoundChange]:
        """List the changes with some terms that a manager's own watches saw."""
        at, last = cursor.read(after, cursor.LATEST)
        before = [{"at": {"$lt": at}}, {"at": at, "_id": {"$lt": f"change {last}"}}]
        seen = await self._seen(manager)
        having = [{"terms": {"$all": list(terms)}} for terms in asked.choices]
        query = {
            "kind": "change",
            "subject": {"$in": seen.subjects},
            "at": {"$gte": asked.since},
            "$and": [{"$or": having}, {"$or": before}],
        }
        page, watches = FactPage(limit), list[str]()
        async for row in self.database.facts.find(query, {"terms": 0}).sort(_NEWEST_FIRST):
            watch = seen.watch_of(row["subject"], row["at"]) or await self._crawl_of(seen, row)
            if watch is None:
                continue
            if not page.add(row["at"], row["_id"].removeprefix("change "), row["fact"]):
                break
            watches.append(watch)
        found = await asyncio.to_thread(page.page)
        rows = self.database.subscriptions.find({"_id": {"$in": watches}}, {"body": 1})
        bodies = {row["_id"]: row["body"] for row in await rows.to_list(None)}
        pairs = zip(watches, found.items, strict=False)
        items = (FoundChange(unpack_subscription(bodies[name]), each) for name, each in pairs)
        return ListingPage(tuple(items), found.next)

    @asks
    async def changes(self, after: str, limit: int) -> list[tuple[str, Any]]:
        """List changes of all managers in the order of their ids, each with its id."""
        query = {"kind": "change", "_id": {"$gt": f"change {after}"}}
        found = self.database.facts.find(query, {"fact": 1}).sort("_id", 1).limit(limit)
        rows = await found.to_list(None)
        return [(row["_id"].removeprefix("change "), unpack_fact(row["fact"])) for row in rows]

    @asks
    async def index(self, terms: Mapping[str, str]) -> None:
        """Replace the terms of changes, by their ids."""
        updates = [
            UpdateOne({"_id": f"change {name}"}, {"$set": {"terms": words.split()}})
            for name, words in terms.items()
        ]
        for part in in_parts(updates):
            await self.database.facts.bulk_write(list(part), ordered=False)

    async def _seen(self, manager: str) -> SeenChanges:
        found = self.database.subscriptions.find({"manager": manager})
        rows = await found.sort([("created", -1), ("_id", -1)]).limit(MAX_WATCHES).to_list(None)
        seen = SeenChanges(map(_watch_row, rows))
        for crawl in seen.crawls:
            query = {"kind": {"$in": _COVERED}, "subject": client_subject(manager, crawl)}
            async for row in self.database.facts.find(query, {"_id": 1}):
                seen.cover(crawl, row["_id"].split(" ", 2)[2])
        return seen

    async def _crawl_of(self, seen: SeenChanges, row: Row) -> str | None:
        for page in seen.crawls_of(row["subject"]):
            if await self._was_covered(page, row["at"]):
                return page.crawl
        return None

    async def _was_covered(self, page: Coverage, at: int) -> bool:
        names = [f"{kind} {page_fact_id(page.crawl, page.url)}" for kind in _COVERED]
        found = await self.database.facts.find({"_id": {"$in": names}}).to_list(None)
        if not found:
            return False
        newest = max(found, key=itemgetter("at"))
        return covered_span(unpack_fact(newest["fact"]), page.view).has(at)


def _watch_row(row: Row) -> WatchRow:
    fields = ("_id", "url", "view", "created", "ended", "body")
    return WatchRow._make(row.get(field) for field in fields)
