"""The API's part: changes, notifications and deliveries, newest first."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterable, Collection, Sequence
from typing import Any

from connectors.stores import cursor
from connectors.stores.mongo.database import Database, MongoPart, Row, asks
from connectors.stores.mongo.subscriptions import span_of, spans_with_earlier
from connectors.stores.packing import (
    canonical_client,
    client_subject,
    document_subject,
    unpack_fact,
)
from connectors.stores.pages import (
    DAY_MS,
    MAX_COUNTED,
    MAX_SEARCHED,
    ChangesInSpan,
    DocumentSpan,
    ListingPage,
    NewsSearch,
)
from connectors.stores.ports import ClientFacts
from connectors.stores.read_side import FactPage
from connectors.stores.span import SubscribedTime, changes_page, history_page, shown_change
from schemas.records.history import ChangeHistory
from schemas.records.notifications import Notification

_NEWEST_FIRST = [("at", -1), ("_id", -1)]
_EVER = SubscribedTime("", 0, cursor.LATEST)


class MongoFacts(MongoPart):
    """Implements ``connectors.stores.ports.FactReader``."""

    @asks
    async def changes(
        self,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[Any] | None:
        """List a document's changes while a manager had subscriptions to the document."""
        spans = await spans_with_earlier(self.database, manager, url, subscription)
        if not spans:
            return None
        under = [(document_subject(url, span.view), span) for span in spans]
        return changes_page(spans, await _page(self.database, "change", under, after, limit))

    @asks
    async def change(self, manager: str, url: str, change: str, subscription: str) -> Any | None:
        """Load a change while a manager had subscriptions of its document."""
        spans = await spans_with_earlier(self.database, manager, url, subscription)
        if not spans:
            return None
        seen = [
            {
                "subject": document_subject(url, span.view),
                "at": {"$gte": span.begin, "$lte": span.end},
            }
            for span in spans
        ]
        query = {"_id": f"change {change}", "$or": seen}
        row = await self.database.facts.find_one(query, {"fact": 1})
        if row is None:
            return None
        fact = await asyncio.to_thread(unpack_fact, row["fact"])
        return shown_change(fact, min(span.begin for span in spans))

    @asks
    async def history(
        self, manager: str, url: str, view: str, since: int, after: str | None, limit: int
    ) -> ChangeHistory | None:
        """List the same changes of a document in a view, from a time on."""
        span = await span_of(self.database, manager, url, view=view)
        if span is None:
            return None
        under = [(document_subject(url, view), span.from_time(since))]
        page = await _page(self.database, "change", under, after, limit)
        return history_page(span, page)

    @asks
    async def change_counts(self, spans: Sequence[DocumentSpan]) -> list[ChangesInSpan]:
        """Count the newest changes of each span by day."""
        names = [document_subject(each.url, each.view) for each in spans]
        times: dict[str, list[int]] = {name: [] for name in names}
        begin = min((each.begin for each in spans), default=0)
        query = {"kind": "change", "subject": {"$in": list(times)}, "at": {"$gte": begin}}
        rows = self.database.facts.find(query, {"subject": 1, "at": 1}).sort(
            [("subject", 1), ("at", -1)]
        )
        async for row in rows.limit(MAX_COUNTED * len(times) or 1):
            times[row["subject"]].append(row["at"])
        counts = []
        for span, name in zip(spans, names, strict=True):
            within = [at for at in times[name] if span.begin <= at <= span.end][:MAX_COUNTED]
            days = Counter(at // DAY_MS for at in within)
            counts.append(ChangesInSpan(days, next(iter(within), None)))
        return counts

    @asks
    async def notification(self, manager: str, notification: str) -> Notification | None:
        """Load a notification of the manager."""
        query = {"_id": f"notification {notification}"}
        row = await self.database.facts.find_one(query, {"fact": 1})
        if row is None:
            return None
        found: Notification = await asyncio.to_thread(unpack_fact, row["fact"])
        return found if found.manager == manager else None

    @asks
    async def of_client(
        self, kind: ClientFacts, manager: str, client: str, after: str | None, limit: int
    ) -> ListingPage[Any]:
        """List the notifications of a manager's client, or their deliveries."""
        subject = client_subject(manager, canonical_client(client))
        return await _page(self.database, kind, [(subject, _EVER)], after, limit)

    @asks
    async def newest_of_clients(
        self, kinds: Collection[ClientFacts], manager: str, clients: Collection[str]
    ) -> list[Any]:
        """Load the newest fact of each of some kinds about each of a manager's clients."""
        subjects = [client_subject(manager, canonical_client(client)) for client in clients]
        queries = [{"kind": kind, "subject": each} for each in subjects for kind in kinds]
        found = self.database.facts.find_one
        rows = [await found(each, {"fact": 1}, sort=_NEWEST_FIRST) for each in queries]
        return [unpack_fact(row["fact"]) for row in rows if row is not None]

    @asks
    async def news(
        self, manager: str, asked: NewsSearch, after: str | None, limit: int
    ) -> ListingPage[Any]:
        """List the notifications of a manager which a search finds."""
        at, first = cursor.read(after, cursor.LATEST)
        name = f"notification {first}"
        before = [{"at": {"$lt": at}}, {"at": at, "_id": {"$lt": name}}]
        query: Row = {"kind": "notification", "manager": manager}
        if asked.client:
            query["subject"] = client_subject(manager, canonical_client(asked.client))
        looked_at = self.database.facts.find({**query, "$or": before}, {"at": 1})
        end = looked_at.sort(_NEWEST_FIRST).skip(MAX_SEARCHED - 1).limit(1)
        last = next(iter(await end.to_list(None)), None)
        limits: list[Row] = [{"$or": before}]
        if last is not None:
            later = {"at": last["at"], "_id": {"$gte": last["_id"]}}
            limits.append({"$or": [{"at": {"$gt": last["at"]}}, later]})
        if asked.tag:
            limits.append({"tags": {"$regex": re.escape(f"\n{asked.tag}\n")}})
        if asked.text:
            limits.append({"words": {"$regex": re.escape(asked.text.lower())}})
        rows = self.database.facts.find({**query, "$and": limits}).sort(_NEWEST_FIRST)
        edge = None if last is None else (last["at"], last["_id"].partition(" ")[2])
        return await _filled(rows.limit(limit + 1), "notification", limit, edge)

    @asks
    async def with_ids(
        self, kind: ClientFacts, manager: str, clients: Collection[str], ids: Collection[str]
    ) -> ListingPage[Any]:
        """Load those of some clients with these ids of notifications."""
        subjects = [client_subject(manager, canonical_client(client)) for client in clients]
        names = [f"{kind} {each}" for each in ids]
        rows = self.database.facts.find({"_id": {"$in": names}, "subject": {"$in": subjects}})
        return await _filled(rows.sort(_NEWEST_FIRST), kind, len(ids))


async def _page(
    database: Database,
    kind: str,
    listed_under: Sequence[tuple[str, SubscribedTime]],
    after: str | None,
    limit: int,
) -> ListingPage[Any]:
    """Return a page of the facts of a kind under some subjects, each in a span."""
    at, last = cursor.read(after, cursor.LATEST)
    before = [{"at": {"$lt": at}}, {"at": at, "_id": {"$lt": f"{kind} {last}"}}]
    asked = [
        {"subject": subject, "at": {"$gte": span.begin, "$lte": span.end}}
        for subject, span in listed_under
    ]
    query = {"kind": kind, "$and": [{"$or": asked}, {"$or": before}]}
    rows = database.facts.find(query).sort(_NEWEST_FIRST).limit(limit + 1)
    return await _filled(rows, kind, limit)


async def _filled(
    rows: AsyncIterable[Row], kind: str, limit: int, last: tuple[int, str] | None = None
) -> ListingPage[Any]:
    page = FactPage(limit)
    async for row in rows:
        if not page.add(row["at"], row["_id"].removeprefix(f"{kind} "), row["fact"]):
            break
    return await asyncio.to_thread(page.page, last)
