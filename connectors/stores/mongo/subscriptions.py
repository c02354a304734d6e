"""The API's part: subscriptions, with the state of their documents."""

import re
from collections.abc import Collection
from operator import itemgetter

from connectors.stores import cursor
from connectors.stores.mongo.database import Database, MongoPart, Row, asks, document_key
from connectors.stores.mongo.subscription_flags import with_noted
from connectors.stores.packing import (
    packed_text,
    page_fact_id,
    receiver_key,
    unpack_fact,
    unpack_subscription,
)
from connectors.stores.pages import (
    MAX_SEARCHED,
    ListedSubscription,
    ListingPage,
    SubscriptionSearch,
)
from connectors.stores.span import SubscribedTime, covered_span, spans_of
from schemas.records.subscriptions import Receiver, Subscription

_NONE: Row = {}
_NEWEST_FIRST = [("created", -1), ("_id", -1)]
_CRAWLS = r'"crawl": \{'
"""The field in a packed subscription; in a text of a subscription the quotes have backslashes."""


class MongoSubscriptions(MongoPart):
    """Implements ``connectors.stores.ports.SubscriptionReader``."""

    @asks
    async def page(
        self, manager: str, after: str | None, limit: int, tag: str = ""
    ) -> ListingPage[ListedSubscription]:
        """List a manager's subscriptions, oldest first."""
        created, last = cursor.read(after)
        beyond = [{"created": {"$gt": created}}, {"created": created, "_id": {"$gt": last}}]
        found = self.database.subscriptions.find({**_of_manager(manager, tag), "$or": beyond})
        # One more than asked for shows whether another page follows.
        rows = await found.sort([("created", 1), ("_id", 1)]).limit(limit + 1).to_list(None)
        shown = rows[:limit]
        more = len(rows) > limit and shown
        return ListingPage(
            items=tuple(await _with_documents(self.database, shown)),
            next=cursor.written(shown[-1]["created"], shown[-1]["_id"]) if more else None,
        )

    @asks
    async def search(
        self, manager: str, asked: SubscriptionSearch, after: str | None, limit: int
    ) -> ListingPage[ListedSubscription]:
        """List the subscriptions of a manager which a search finds, newest first."""
        created, first = cursor.read(after, cursor.LATEST)
        before = [{"created": {"$lt": created}}, {"created": created, "_id": {"$lt": first}}]
        whose = _of_manager(manager, asked.tag)
        every = self.database.subscriptions.find({**whose, "$or": before}, {"created": 1})
        lasts = await every.sort(_NEWEST_FIRST).skip(MAX_SEARCHED - 1).limit(1).to_list(None)
        last = lasts[0] if lasts else None
        limits: list[Row] = [{"$or": before}]
        if last is not None:
            later = {"created": last["created"], "_id": {"$gte": last["_id"]}}
            limits.append({"$or": [{"created": {"$gt": last["created"]}}, later]})
        if asked.text:
            titled = await self._titled({**whose, "$and": limits, "ended": None}, asked.text)
            of_title: Row = {"_id": {"$in": titled}}
            limits.append({"$or": [*_with_text(packed_text(asked.text)), of_title]})
        found = self.database.subscriptions.find({**whose, "$and": limits})
        rows = await found.sort(_NEWEST_FIRST).limit(limit + 1).to_list(None)
        shown = rows[:limit]
        following = shown[-1] if len(rows) > limit and shown else last
        return ListingPage(
            items=tuple(await _with_documents(self.database, shown)),
            next=cursor.written(following["created"], following["_id"]) if following else None,
        )

    async def _titled(self, query: Row, text: str) -> list[str]:
        """Return the ids of a query's subscriptions whose document has a text in its title."""
        rows = await self.database.subscriptions.find(query, {"url": 1, "view": 1}).to_list(None)
        keys = list({_document_key(row) for row in rows})
        title = {"$regex": re.escape(text), "$options": "i"}
        found = self.database.documents.find({"_id": {"$in": keys}, "title": title}, {"_id": 1})
        titled = {row["_id"] for row in await found.to_list(None)}
        return [row["_id"] for row in rows if _document_key(row) in titled]

    @asks
    async def tags(self, manager: str, limit: int) -> list[str]:
        """List the first tags of a manager's newest present subscriptions."""
        steps: list[Row] = [
            {"$match": {"manager": manager, "ended": None}},
            {"$sort": {"created": -1, "_id": -1}},
            {"$limit": MAX_SEARCHED},
            {"$unwind": "$tags"},
            {"$group": {"_id": "$tags"}},
            {"$sort": {"_id": 1}},
            {"$limit": limit},
        ]
        rows = await self.database.subscriptions.aggregate(steps).to_list(None)
        return [row["_id"] for row in rows]

    @asks
    async def get(self, manager: str, subscription: str) -> ListedSubscription | None:
        """Load a subscription of a manager."""
        query = {"_id": subscription, "manager": manager}
        row = await self.database.subscriptions.find_one(query)
        return None if row is None else (await _with_documents(self.database, [row]))[0]

    @asks
    async def of_document(self, manager: str, url: str, limit: int) -> list[ListedSubscription]:
        """List a manager's newest subscriptions to a canonical URL, ended subscriptions too."""
        found = self.database.subscriptions.find({"manager": manager, "url": url})
        rows = await found.sort(_NEWEST_FIRST).limit(limit).to_list(None)
        return await _with_documents(self.database, rows)

    @asks
    async def crawls(self, manager: str, limit: int) -> list[Subscription]:
        """List a manager's newest crawl subscriptions, ended subscriptions too."""
        query = {"manager": manager, "body": {"$regex": _CRAWLS}}
        found = self.database.subscriptions.find(query, {"body": 1})
        rows = await found.sort(_NEWEST_FIRST).limit(limit).to_list(None)
        return [unpack_subscription(row["body"]) for row in rows]

    @asks
    async def count_active(self, manager: str, without: Collection[str] = ()) -> int:
        """Count a manager's subscriptions which have not ended, except for these ids."""
        query = {"manager": manager, "ended": None, "_id": {"$nin": list(without)}}
        return await self.database.subscriptions.count_documents(query)

    @asks
    async def active_id(
        self, manager: str, url: str, receiver: Receiver, name: str = ""
    ) -> str | None:
        """Look up the id of a receiver's subscription of a canonical URL, by its name."""
        query = {
            "manager": manager,
            "url": url,
            "receiver": receiver_key(receiver, name),
            "ended": None,
        }
        row = await self.database.subscriptions.find_one(query, {"_id": 1})
        return None if row is None else str(row["_id"])


def _of_manager(manager: str, tag: str) -> Row:
    return {"manager": manager, "tags": tag} if tag else {"manager": manager}


def _with_text(text: str) -> list[Row]:
    """Return the conditions for a subscription with a text; any of them suffices."""
    escaped = re.escape(text)
    keywords = f'"keywords": \\[.*{escaped}.*\\], "options": '
    given_url = f'"document_url": "[^"]*{escaped}'
    plain = {"url": escaped, "receiver": escaped}
    patterns = {**plain, "body": f"({keywords})|({given_url})"}
    return [{name: {"$regex": each, "$options": "i"}} for name, each in patterns.items()]


async def span_of(
    database: Database,
    manager: str,
    url: str,
    subscription: str | None = None,
    view: str | None = None,
) -> SubscribedTime | None:
    """Compute the time of a manager's listed subscriptions to a document.

    The subscriptions with a ``view``, the view of a ``subscription``, or of the oldest which has
    not ended. A ``subscription`` to another document may cover this document.
    """
    fields = {"created": 1, "ended": 1, "view": 1}
    rows = await database.subscriptions.find({"manager": manager, "url": url}, fields).to_list(None)
    asked = [
        row for row in rows if subscription in (None, row["_id"]) and view in (None, row["view"])
    ]
    if not asked:
        return await _covered(database, manager, url, subscription) if subscription else None
    found: str = min(asked, key=lambda row: (-_end(row), row["created"], row["_id"]))["view"]
    alike = [row for row in rows if row["view"] == found]
    return SubscribedTime(found, min(row["created"] for row in alike), max(map(_end, alike)))


async def _covered(database: Database, manager: str, url: str, crawl: str) -> SubscribedTime | None:
    """Compute for how long a crawl, by the id of its subscription, covers a page, or did."""
    row = await database.subscriptions.find_one({"_id": crawl, "manager": manager}, {"view": 1})
    names = [f"{kind} {page_fact_id(crawl, url)}" for kind in ("page", "removed_page")]
    pages = await database.facts.find({"_id": {"$in": names}}, {"fact": 1, "at": 1}).to_list(None)
    if row is None or not pages:
        return None
    page = max(pages, key=itemgetter("at"))
    return covered_span(unpack_fact(page["fact"]), row["view"])


async def spans_with_earlier(
    database: Database, manager: str, url: str, subscription: str | None
) -> list[SubscribedTime]:
    """Compute the same for a subscription with its earlier views; empty if there are none."""
    span = await span_of(database, manager, url, subscription)
    if span is None:
        return []
    query = {"_id": subscription, "manager": manager}
    row = await database.subscriptions.find_one(query, {"body": 1})
    found = None if row is None else unpack_subscription(row["body"])
    return [span] if found is None or found.url != url else spans_of(span, found)


def _end(row: Row) -> int:
    ended: int | None = row.get("ended")
    return cursor.LATEST if ended is None else ended


async def _with_documents(database: Database, rows: list[Row]) -> list[ListedSubscription]:
    urls = list({row["url"] for row in rows if row.get("ended") is None})
    watches = await _by_id(database, "watches", urls, "id", "interval")
    keys = list({_document_key(row) for row in rows if row.get("ended") is None})
    state = (
        "watch", "failures", "last_error", "flapping_until", "title",
        "missing", "missing_since", "lost", "confidence", "past",
    )  # fmt: skip
    documents = await _by_id(database, "documents", keys, *state)
    every = list({row["url"] for row in rows})
    checks = await _by_id(database, "checks", every, "watch", "at")
    waits = await _by_id(database, "waits", urls, "watch", "since", "reason")
    found = []
    for row in rows:
        watch = _NONE if row.get("ended") is not None else watches.get(row["url"], _NONE)
        document = documents.get(_document_key(row), _NONE)
        check = checks.get(row["url"], _NONE)
        wait = waits.get(row["url"], _NONE)
        of_watch = _of(document, watch), check, _of(wait, watch)
        found.append(_listed(row, watch, *of_watch))
    return await with_noted(database, found)


async def _by_id(
    database: Database, collection: str, ids: list[str], *fields: str
) -> dict[str, Row]:
    """Look up the rows with these ids, without the text of a document."""
    rows = database[collection].find({"_id": {"$in": ids}}, dict.fromkeys(fields, 1))
    return {row["_id"]: row for row in await rows.to_list(None)}


def _document_key(row: Row) -> str:
    return document_key(row["url"], row["view"])


def _of(row: Row, watch: Row) -> Row:
    """Return the row if this watch owns the row."""
    is_known = watch.get("id") is not None and row.get("watch") == watch["id"]
    return row if is_known else _NONE


def _listed(row: Row, watch: Row, document: Row, check: Row, wait: Row) -> ListedSubscription:
    subscription, ended = unpack_subscription(row["body"]), row.get("ended")
    if check.get("watch") != (watch.get("id") if ended is None else subscription.watch):
        check = _NONE
    last_check: int | None = check.get("at")
    if ended is not None and last_check is not None:
        last_check = min(ended, last_check)
    return ListedSubscription(
        subscription=subscription,
        state=row["state"],
        reason=row.get("reason"),
        ended=ended,
        interval=watch.get("interval"),
        last_check=last_check,
        failures=document.get("failures", 0),
        last_error=document.get("last_error"),
        waiting_since=wait.get("since"),
        waiting_for=wait.get("reason"),
        flapping_until=document.get("flapping_until", 0),
        title=document.get("title", ""),
        missing=document.get("missing"),
        lost_since=document.get("missing_since") if document.get("lost") else None,
        confidence=document.get("confidence"),
        past=document.get("past", b""),
    )
