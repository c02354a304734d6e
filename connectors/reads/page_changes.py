"""The change of a page for a subscription to several pages, and the snapshots around."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypedDict

from connectors.stores.packing import crawl_of, page_fact_id
from connectors.stores.ports import PAGES_OF_CRAWL, FactReader, SubscriptionReader, TextReader
from schemas.codec.times import rfc3339
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Snapshot
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription
from schemas.records.urls import canonical

MAX_WATCHES = 1000
"""Subscriptions of a page to search for the change, the newest first."""
MAX_VIEWS = 50
"""Views of a page to search."""
MAX_CRAWLS = 50
"""Crawls of a page to search for the change."""

Loaded = tuple[Snapshot, str] | None
"""A snapshot with its text, if kept."""


@dataclass(frozen=True, slots=True)
class SnapshotsAround:
    """The snapshots before and after a change; None for a deleted snapshot."""

    before: Loaded = None
    after: Loaded = None


async def load_change_of_page(
    subscriptions: SubscriptionReader, facts: FactReader, notified: Notification
) -> tuple[Subscription, Any] | None:
    """Load the change of a notification, and a subscription to the page with the same view.

    None for a test, or if either is deleted.
    """
    manager, url = notified.manager, canonical(notified.url)
    if notified.test or not url:
        return None
    by_views: dict[frozenset[str], Subscription] = {}
    for each in await subscriptions.of_document(manager, url, MAX_WATCHES):
        views = each.subscription.view_id, *(view.view for view in each.subscription.earlier_views)
        by_views.setdefault(frozenset(views), each.subscription)
    watching = list(by_views.values())[:MAX_VIEWS]
    if found := await _first_with(facts, watching, url, notified.change):
        return found
    # Several crawls may cover the page, now or before, each at its own times.
    crawls = {each.id: each for each in await subscriptions.crawls(manager, MAX_WATCHES)}
    names = [page_fact_id(each, url) for each in crawls]
    covering: dict[str, Subscription] = {}
    for kind in PAGES_OF_CRAWL:
        pages = await facts.with_ids(kind, manager, crawls, names)
        covering |= {crawl_of(each): crawls[crawl_of(each)] for each in pages.items}
    return await _first_with(facts, list(covering.values())[:MAX_CRAWLS], url, notified.change)


async def _first_with(
    facts: FactReader, watching: list[Subscription], url: str, change: str
) -> tuple[Subscription, Any] | None:
    """Return the first of some subscriptions with a change of a page, and the change."""
    for one in watching:
        found = await facts.change(one.manager, url, change, one.id)
        if found is not None:
            return one, found
    return None


async def load_snapshots_around(
    texts: TextReader, subscription: Subscription, fact: Any
) -> SnapshotsAround:
    """Load the snapshots around a fact of ``changes``, in the view of a subscription.

    A snapshot of another time is none of its: those in between are not kept any more.
    """
    if not isinstance(fact, DocumentChanged):
        return SnapshotsAround()
    asked = subscription.manager, fact.url
    before = await texts.snapshot(*asked, fact.at - 1, subscription.id)
    after = await texts.snapshot(*asked, fact.at, subscription.id)
    return SnapshotsAround(
        before=before if before and before[0].until == fact.at else None,
        after=after if after and after[0].at == fact.at else None,
    )


class HashedSnapshot(TypedDict):
    """The times (RFC 3339) of a snapshot, and the size and hash of its text."""

    at: str
    until: str | None
    characters: int
    sha256: str


def hashed_snapshot(found: Loaded) -> HashedSnapshot | None:
    """Hash the text of a snapshot, for evidence; None if deleted."""
    if found is None:
        return None
    snapshot, text = found
    return {
        "at": rfc3339(snapshot.at),
        "until": None if snapshot.until is None else rfc3339(snapshot.until),
        "characters": len(text),
        "sha256": text_hash(text),
    }


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in which a surrogate by itself, as in JSON, may be."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
