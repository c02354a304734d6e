"""Publishes that a page was visited, while a subscription may wait for a change to stand."""

from dataclasses import replace

from schemas.waiting import DocumentVisited
from streams.core.fetching.due_view import DueView
from streams.core.fetching.visits import is_visit_awaited
from streams.core.ids import content_id
from streams.core.outcome import Send
from streams.fetch.cache import CachedState
from streams.fetch.effects import Effects
from streams.topics import CHANGES


async def publish_visit(
    effects: Effects, due: DueView, before: CachedState, after: CachedState
) -> CachedState:
    """Publish a visit that has read a page, or found it unchanged; returns what to cache.

    It is not stored before: the next visit makes up for one that a crash has lost.
    """
    is_same = before.read_at == after.read_at
    published, last = (before.published, before.published_at) if is_same else (0, 0)
    if not is_visit_awaited(due.watched, after.read_at, published, last):
        return after
    at = effects.clock()
    visit = DocumentVisited(
        id=content_id(due.url, due.view_id, due.slot, "visited"),
        url=due.url,
        watch=due.watch,
        slot=due.slot,
        at=at,
        view=due.view_id,
    )
    await effects.publish([Send(CHANGES.name, due.url, visit)])
    return replace(after, published=published + 1, published_at=at)
