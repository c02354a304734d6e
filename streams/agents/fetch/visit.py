"""One visit to one document: it is fetched once, and read in each view that is due.

The views of a visit have one request part; what is known covers those of other visits, too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import structlog
from xxhash import xxh3_128_digest

from schemas.codec.times import minute_utc
from schemas.records.answers import PageQuery, Response
from schemas.records.fetches import Due
from schemas.records.page_requests import PageRequest
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.due_view import due_views
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.politeness.fair_slots import loop_time
from streams.agents.fetch.postponed import Postponed
from streams.agents.fetch.publishing import publish_if_any
from streams.agents.fetch.reading_views import ReadingViews
from streams.agents.fetch.request_parts import request_of
from streams.agents.fetch.view_visit import (
    OvertakenError,
    ViewVisit,
    asks_to_wait,
    handle_failure,
    handle_unread,
    is_left_out,
    is_read_again,
    view_visit_of,
)
from streams.values.slots import FURTHEST_MS

log = structlog.get_logger()

READING_MS = 30_000
"""After this time, views in which the page is not read yet wait for their next slot."""

States = dict[str, CachedState]
"""The known states of a document, by the id of the view."""


class VisitResult(NamedTuple):
    """``states`` are what to cache from now on, None if that is for the store to say.

    The host took so many ``seconds`` to answer, None if it was asked for nothing.
    """

    states: Sequence[CachedState] | None
    seconds: float | None


async def visit(effects: Effects, due: Due, cached: Sequence[CachedState] | None) -> VisitResult:
    """Fetch a document for a due time, and publish what has changed in each view.

    ``cached`` is what the worker knows of the document, None if it has to ask the store.
    Raises Postponed if the visit has to be repeated for a reason that is not the page's.
    """
    states = await _known_states(effects, due, cached)
    known = (view_visit_of(effects, each, states.get(each.view_id)) for each in due_views(due))
    visits = [each for each in known if each is not None]
    if not visits or _is_left_alone(effects, due, visits, states) or is_left_out(effects, visits):
        return VisitResult(tuple(states.values()), None)
    begun = loop_time()
    try:
        found: Response | str = await _get(effects, request_of(due), visits)
    except Postponed as error:
        raise Postponed(str(error), tuple(states.values())) from error
    except effects.failures as error:
        found = str(error)
    seconds = loop_time() - begun
    try:
        reason = await _handle_each(effects, visits, found, states)
    except OvertakenError:
        log.warning("another worker was faster", url=due.url, watch=due.watch, slot=due.slot)
        return VisitResult(None, seconds)
    if isinstance(found, Response) and asks_to_wait(found):
        until = effects.clock() + (found.retry_after or 0) * 1000
        for view, state in states.items():
            states[view] = state._replace(not_before=max(state.not_before, until))
    if reason is not None:
        raise Postponed(reason, tuple(states.values()))
    return VisitResult(tuple(states.values()), seconds)


def _is_left_alone(effects: Effects, due: Due, visits: Sequence[ViewVisit], states: States) -> bool:
    """Return whether the server of a page asks to be left alone now.

    Raises Postponed for a visit that no failure postpones: it is made after that time.
    """
    until = max(each.before.not_before for each in visits)
    if effects.clock() < until and due.interval is None:
        reason = f"its server asks to be left alone until {minute_utc(until)}"
        raise Postponed(reason, tuple(states.values()))
    return effects.clock() < until


async def _known_states(effects: Effects, due: Due, cached: Sequence[CachedState] | None) -> States:
    """Return what is known in each view, and forget the views that nobody uses any more."""
    if cached is None:
        slots = await effects.snapshots.slots(due.url, due.watch)
        cached = [CachedState(view, due.watch, slot, version=0) for view, slot in slots.items()]
    states = {state.view: state for state in cached}
    own = {each.id for each in due.views}
    for view in own:
        # Another visit had no use for a view that is not known yet. A state without a version may
        # be one that another command found to be stored.
        if view in states and states[view].version:
            continue
        document = await effects.snapshots.document(due.url, view)
        if document is not None:
            await publish_if_any(effects, document)
            states[view] = CachedState.of(document)
    for view in states.keys() - own - set(due.elsewhere):
        # A command that waited for its slot, or is read again, may be older than a view that came
        # into use since.
        if states[view].watch == due.watch and states[view].slot < due.slot - FURTHEST_MS:
            # Another agent may have written it since this one saw it.
            await effects.snapshots.forget(due.url, due.watch, view, due.slot)
            del states[view]
    return states


async def _handle_each(
    effects: Effects, visits: Sequence[ViewVisit], found: Response | str, states: States
) -> str | None:
    """Handle a response, or the reason why there is none, in each view.

    The page is read first in those that failed least, so that none waits for one in which it is
    hard to read, and of these in the one that was read longest ago. Returns why it has to be
    repeated.
    """
    if isinstance(found, str):
        for each in visits:
            states[each.due.view_id] = await handle_failure(effects, each, found)
        return None
    begun, body_hash = effects.clock(), xxh3_128_digest(found.body)
    unread = []
    for each in sorted(visits, key=lambda each: (each.before.failures, each.before.slot)):
        after = await handle_unread(effects, each, found, body_hash)
        if after is None:
            unread.append(each)
        else:
            states[each.due.view_id] = after
    if not unread:
        return None
    page = FetchedPage(found, body_hash, begun, effects.keep_bodies)
    late = begun + READING_MS
    return await ReadingViews(effects, page, states, lambda: effects.clock() > late).read(unread)


async def _get(effects: Effects, request: PageRequest, visits: Sequence[ViewVisit]) -> Response:
    """Request the page; with validators only if it was the same when each view was last read.

    One that has to be read again is requested without.
    """
    seen = {(each.before.etag, each.before.last_modified) for each in visits}
    if any(is_read_again(effects, each) for each in visits):
        seen = {(None, None)}
    etag, last_modified = seen.pop() if len(seen) == 1 else (None, None)
    statuses = {status for each in visits for status in each.due.view.on_status}
    return await effects.get(PageQuery(visits[0].due.url, etag, last_modified, statuses, request))
