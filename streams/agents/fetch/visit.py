"""One visit to one document: it is fetched once, and read in each view that is due.

The views of a visit have one request part; what is known covers those of other visits, too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import structlog
from xxhash import xxh3_128_digest

from schemas.records.answers import PageQuery, Response
from schemas.records.fetches import Due
from schemas.records.page_requests import PageRequest
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.due_parts import request_of
from streams.agents.fetch.due_view import due_views
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.examining import FetchedResponse
from streams.agents.fetch.publishing import publish_if_any
from streams.agents.fetch.put_off import PutOff
from streams.agents.fetch.reading_views import ReadingViews
from streams.agents.fetch.turn import (
    OvertakenError,
    Turn,
    asks_to_wait,
    handle_failure,
    handle_unread,
    is_left_out,
    is_read_again,
    turn_of,
)
from streams.values.slots import FURTHEST_MS

log = structlog.get_logger()

READING_MS = 30_000
"""After this time, views in which the page is not read yet wait for their next slot."""

States = dict[str, CachedState]
"""What is known of a document in each view, by the view's id."""


async def visit(
    effects: Effects, due: Due, cached: Sequence[CachedState] | None
) -> Sequence[CachedState] | None:
    """Fetch a document for a due time, and publish what has changed in each view.

    ``cached`` is what the worker knows of the document, None if it has to ask the store.
    Returns what to cache from now on; None if that is for the store to say. Raises PutOff if
    the visit has to be repeated for a reason that is not the page's.
    """
    try:
        states = await _known_states(effects, due, cached)
        turns = [turn_of(effects, each, states.get(each.view_id)) for each in due_views(due)]
        taken = [turn for turn in turns if turn is not None]
        reason = await _take_turns(effects, request_of(due), taken, states)
    except OvertakenError:
        log.warning("another worker was faster", url=due.url, watch=due.watch, slot=due.slot)
        return None
    if reason is not None:
        raise PutOff(reason, tuple(states.values()))
    return tuple(states.values())


async def _known_states(effects: Effects, due: Due, cached: Sequence[CachedState] | None) -> States:
    """Return what is known in each view, and forget the views that nobody uses any more."""
    if cached is None:
        slots = await effects.snapshots.slots(due.url, due.watch)
        cached = [CachedState(view, due.watch, slot, version=0) for view, slot in slots.items()]
    states = {state.view: state for state in cached}
    own = {each.id for each in due.views}
    await _load_states(effects, due, own, states)
    for view in states.keys() - own - set(due.elsewhere):
        # A command that waited for its slot, or is read again, may be older than a view that came
        # into use since.
        if states[view].watch == due.watch and states[view].slot < due.slot - FURTHEST_MS:
            # Another stage may have written it since this one saw it.
            await effects.snapshots.forget(due.url, due.watch, view, due.slot)
            del states[view]
    return states


async def _load_states(effects: Effects, due: Due, views: Iterable[str], states: States) -> None:
    """Load what is stored in views of which that is not known yet: another visit had no use for it.

    A state without a version may be one that another command found to be stored.
    """
    for view in views:
        if view in states and states[view].version:
            continue
        document = await effects.snapshots.document(due.url, view)
        if document is not None:
            await publish_if_any(effects, document)
            states[view] = CachedState.of(document)


async def _take_turns(
    effects: Effects, request: PageRequest, turns: Sequence[Turn], states: States
) -> str | None:
    """Fetch the page once, and handle the response in each view by itself.

    Returns why it has to be repeated.
    """
    now = effects.clock()
    if not turns or now < max(turn.before.not_before for turn in turns):
        return None
    if is_left_out(effects, turns):
        return None
    try:
        found: Response | str = await _get(effects, request, turns)
    except PutOff as error:
        return str(error)
    except effects.failures as error:
        found = str(error)
    reason = await _handle_each(effects, turns, found, states)
    if isinstance(found, Response) and asks_to_wait(found):
        _hold(states, effects.clock() + (found.retry_after or 0) * 1000)
    return reason


async def _handle_each(
    effects: Effects, turns: Sequence[Turn], found: Response | str, states: States
) -> str | None:
    """Handle a response, or the reason why there is none, in each view.

    The page is read first in those that failed least, so that none waits for one in which it is
    hard to read, and of these in the one that was read longest ago. Returns why it has to be
    repeated.
    """
    if isinstance(found, str):
        for turn in turns:
            states[turn.due.view_id] = await handle_failure(effects, turn, found)
        return None
    begun, body_hash = effects.clock(), xxh3_128_digest(found.body)
    unread = []
    for turn in sorted(turns, key=lambda turn: (turn.before.failures, turn.before.slot)):
        after = await handle_unread(effects, turn, found, body_hash)
        if after is None:
            unread.append(turn)
        else:
            states[turn.due.view_id] = after
    fetched = FetchedResponse(found, body_hash, begun, effects.keep_bodies)
    late = begun + READING_MS
    return await ReadingViews(effects, fetched, states, lambda: effects.clock() > late).read(unread)


def _hold(states: States, until: int) -> None:
    """Leave the page alone in all views: its server asked for that, however it is requested."""
    for view, state in states.items():
        states[view] = replace(state, not_before=max(state.not_before, until))


async def _get(effects: Effects, request: PageRequest, turns: Sequence[Turn]) -> Response:
    """Request the page; with validators only if it was the same when each view was last read.

    One that has to be read again is requested without.
    """
    seen = {(turn.before.etag, turn.before.last_modified) for turn in turns}
    if any(is_read_again(effects, turn) for turn in turns):
        seen = {(None, None)}
    etag, last_modified = seen.pop() if len(seen) == 1 else (None, None)
    statuses = {status for turn in turns for status in turn.due.view.on_status}
    return await effects.get(PageQuery(turns[0].due.url, etag, last_modified, statuses, request))
