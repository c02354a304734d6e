"""The API's side: subscriptions with the state of their documents."""

import asyncio
from typing import Any

from connectors.stores import cursor
from connectors.stores.base import Listed, ListingPage, Told
from connectors.stores.history import HistoryPage
from connectors.stores.mongo.database import Database, Row
from connectors.stores.packing import client_subject, plain, subscription_of
from connectors.stores.spans import Span
from schemas.facts import Watch

_NONE: Row = {}


async def subscriptions(
    database: Database, manager: str, after: str | None, limit: int
) -> ListingPage[Listed]:
    """One page of a manager's subscriptions, oldest first."""
    created, last = cursor.read(after)
    beyond = [{"created": {"$gt": created}}, {"created": created, "_id": {"$gt": last}}]
    found = database.subscriptions.find({"manager": manager, "$or": beyond})
    # One more than asked for tells whether there is a next page.
    rows = await found.sort([("created", 1), ("_id", 1)]).limit(limit + 1).to_list(None)
    shown = rows[:limit]
    more = len(rows) > limit and shown
    return ListingPage(
        items=tuple(await _listed(database, shown)),
        next=cursor.written(shown[-1]["created"], shown[-1]["_id"]) if more else None,
    )


async def subscription(database: Database, manager: str, name: str) -> Listed | None:
    """One of a manager's subscriptions."""
    row = await database.subscriptions.find_one({"_id": name, "manager": manager})
    return None if row is None else (await _listed(database, [row]))[0]


async def changes(
    database: Database, manager: str, url: str, after: str | None, limit: int
) -> ListingPage[Any] | None:
    """The changes of a document while a manager had subscriptions of it, newest first."""
    span = await span_of(database, manager, url)
    if span is None:
        return None
    return await _history(database, ("change", url), (span.begin, span.end), after, limit)


async def span_of(database: Database, manager: str, url: str) -> Span | None:
    """Give for how long a manager has had subscriptions of a document that are listed."""
    place, fields = {"manager": manager, "url": url}, {"created": 1, "ended": 1}
    rows = await database.subscriptions.find(place, fields).to_list(None)
    if not rows:
        return None
    ends = [cursor.LATEST if row.get("ended") is None else row["ended"] for row in rows]
    return Span(min(row["created"] for row in rows), max(ends))


async def told(
    database: Database, kind: Told, manager: str, client: str, after: str | None, limit: int
) -> ListingPage[Any]:
    """What a manager's client was told, or what came of it, newest first."""
    place = kind, client_subject(manager, plain(client))
    return await _history(database, place, (0, cursor.LATEST), after, limit)


async def _history(
    database: Database, place: tuple[str, str], span: tuple[int, int], after: str | None, limit: int
) -> ListingPage[Any]:
    at, last = cursor.read(after, cursor.LATEST)
    kind, subject = place
    query = {
        "kind": kind,
        "subject": subject,
        "at": {"$gte": span[0], "$lte": span[1]},
        "$or": [{"at": {"$lt": at}}, {"at": at, "_id": {"$lt": f"{kind} {last}"}}],
    }
    page = HistoryPage(limit)
    rows = database.history.find(query).sort([("at", -1), ("_id", -1)]).limit(limit + 1)
    async for row in rows:
        if not page.add(row["at"], row["_id"].removeprefix(f"{kind} "), row["fact"]):
            break
    return await asyncio.to_thread(page.page)


async def count_active(database: Database, manager: str) -> int:
    """Count a manager's subscriptions that have not ended."""
    return await database.subscriptions.count_documents({"manager": manager, "ended": None})


async def _listed(database: Database, rows: list[Row]) -> list[Listed]:
    urls = list({row["url"] for row in rows if row.get("ended") is None})
    watches = await _by_url(database, "watches", urls, "id", "interval", "content_type")
    documents = await _by_url(database, "documents", urls, "watch", "failures", "last_error")
    checks = await _by_url(database, "checks", urls, "watch", "at")
    found = []
    for row in rows:
        watch = _NONE if row.get("ended") is not None else watches.get(row["url"], _NONE)
        document, check = documents.get(row["url"], _NONE), checks.get(row["url"], _NONE)
        found.append(_one(row, watch, _of(document, watch), _of(check, watch)))
    return found


async def _by_url(
    database: Database, collection: str, urls: list[str], *fields: str
) -> dict[str, Row]:
    """The rows of these URLs, without the text that a document has."""
    rows = database[collection].find({"_id": {"$in": urls}}, dict.fromkeys(fields, 1))
    return {row["_id"]: row for row in await rows.to_list(None)}


def _of(row: Row, watch: Row) -> Row:
    """The row, if it is of this watch."""
    is_known = watch.get("id") is not None and row.get("watch") == watch["id"]
    return row if is_known else _NONE


def _one(row: Row, watch: Row, document: Row, check: Row) -> Listed:
    name = watch.get("id")
    return Listed(
        subscription=subscription_of(row["body"]),
        state=row["state"],
        reason=row.get("reason"),
        ended=row.get("ended"),
        watch=None if name is None else Watch(name, watch["interval"], watch["content_type"]),
        last_check=check.get("at"),
        failures=document.get("failures", 0),
        last_error=document.get("last_error"),
    )
