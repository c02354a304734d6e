"""One visit to one document: gather, decide, apply."""

from dataclasses import replace

import structlog
from xxhash import xxh3_128_digest

from schemas.answers import Response
from schemas.documents import Document, Unpublished
from schemas.facts import Due
from streams.core.fetching.snapshots import (
    baseline_for,
    state_after_failure,
    state_after_recovery,
)
from streams.core.outcome import Send
from streams.core.schedule.due import MAX_AHEAD_MS
from streams.fetch.cache import CachedState
from streams.fetch.effects import Effects
from streams.fetch.examining import FetchedResponse
from streams.topics import CHANGES

log = structlog.get_logger()

NOT_MODIFIED = 304
TOO_MANY_REQUESTS = 429
UNAVAILABLE = 503


class _OvertakenError(Exception):
    """Another worker has written this document since we read it, so it is theirs now."""


async def visit(effects: Effects, due: Due, cached: CachedState | None) -> CachedState | None:
    """Fetch a document for a due time, and publish what has changed.

    ``cached`` is what the worker knows of the document, None if it has to ask the store.
    Returns what to cache from now on; None if that is for the store to say.
    """
    known = cached or await _load_state(effects, due.url)
    version = known.version if known else 0
    before = known or _never_read(due, version)
    if _is_past(due, before):
        if before.slot <= effects.clock() + MAX_AHEAD_MS:
            return before
        # The last slot was handled by a clock that was ahead: continue from there.
        due = replace(due, slot=before.slot + 1)
    if before.watch != due.watch or _needs_another_reader(before, due):
        before = _never_read(due, version)
    elif effects.clock() < before.not_before or _is_backing_off(effects, due, before):
        return before
    try:
        return await _fetch(effects, due, before)
    except _OvertakenError:
        log.warning("another worker was faster", url=due.url, watch=due.watch, slot=due.slot)
        return None


async def publish_records(effects: Effects, left: Unpublished) -> None:
    """Publish the records that a stored state holds, then clear them.

    Bytes and ids are those of the first time, however often this is repeated.
    """
    await effects.publish(Send(CHANGES.name, left.url, record) for record in left.records)
    await effects.snapshots.clear_unpublished(left.url, left.version)


# Gather: what is known, and what the server answers.


async def _load_state(effects: Effects, url: str) -> CachedState | None:
    document = await effects.snapshots.document(url)
    if document is None:
        return None
    await _publish_if_any(effects, document)
    return CachedState.of(document)


async def _fetch(effects: Effects, due: Due, before: CachedState) -> CachedState:
    try:
        response = await effects.get(due.url, before.etag, before.last_modified)
        after = await _handle_response(effects, due, before, response)
        return _kept_fresh(after, response, effects.clock())
    except effects.failures as error:
        return await _handle_failure(effects, due, before, str(error))


async def _load_version(effects: Effects, url: str, version: int) -> Document | None:
    """Load a document that must still be in the version that this visit began with.

    Otherwise a worker that was paused meanwhile would take a newer state for the one
    that it fetched against, and overwrite it with an old page.
    """
    document = await effects.snapshots.document(url)
    if (document.version if document else 0) != version:
        raise _OvertakenError
    return document


# Decide.


def _never_read(due: Due, version: int) -> CachedState:
    """The state of a document that was never read for this watch."""
    return CachedState(watch=due.watch, slot=0, version=version)


def _is_past(due: Due, before: CachedState) -> bool:
    """Whether a slot was handled, or comes late for a watch that has ended.

    A late slot would replace the baseline of the watch that followed. That watch may have
    begun shortly before the last slot of the ended one, by another worker's clock.
    """
    tolerance = 0 if before.watch == due.watch else MAX_AHEAD_MS
    return due.slot <= before.slot - tolerance


def _is_backing_off(effects: Effects, due: Due, before: CachedState) -> bool:
    """Whether a page that failed is left alone at this slot."""
    if due.interval is None:
        return False
    return due.slot <= before.slot + effects.pause_ms(before.failures, due.interval)


def _needs_another_reader(before: CachedState, due: Due) -> bool:
    return due.content_type is not None and before.content_type not in (None, due.content_type)


def _asks_to_wait(response: Response) -> bool:
    if response.status == UNAVAILABLE:
        return response.retry_after is not None
    return response.status == TOO_MANY_REQUESTS


def _kept_fresh(state: CachedState, response: Response, now: int) -> CachedState:
    """Do not request the page again while its server says that it is fresh."""
    if response.max_age is None:
        return state
    return replace(state, not_before=max(state.not_before, now + response.max_age * 1000))


# Apply: one of four outcomes.


async def _handle_response(
    effects: Effects, due: Due, before: CachedState, response: Response
) -> CachedState:
    if _asks_to_wait(response):
        return _postpone(effects, due, before, response.retry_after or 0)
    was_read = before.body_hash is not None
    if response.status == NOT_MODIFIED and was_read:
        return await _handle_unchanged(effects, due, before)
    if not 200 <= response.status < 300:
        return await _handle_failure(effects, due, before, f"HTTP {response.status}")
    # Two bodies with one hash can be made on purpose, but that hides only one's own change.
    body_hash = xxh3_128_digest(response.body)
    if body_hash == before.body_hash:
        same = replace(before, etag=response.etag, last_modified=response.last_modified)
        return await _handle_unchanged(effects, due, same)
    fetched = FetchedResponse(response, body_hash, at=effects.clock())
    return await _handle_page(effects, due, before, fetched)


def _postpone(effects: Effects, due: Due, before: CachedState, seconds: int) -> CachedState:
    log.info("postponed", url=due.url, watch=due.watch, seconds=seconds)
    return replace(before, not_before=effects.clock() + seconds * 1000)


async def _handle_unchanged(effects: Effects, due: Due, before: CachedState) -> CachedState:
    log.debug("unchanged", url=due.url, watch=due.watch)
    if not before.failures:
        # Only the cache learns of the slot, so an unchanged page costs no write.
        return replace(before, slot=due.slot)
    stored = await _load_version(effects, due.url, before.version)
    if stored is None:
        raise _OvertakenError
    return await _apply(effects, stored, state_after_recovery(stored, due))


async def _handle_page(
    effects: Effects, due: Due, before: CachedState, fetched: FetchedResponse
) -> CachedState:
    stored = await _load_version(effects, due.url, before.version)
    after = await effects.examine(baseline_for(stored, due), due, fetched)
    if after is None:
        log.warning("no process was free to read the page", url=due.url, watch=due.watch)
        return before
    log.info("read", url=due.url, watch=due.watch, changes=len(after.unpublished))
    return await _apply(effects, stored, after)


async def _handle_failure(
    effects: Effects, due: Due, before: CachedState, reason: str
) -> CachedState:
    log.info("fetch failed", url=due.url, watch=due.watch, reason=reason)
    stored = await _load_version(effects, due.url, before.version)
    after = state_after_failure(
        baseline_for(stored, due),
        due,
        reason=reason,
        max_failures=effects.max_failures,
        at=effects.clock(),
    )
    return await _apply(effects, stored, after)


async def _apply(effects: Effects, stored: Document | None, after: Document) -> CachedState:
    """Write the new state unless another worker has, then publish the changes in it."""
    if not await effects.snapshots.compare_and_set(after, stored.version if stored else 0):
        raise _OvertakenError
    await _publish_if_any(effects, after)
    return CachedState.of(after)


async def _publish_if_any(effects: Effects, document: Document) -> None:
    if document.unpublished:
        left = Unpublished(document.url, document.version, document.unpublished)
        await publish_records(effects, left)
