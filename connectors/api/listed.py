"""Subscriptions and pages of crawls as JSON, the same in the REST API and in the commands."""

from typing import Any

from connectors.reads.covered_pages import PageState
from connectors.stores.pages import ListedSubscription
from schemas.codec.json_requests import flat_json, present_json
from schemas.codec.times import rfc3339
from schemas.records.waiting import ChangesWaiting


def listed_json(listed: ListedSubscription, now: int) -> dict[str, Any]:
    """Return the fields of ``GET /subscriptions`` ``now`` (epoch ms), without ``nextCheck``."""
    subscription, without_room = listed.subscription, listed.without_room
    return {
        "id": subscription.id,
        "documentUrl": subscription.document_url,
        **present_json(subscription.receiver),
        "name": subscription.name,
        "keywords": list(subscription.keywords),
        **flat_json(subscription.options),
        "state": listed.state,
        "reason": listed.reason,
        "ended": time_or_null(listed.ended),
        "undoUntil": time_or_null(listed.undo_until),
        "lastCheck": time_or_null(listed.last_check),
        "failures": listed.failures,
        "lastError": listed.last_error,
        "waitingSince": time_or_null(listed.waiting_since),
        "waitingFor": listed.waiting_for,
        "flapping": listed.flapping_until > now,
        "title": listed.title,
        "missing": listed.missing,
        "lostSince": time_or_null(listed.lost_since),
        "confidence": listed.confidence,
        "notYetNotified": _not_yet_notified(listed.waiting),
        "pagesWithoutRoom": without_room
        and {"count": without_room.count, "at": rfc3339(without_room.at)},
    }


def _not_yet_notified(waiting: ChangesWaiting | None) -> dict[str, Any] | None:
    if waiting is None:
        return None
    return {
        "changes": waiting.changes,
        "since": time_or_null(waiting.since or None),
        "dropped": waiting.dropped,
        "reason": waiting.reason or None,
        "droppedAt": time_or_null(waiting.dropped_at or None),
    }


def page_json(page: PageState) -> dict[str, Any]:
    """Return the state of a page in a crawl."""
    return {
        "url": page.url,
        "state": page.state,
        "reason": page.reason,
        "depth": page.depth,
        "via": page.via,
        "mirrorOf": page.mirror_of,
        "at": time_or_null(page.at),
    }


def time_or_null(time: int | None) -> str | None:
    """Format a time (epoch ms), if given."""
    return None if time is None else rfc3339(time)
