"""Publishes that a page was visited, while a subscription may wait for a change to stand."""

from dataclasses import replace

from schemas.records.waiting import DocumentVisited
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.waited_visits import is_visit_awaited
from streams.values.ids import content_id
from streams.values.outcome import Send
from streams.values.topics import CHANGES


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
