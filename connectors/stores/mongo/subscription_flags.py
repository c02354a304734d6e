"""Flags of listed subscriptions, from recorded facts."""

from dataclasses import replace

from connectors.stores.mongo.database import Database
from connectors.stores.packing import waiting_key_of
from connectors.stores.pages import ListedSubscription, WithoutRoom
from connectors.stores.read_side import NO_ROOM, crawl_subject_of, with_waiting
from connectors.stores.span import shown_state
from schemas.records.crawls import MAX_WITHOUT_ROOM


async def with_noted(
    database: Database, items: list[ListedSubscription]
) -> list[ListedSubscription]:
    """Add waiting edits, and the pages of crawls without room, for display."""
    keys = {f"waiting {key}" for each in items if (key := waiting_key_of(each.subscription))}
    if keys:
        rows = database.facts.find({"_id": {"$in": list(keys)}}, {"fact": 1})
        packed = {row["_id"].removeprefix("waiting "): row["fact"] async for row in rows}
        items = with_waiting(items, packed)
    found = [*map(shown_state, items)]
    crawls = {name: at for at, each in enumerate(found) if (name := crawl_subject_of(each))}
    if crawls:
        asked = {"kind": NO_ROOM, "subject": {"$in": list(crawls)}}
        for subject in await database.facts.distinct("subject", asked):
            query = {"kind": NO_ROOM, "subject": subject}
            newest = await database.facts.find_one(query, {"at": 1}, sort=[("at", -1)])
            if newest is None:  # a page of the crawl has got the last room meanwhile
                continue
            count = await database.facts.count_documents(query, limit=MAX_WITHOUT_ROOM)
            at = crawls[subject]
            found[at] = replace(found[at], without_room=WithoutRoom(count, newest["at"]))
    return found
