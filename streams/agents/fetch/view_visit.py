"""One view of a visit: decide what the response means for it, and apply that."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import structlog

from schemas.records.answers import Response, status_failure
from schemas.records.documents import Document
from schemas.records.urls import host
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.login_pages import is_redirected_to_login, redirect_reason
from streams.agents.fetch.politeness.pace import interval_at
from streams.agents.fetch.publishing import publish_if_any, publish_visit
from streams.agents.fetch.state.failures import state_after_failure, state_after_recovery
from streams.agents.fetch.state.lost_views import (
    MISSES,
    state_after_login_page,
    state_after_same_miss,
)
from streams.agents.fetch.state.snapshots import baseline_for
from streams.values.slots import MAX_AHEAD_MS

log = structlog.get_logger()

NOT_MODIFIED = 304
TOO_MANY_REQUESTS = 429
UNAVAILABLE = 503


class OvertakenError(Exception):
    """Another worker has written this document since we read it, so it is theirs now."""


@dataclass(frozen=True, slots=True)
class ViewVisit:
    """A view that is due, and what was known of the document in it before.

    ``stored`` is its state in the store, once it is loaded.
    """

    due: DueView
    before: CachedState
    stored: Document | None = None

    @property
    def ids(self) -> dict[str, str]:
        """The values by which logs name the view."""
        return {"url": self.due.url, "watch": self.due.watch, "view": self.due.view_id}

    @property
    def baseline(self) -> Document | None:
        """The state with which the page is compared, None for a first snapshot."""
        return baseline_for(self.stored, self.due)


def view_visit_of(effects: Effects, due: DueView, known: CachedState | None) -> ViewVisit | None:
    """Return the visit of a view, None if its slot was handled, or failures postpone it."""
    before = known or _never_read(due, 0)
    # A late slot of a watch that has ended would replace the baseline of the watch that followed,
    # which may have begun shortly before that slot, by another worker's clock.
    tolerance = 0 if before.watch == due.watch else MAX_AHEAD_MS
    if due.slot <= before.slot - tolerance:
        if before.slot <= effects.clock() + MAX_AHEAD_MS:
            return None
        # The last slot was handled by a clock that was ahead: continue from there.
        due = replace(due, slot=before.slot + 1)
    if before.watch != due.watch:
        return ViewVisit(due, _never_read(due, before.version))
    if due.interval is not None and due.slot <= before.slot + effects.pause_ms(
        before.failures, due.interval
    ):
        return None
    if due.links_since > before.links_for:  # it is read for its links, though it may be the same
        before = before._replace(etag=None, last_modified=None, body_hash=None)
    return ViewVisit(due, before)


async def handle_unread(
    effects: Effects, visit: ViewVisit, response: Response, body_hash: bytes
) -> CachedState | None:
    """Handle what a response says without its page, and return what to cache of it.

    None if the page has to be read for that. Raises OvertakenError.
    """
    after = await _state_after(effects, visit, response, body_hash)
    return None if after is None else kept_fresh(after, response, effects.clock())


async def handle_failure(effects: Effects, visit: ViewVisit, reason: str) -> CachedState:
    """Count a failure of one view, and return what to cache of it. Raises OvertakenError."""
    log.info("fetch failed", **visit.ids, reason=reason)
    stored = await load_version(effects, visit)
    after = state_after_failure(
        baseline_for(stored, visit.due),
        visit.due,
        reason=reason,
        max_failures=effects.max_failures,
        at=effects.clock(),
    )
    return await apply_state(effects, stored, after)


def kept_fresh(state: CachedState, response: Response, now: int) -> CachedState:
    """Do not request a page again while its server says that it is fresh."""
    if response.max_age is None:
        return state
    return state._replace(not_before=max(state.not_before, now + response.max_age * 1000))


# Decide.


def _never_read(due: DueView, version: int) -> CachedState:
    """The state of a document that was never read for this watch."""
    return CachedState(due.view_id, due.watch, slot=0, version=version)


def is_left_out(effects: Effects, visits: Sequence[ViewVisit]) -> bool:
    """Return whether a page changes too seldom in each view to be visited at this slot.

    One that fails, is doubted or is lost is not left out: its next visit decides.
    """
    due, of_host = visits[0].due, host(visits[0].due.url)
    least, longest = due.interval, due.max_interval
    if longest is None:
        effects.budgets.ask(due.url, of_host, None)
    if least is None or longest is None or not all(_is_sound(each.before) for each in visits):
        return False
    # One visit serves all views.
    seconds = min(
        interval_at(each.before.pace, each.before.slot, least, longest) for each in visits
    )
    effects.budgets.ask(due.url, of_host, seconds)
    seconds = min(effects.budgets.stretch(of_host) * seconds, longest)
    # Slots are an interval apart: the nearest one is taken, or the last that is not too late.
    end = 1000 * min(seconds - least / 2, longest - least + 0.001)
    return all(each.due.slot - each.before.slot < end for each in visits)


def _is_sound(before: CachedState) -> bool:
    """Return whether the last visit has read a page; of a login page no bytes are kept."""
    is_read = before.slot and before.body_hash is not None
    return bool(is_read) and not (before.failures or before.is_held or before.misses)


def asks_to_wait(response: Response) -> bool:
    """Return whether a server asks to be left alone for a while."""
    if response.status == UNAVAILABLE:
        return response.retry_after is not None
    return response.status == TOO_MANY_REQUESTS


def is_read_again(effects: Effects, visit: ViewVisit) -> bool:
    """Return whether a page is read even if it is the same, for its reader has a newer version.

    The same bytes, read by both, are what makes their texts comparable.
    """
    return not visit.before.misses and effects.is_outdated(visit.before.reader)


# Apply: one of five outcomes, if the page need not be read.


async def _state_after(
    effects: Effects, visit: ViewVisit, response: Response, body_hash: bytes
) -> CachedState | None:
    before = visit.before
    if asks_to_wait(response):
        seconds = response.retry_after or 0
        log.info("postponed", **visit.ids, seconds=seconds)
        return before._replace(not_before=effects.clock() + seconds * 1000)
    was_read = before.body_hash is not None
    if response.status == NOT_MODIFIED and was_read:
        return await _handle_unchanged(effects, visit, before)
    if reason := status_failure(response.status, visit.due.view.on_status):
        return await handle_failure(effects, visit, reason)
    if visit.due.view.request.credentials and is_redirected_to_login(visit.due.url, response.url):
        return await _handle_redirect_to_login(effects, visit, response.url)
    # Two bodies with one hash can be made on purpose, but that hides only one's own change.
    if body_hash == before.body_hash and not is_read_again(effects, visit):
        same = before._replace(etag=response.etag, last_modified=response.last_modified)
        return await _handle_unchanged(effects, visit, same)
    return None


async def _handle_unchanged(effects: Effects, visit: ViewVisit, before: CachedState) -> CachedState:
    log.debug("unchanged", **visit.ids)
    if not before.failures and not before.is_held and before.misses in (0, MISSES):
        # Only the cache learns of the slot, so an unchanged page costs no write.
        after = before._replace(slot=visit.due.slot)
        return after if before.misses else await publish_visit(effects, visit.due, before, after)
    stored = await load_version(effects, visit)
    if stored is None:
        raise OvertakenError
    state_after = state_after_same_miss if before.misses else state_after_recovery
    after = await apply_state(effects, stored, state_after(stored, visit.due, effects.clock()))
    return after if before.misses else await publish_visit(effects, visit.due, before, after)


async def _handle_redirect_to_login(effects: Effects, visit: ViewVisit, url: str) -> CachedState:
    stored = await load_version(effects, visit)
    before, at = baseline_for(stored, visit.due), effects.clock()
    after = state_after_login_page(before, visit.due, reason=redirect_reason(url), at=at)
    log.info("missing", **visit.ids, reason=after.missing, lost=after.lost)
    return await apply_state(effects, stored, after)


async def load_version(effects: Effects, visit: ViewVisit) -> Document | None:
    """Load a document that must still be in the version that this visit began with.

    Otherwise a worker that was paused meanwhile would take a newer state for the one
    that it fetched against, and overwrite it with an old page.
    """
    document = await effects.snapshots.document(visit.due.url, visit.due.view_id)
    if (document.version if document else 0) != visit.before.version:
        raise OvertakenError
    return document


async def apply_state(effects: Effects, stored: Document | None, after: Document) -> CachedState:
    """Write the new state unless another worker has, then publish the changes in it.

    What is only missing as before is not written.
    """
    if (
        stored
        and after.text == stored.text  # first, for most pages have another one
        and replace(after, slot=stored.slot, version=stored.version) == stored
    ):
        return CachedState.of(stored)._replace(slot=after.slot)
    if not await effects.snapshots.compare_and_set(after, stored.version if stored else 0):
        raise OvertakenError
    await publish_if_any(effects, after)
    return CachedState.of(after)
