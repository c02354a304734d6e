"""The words of changes: the API searches them, and ``vokter reprocess --index`` writes them again.

A row of a change has its terms as a list, of which the server has an index.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any

from pymongo import UpdateOne

from connectors.stores import cursor
from connectors.stores.mongo.database import MongoPart, asks, in_parts
from connectors.stores.packing import (
    client_subjects,
    document_subject,
    page_fact_id,
    unpack_fact,
    unpack_subscription,
)
from connectors.stores.pages import ChangeSearch, FoundChange, ListingPage
from connectors.stores.read_side import FactPage
from connectors.stores.seen import CoveredView, WatchRow, url_of, watch_of
from connectors.stores.span import covered_span
from schemas.records.subscriptions import Subscription

MOST_CHANGES = 10_000
"""The most changes with the terms read by a call: its page may be shorter."""
_COVERED = ("page", "removed_page")
_EDITED = {"$regex": r'"earlier_views": \[\{'}
_NEWEST_FIRST = [("at", -1), ("_id", -1)]


class MongoSearch(MongoPart):
    """Implements ``connectors.stores.ports.ChangeSearcher``."""

    @asks
    async def find(
        self, manager: str, asked: ChangeSearch, after: str | None, limit: int
    ) -> ListingPage[FoundChange]:
        """List the changes with some terms in the pages of a manager."""
        at, last = cursor.read(after, cursor.LATEST)
        before = [{"at": {"$lt": at}}, {"at": at, "_id": {"$lt": f"change {last}"}}]
        watched, first = await self._watched(manager)
        if first is None:
            return ListingPage((), None)
        pages = await self._covered(manager)
        query = {
            "kind": "change",
            "subject": {"$in": [*watched, *pages]},
            "at": {"$gte": max(first, asked.since)},
            "$and": [
                {"$or": [{"terms": {"$all": list(terms)}} for terms in asked.choices]},
                {"$or": before},
            ],
        }
        page, watches = FactPage(limit), list[Subscription]()
        watching: dict[str, list[WatchRow]] = {}
        found_rows = self.database.facts.find(query, {"terms": 0}).sort(_NEWEST_FIRST)
        looked_at, edge = 0, (0, "")
        async for row in found_rows.limit(MOST_CHANGES):
            subject, at = row["subject"], row["at"]
            looked_at, edge = looked_at + 1, (at, row["_id"].removeprefix("change "))
            if (url := url_of(subject)) not in watching:
                of_page = self.database.subscriptions.find({"manager": manager, "url": url})
                rows = await of_page.sort([("created", -1), ("_id", -1)]).to_list(None)
                watching[url] = [WatchRow._make(map(each.get, WatchRow._fields)) for each in rows]
            watch = watch_of(watching[url], subject, at)
            watch = watch or await self._crawl_of(pages.get(subject, ()), at)
            if watch is None:
                continue
            if not page.add(*edge, row["fact"]):
                break
            watches.append(watch)
        found = await asyncio.to_thread(page.page, edge if looked_at == MOST_CHANGES else None)
        return ListingPage(tuple(map(FoundChange, watches, found.items)), found.next)

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

    async def _watched(self, manager: str) -> tuple[set[str], int | None]:
        """Return the subjects of the changes visible to a manager, and the first creation."""
        find = self.database.subscriptions.find
        rows = await find({"manager": manager}, {"url": 1, "view": 1, "created": 1}).to_list(None)
        found = {document_subject(row["url"], row["view"]) for row in rows}
        async for row in find({"manager": manager, "body": _EDITED}, {"body": 1}):
            subscription = unpack_subscription(row["body"])
            for earlier in subscription.earlier_views:
                found.add(document_subject(subscription.url, earlier.view))
        return found, min((row["created"] for row in rows), default=None)

    async def _covered(self, manager: str) -> dict[str, list[CoveredView]]:
        """Return the pages of a manager's crawls, by the subjects of their changes."""
        below, above = client_subjects(manager)
        query = {"kind": {"$in": _COVERED}, "subject": {"$gt": below, "$lt": above}}
        names = [row["_id"] async for row in self.database.facts.find(query, {"_id": 1})]
        pages = [name.split(" ", 2)[1:] for name in names]
        crawls = list({crawl for crawl, _ in pages})
        rows = self.database.subscriptions.find({"_id": {"$in": crawls}}, {"view": 1})
        views = {row["_id"]: row["view"] async for row in rows}
        found = defaultdict[str, list[CoveredView]](list)
        for crawl, url in pages:
            if crawl in views:
                page = CoveredView(crawl, views[crawl], url)
                found[page.subject].append(page)
        return found

    async def _crawl_of(self, pages: Iterable[CoveredView], at: int) -> Subscription | None:
        """Return a subscription with a crawl over these pages at a time."""
        for page in pages:
            names = [f"{kind} {page_fact_id(page.crawl, page.url)}" for kind in _COVERED]
            found = await self.database.facts.find({"_id": {"$in": names}}).to_list(None)
            newest = max(found, key=itemgetter("at"), default=None)
            row = await self.database.subscriptions.find_one({"_id": page.crawl}, {"body": 1})
            if newest is None or row is None:
                continue
            if covered_span(unpack_fact(newest["fact"]), page.view).has(at):
                return unpack_subscription(row["body"])
        return None
