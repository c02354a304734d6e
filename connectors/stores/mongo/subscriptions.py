"""The API's part: subscriptions, with the state of their documents."""

from collections.abc import Collection

from connectors.stores import cursor
from connectors.stores.mongo.database import Database, MongoPart, Row, asks, document_key
from connectors.stores.packing import receiver_key, unpack_subscription
from connectors.stores.pages import ListedSubscription, ListingPage
from connectors.stores.span import Span
from schemas.subscriptions import Receiver

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

    @asks
    async def active_id(self, manager: str, url: str, receiver: Receiver) -> str | None:
        """Look up the id of the subscription that a receiver has of a canonical URL, if any."""
        query = {
            "manager": manager,
            "url": url,
            "receiver": receiver_key(receiver),
            "ended": None,
        }
        row = await self.database.subscriptions.find_one(query, {"_id": 1})
        return None if row is None else str(row["_id"])


async def span_of(
    database: Database, manager: str, url: str, subscription: str | None
) -> Span | None:
    """Compute for how long a manager has had subscriptions of a document that are listed.

    Those with the view of one ``subscription``, or of the oldest that has not ended.
    """
    fields = {"created": 1, "ended": 1, "view": 1}
    rows = await database.subscriptions.find({"manager": manager, "url": url}, fields).to_list(None)
    asked = [row for row in rows if subscription in (None, row["_id"])]
    if not asked:
        return None
    view: str = min(asked, key=lambda row: (-_end(row), row["created"], row["_id"]))["view"]
    alike = [row for row in rows if row["view"] == view]
    return Span(view, min(row["created"] for row in alike), max(map(_end, alike)))


def _end(row: Row) -> int:
    ended: int | None = row.get("ended")
    return cursor.LATEST if ended is None else ended


async def _with_documents(database: Database, rows: list[Row]) -> list[ListedSubscription]:
    urls = list({row["url"] for row in rows if row.get("ended") is None})
    watches = await _by_id(database, "watches", urls, "id", "interval")
    keys = list({_document_key(row) for row in rows if row.get("ended") is None})
    state = ("watch", "failures", "last_error", "flapping_until", "title")
    documents = await _by_id(database, "documents", keys, *state)
    checks = await _by_id(database, "checks", urls, "watch", "at")
    waits = await _by_id(database, "waits", urls, "watch", "since", "reason")
    found = []
    for row in rows:
        watch = _NONE if row.get("ended") is not None else watches.get(row["url"], _NONE)
        document = documents.get(_document_key(row), _NONE)
        check = checks.get(row["url"], _NONE)
        wait = waits.get(row["url"], _NONE)
        of_watch = (_of(each, watch) for each in (document, check, wait))
        found.append(_listed(row, watch, *of_watch))
    return found


async def _by_id(
    database: Database, collection: str, ids: list[str], *fields: str
) -> dict[str, Row]:
    """Look up the rows with these ids, without the text of a document."""
    rows = database[collection].find({"_id": {"$in": ids}}, dict.fromkeys(fields, 1))
    return {row["_id"]: row for row in await rows.to_list(None)}


def _document_key(row: Row) -> str:
    return document_key(row["url"], row["view"])


def _of(row: Row, watch: Row) -> Row:
    """Return the row if it belongs to this watch."""
    is_known = watch.get("id") is not None and row.get("watch") == watch["id"]
    return row if is_known else _NONE


def _listed(row: Row, watch: Row, document: Row, check: Row, wait: Row) -> ListedSubscription:
    return ListedSubscription(
        subscription=unpack_subscription(row["body"]),
        state=row["state"],
        reason=row.get("reason"),
        ended=row.get("ended"),
        interval=watch.get("interval"),
        last_check=check.get("at"),
        failures=document.get("failures", 0),
        last_error=document.get("last_error"),
        waiting_since=wait.get("since"),
        waiting_for=wait.get("reason"),
        flapping_until=document.get("flapping_until", 0),
        title=document.get("title", ""),
    )
