"""Publishes the records that a stored state holds, and visits for which a subscription waits."""

from schemas.records.documents import Document, Unpublished
from schemas.records.topics import CHANGES
from schemas.records.views import WatchedView
from schemas.records.waiting import DocumentVisited
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.effects import Effects
from streams.values.ids import content_id
from streams.values.outcome import Send


async def publish_records(effects: Effects, left: Unpublished) -> None:
    """Publish the records that a stored state holds, then clear them.

    Bytes and ids are those of the first time, however often this is repeated.
    """
    await effects.publish(Send(CHANGES.name, left.url, record) for record in left.records)
    await effects.snapshots.clear_unpublished(left.url, left.version, left.view)


async def publish_if_any(effects: Effects, document: Document) -> None:
    """Publish and clear the records of a state that was loaded or has just been written."""
    if document.unpublished:
        left = Unpublished(document.url, document.version, document.unpublished, document.view)
        await publish_records(effects, left)


def is_visit_awaited(watched: WatchedView, read_at: int, published: int, last: int) -> bool:
    """Return whether a subscription may wait for one more visit of a view to find its text.

    The text was first read at ``read_at`` (epoch ms), and so many visits of it were published,
    the last one at ``last``. A restart may count too few; that does no harm.

    >>> view = WatchedView(patience_visits=3)
    >>> is_visit_awaited(view, 1_000, published=2, last=3_000)
    True
    >>> is_visit_awaited(view, 1_000, published=3, last=4_000)
    False
    """
    if not (watched.patience or watched.patience_visits):
        return False
    is_over = last >= read_at + watched.patience * 1000
    return not published or published < watched.patience_visits or not is_over


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
    return after._replace(published=published + 1, published_at=at)
