"""The API's side: documents, and their snapshots, former ones too."""

import asyncio

from connectors.stores import cursor
from connectors.stores.base import ListingPage
from connectors.stores.mongo.database import Database, Row
from connectors.stores.mongo.listing import span_of
from connectors.stores.packing import fact_of, unpack
from connectors.stores.spans import Span, held, page
from schemas.documents import Snapshot
from schemas.facts import DocumentChanged

_CURRENT = {"read_at": 1, "content_type": 1, "language": 1}
_FORMER = {"url": 1, "at": 1, "until": 1, "content_type": 1, "language": 1}
_TEXT = {"text": 1}


async def documents(
    database: Database, manager: str, after: str | None, limit: int
) -> ListingPage[tuple[str, Snapshot | None]]:
    """One page of what a manager watches; shorter where it has several subscriptions of one."""
    place = {"manager": manager, "ended": None, "url": {"$gt": after or ""}}
    found = database.subscriptions.find(place, {"url": 1}).sort("url", 1).limit(limit + 1)
    watched = [row["url"] for row in await found.to_list(None)]
    urls = list(dict.fromkeys(watched[:limit]))
    read = {"_id": {"$in": urls}, "text": {"$ne": None}}
    rows = await database.documents.find(read, _CURRENT).to_list(None)
    known = {row["_id"]: _current(row) for row in rows}
    more = len(watched) > limit and urls
    return ListingPage(tuple((url, known.get(url)) for url in urls), urls[-1] if more else None)


async def snapshots(
    database: Database, manager: str, url: str, after: str | None, limit: int
) -> ListingPage[Snapshot] | None:
    """One page of a document's snapshots."""
    before, _ = cursor.read(after, cursor.LATEST)
    span = await span_of(database, manager, url)
    if span is None:
        return None
    found = await _found(database, url, span, span.latest(before - 1), limit + 1)
    return page([each for each, _ in found], limit)


async def snapshot(
    database: Database, manager: str, url: str, at: int | None
) -> tuple[Snapshot, str] | None:
    """The snapshot that held at a time, and its text."""
    found = await _one(database, manager, url, at, _TEXT)
    return None if found is None else (found[0], await asyncio.to_thread(unpack, found[1]["text"]))


async def differences(
    database: Database, manager: str, url: str, at: int | None
) -> tuple[Snapshot, tuple[DocumentChanged, ...]] | None:
    """That snapshot, and its change."""
    found = await _one(database, manager, url, at)
    if found is None:
        return None
    place = {"kind": "change", "subject": url, "at": found[0].at}
    rows = await database.history.find(place, {"fact": 1}).sort("_id", 1).to_list(None)
    facts = await asyncio.to_thread(lambda: [fact_of(row["fact"]) for row in rows])
    return found[0], tuple(fact for fact in facts if isinstance(fact, DocumentChanged))


async def _one(
    database: Database, manager: str, url: str, at: int | None, more: Row | None = None
) -> tuple[Snapshot, Row] | None:
    span = await span_of(database, manager, url)
    if span is None:
        return None
    found = await _found(database, url, span, span.latest(at), 1, more)
    return found[0] if found and held(found[0][0], at) else None


async def _found(
    database: Database, url: str, span: Span, latest: int, limit: int, more: Row | None = None
) -> list[tuple[Snapshot, Row]]:
    """What was read until ``latest`` and held in the span, newest first, and its row."""
    holds = {"_id": url, "text": {"$ne": None}}
    current = await database.documents.find_one(holds, _CURRENT | (more or {}))
    began: Row = {"$lte": latest}
    found = []
    if current is not None:
        began["$ne"] = current.get("read_at", 0)
        if began["$ne"] <= latest:
            found.append((_current(current), current))
    place = {"url": url, "at": began, "until": {"$gte": span.begin}}
    rows = database.snapshots.find(place, _FORMER | (more or {})).sort("at", -1)
    former = await rows.limit(limit).to_list(None)
    return [*found, *((_former(row), row) for row in former)][:limit]


def _current(row: Row) -> Snapshot:
    at = row.get("read_at", 0)
    return Snapshot(row["_id"], at, None, row["content_type"], row["language"])


def _former(row: Row) -> Snapshot:
    return Snapshot(row["url"], row["at"], row["until"], row["content_type"], row["language"])
