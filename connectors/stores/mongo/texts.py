"""The API's part: documents, and their snapshots, current and older ones."""

import asyncio

from connectors.stores import cursor
from connectors.stores.mongo.database import Database, MongoPart, Row, asks, document_key
from connectors.stores.mongo.subscriptions import span_of
from connectors.stores.objects import Objects
from connectors.stores.packing import document_subject, unpack, unpack_fact
from connectors.stores.pages import ListingPage
from connectors.stores.span import SubscribedTime, number_page, snapshot_page, was_current
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Snapshot
from schemas.records.numbers import NumberPoint

_CURRENT = {"url": 1, "read_at": 1, "content_type": 1, "language": 1}
_OLDER = {"url": 1, "at": 1, "until": 1, "content_type": 1, "language": 1}
_TEXT = {"text": 1}
_PICTURES = (("read_at", "picture"), ("earlier_read_at", "earlier_picture"))
"""Fields of a document: the time of a text, and the picture taken with the text."""


class MongoTexts(MongoPart):
    """Implements ``connectors.stores.ports.TextReader``."""

    def __init__(self, database: Database, location: str, objects: Objects) -> None:
        """Load pictures from these objects."""
        super().__init__(database, location)
        self._objects = objects

    @asks
    async def documents(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[tuple[str, Snapshot | None]]:
        """List a manager's watched documents by URL.

        A page is shorter if the manager has several subscriptions to a document.
        """
        query = {"manager": manager, "ended": None, "url": {"$gt": after or ""}}
        found = self.database.subscriptions.find(query, {"url": 1, "view": 1, "created": 1})
        oldest_first = [("url", 1), ("created", 1), ("_id", 1)]
        rows = await found.sort(oldest_first).limit(limit + 1).to_list(None)
        views: dict[str, SubscribedTime] = {}
        for row in rows[:limit]:
            views.setdefault(row["url"], SubscribedTime(row["view"], row["created"], cursor.LATEST))
        keys = [document_key(url, span.view) for url, span in views.items()]
        was_read = {"_id": {"$in": keys}, "text": {"$ne": None}}
        documents = await self.database.documents.find(was_read, _CURRENT).to_list(None)
        known = {row["url"]: views[row["url"]].shown(_current(row)) for row in documents}
        last = next(reversed(views), None) if len(rows) > limit else None
        return ListingPage(tuple((url, known.get(url)) for url in views), last)

    @asks
    async def snapshots(
        self,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[Snapshot] | None:
        """List a document's snapshots, newest first."""
        before, _ = cursor.read(after, cursor.LATEST)
        span = await span_of(self.database, manager, url, subscription)
        if span is None:
            return None
        latest = span.latest(before - 1)
        found = await _find(self.database, url, span, latest=latest, limit=limit + 1)
        return snapshot_page([each for each, _ in found], span, limit)

    @asks
    async def snapshot(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> tuple[Snapshot, str] | None:
        """Load the snapshot current at a time, with its text."""
        span = await span_of(self.database, manager, url, subscription)
        found = await _find_one(self.database, url, span, at, _TEXT)
        if found is None or span is None:
            return None
        return span.shown(found[0]), await asyncio.to_thread(unpack, found[1]["text"])

    @asks
    async def differences(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> tuple[Snapshot, tuple[DocumentChanged, ...]] | None:
        """Load the snapshot with the parts of its change."""
        span = await span_of(self.database, manager, url, subscription)
        found = await _find_one(self.database, url, span, at)
        if found is None or span is None:
            return None
        if not span.has(found[0].at):
            return span.shown(found[0]), ()
        subject = document_subject(url, span.view)
        query = {"kind": "change", "subject": subject, "at": found[0].at}
        rows = await self.database.facts.find(query, {"fact": 1}).sort("_id", 1).to_list(None)
        facts = await asyncio.to_thread(lambda: [unpack_fact(row["fact"]) for row in rows])
        return found[0], tuple(fact for fact in facts if isinstance(fact, DocumentChanged))

    @asks
    async def picture(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> bytes | None:
        """Load the picture of the snapshot."""
        span = await span_of(self.database, manager, url, subscription)
        found = await _find_one(self.database, url, span, at)
        if found is None or span is None:
            return None
        key = document_key(url, span.view)
        for read_at, picture in _PICTURES:
            query = {"_id": key, read_at: found[0].at}
            row = await self.database.documents.find_one(query, {picture: 1})
            if row is not None:
                return await self._objects.load(row[picture])
        return None

    @asks
    async def numbers(
        self,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[NumberPoint] | None:
        """List the numbers of a document, newest first."""
        span = await span_of(self.database, manager, url, subscription)
        if span is None:
            return None
        key = {"_id": document_key(url, span.view)}
        row = await self.database.documents.find_one(key, {"series": 1})
        return number_page(row["series"] if row else b"", span, after, limit)


async def _find_one(
    database: Database,
    url: str,
    span: SubscribedTime | None,
    at: int | None,
    more: Row | None = None,
) -> tuple[Snapshot, Row] | None:
    if span is None:
        return None
    found = await _find(database, url, span, latest=span.latest(at), limit=1, more=more)
    return found[0] if found and was_current(found[0][0], at) else None


async def _find(
    database: Database,
    url: str,
    span: SubscribedTime,
    *,
    latest: int,
    limit: int,
    more: Row | None = None,
) -> list[tuple[Snapshot, Row]]:
    """Find snapshots until ``latest`` and current in the span, newest first, with their rows."""
    if latest < span.begin:  # it would say whether one of before had begun by then
        return []
    is_read = {"_id": document_key(url, span.view), "text": {"$ne": None}}
    current = await database.documents.find_one(is_read, _CURRENT | (more or {}))
    began: Row = {"$lte": latest}
    found = []
    if current is not None:
        began["$ne"] = current["read_at"]
        if current["read_at"] <= latest:
            found.append((_current(current), current))
    query = {"url": url, "view": span.view, "at": began, "until": {"$gte": span.begin}}
    rows = database.snapshots.find(query, _OLDER | (more or {})).sort("at", -1)
    for row in await rows.limit(limit).to_list(None):
        described = row["content_type"], row["language"]
        found.append((Snapshot(row["url"], row["at"], row["until"], *described), row))
    return found[:limit]


def _current(row: Row) -> Snapshot:
    return Snapshot(row["url"], row["read_at"], None, row["content_type"], row["language"])
