"""The API's part: subscriptions, with the state of their documents."""

from collections.abc import Collection

from connectors.stores import cursor
from connectors.stores.mongo.database import Database, MongoPart, Row, asks
from connectors.stores.packing import unpack_subscription
from connectors.stores.pages import ListedSubscription, ListingPage
from connectors.stores.span import Span
from schemas.facts import Watch

_NONE: Row = {}


class MongoSubscriptions(MongoPart):
    """Implements ``connectors.stores.ports.SubscriptionReader``."""

    @asks
    async def page(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[ListedSubscription]:
        """List a manager's subscriptions, oldest first."""
        created, last = cursor.read(after)
        beyond = [{"created": {"$gt": created}}, {"created": created, "_id": {"$gt": last}}]
        found = self.database.subscriptions.find({"manager": manager, "$or": beyond})
        # One more than asked for shows whether another page follows.
        rows = await found.sort([("created", 1), ("_id", 1)]).limit(limit + 1).to_list(None)
        shown = rows[:limit]
        more = len(rows) > limit and shown
        return ListingPage(
            items=tuple(await _with_documents(self.database, shown)),
            next=cursor.written(shown[-1]["created"], shown[-1]["_id"]) if more else None,
        )

    @asks
    async def get(self, manager: str, subscription: str) -> ListedSubscription | None:
        """Look up one of a manager's subscriptions."""
        query = {"_id": subscription, "manager": manager}
        row = await self.database.subscriptions.find_one(query)
        return None if row is None else (await _with_documents(self.database, [row]))[0]

    @asks
    async def count_active(self, manager: str, without: Collection[str] = ()) -> int:
        """Count a manager's subscriptions that have not ended, except those with these ids."""
        query = {"manager": manager, "ended": None, "_id": {"$nin": list(without)}}
        return await self.database.subscriptions.count_documents(query)


async def span_of(database: Database, manager: str, url: str) -> Span | None:
    """Compute for how long a manager has had subscriptions of a document that are listed."""
    query, fields = {"manager": manager, "url": url}, {"created": 1, "ended": 1}
    rows = await database.subscriptions.find(query, fields).to_list(None)
    if not rows:
        return None
    ends = [cursor.LATEST if row.get("ended") is None else row["ended"] for row in rows]
    return Span(min(row["created"] for row in rows), max(ends))


async def _with_documents(database: Database, rows: list[Row]) -> list[ListedSubscription]:
    urls = list({row["url"] for row in rows if row.get("ended") is None})
    watches = await _by_url(database, "watches", urls, "id", "interval", "content_type")
    documents = await _by_url(database, "documents", urls, "watch", "failures", "last_error")
    checks = await _by_url(database, "checks", urls, "watch", "at")
    found = []
    for row in rows:
        watch = _NONE if row.get("ended") is not None else watches.get(row["url"], _NONE)
        document, check = documents.get(row["url"], _NONE), checks.get(row["url"], _NONE)
        found.append(_listed(row, watch, _of(document, watch), _of(check, watch)))
    return found


async def _by_url(
    database: Database, collection: str, urls: list[str], *fields: str
) -> dict[str, Row]:
    """Look up the rows of these URLs, without the text of a document."""
    rows = database[collection].find({"_id": {"$in": urls}}, dict.fromkeys(fields, 1))
    return {row["_id"]: row for row in await rows.to_list(None)}


def _of(row: Row, watch: Row) -> Row:
    """Return the row if it belongs to this watch."""
    is_known = watch.get("id") is not None and row.get("watch") == watch["id"]
    return row if is_known else _NONE


def _listed(row: Row, watch: Row, document: Row, check: Row) -> ListedSubscription:
    return ListedSubscription(
        subscription=unpack_subscription(row["body"]),
        state=row["state"],
        reason=row.get("reason"),
        ended=row.get("ended"),
        watch=_watch(watch),
        last_check=check.get("at"),
        failures=document.get("failures", 0),
        last_error=document.get("last_error"),
    )


def _watch(row: Row) -> Watch | None:
    """Convert the row of a watch; one that has ended has no id."""
    if row.get("id") is None:
        return None
    return Watch(row["id"], row["interval"], row["content_type"])
