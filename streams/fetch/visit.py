"""One fetch of one document: gather, decide, apply."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import structlog
from xxhash import xxh3_128_digest

from schemas.answers import Response
from schemas.documents import Document, Unpublished
from schemas.facts import Due
from streams.core.fetching.snapshots import baseline, failed, recovered
from streams.core.outcome import Publish, Send
from streams.core.schedule.due import AHEAD
from streams.fetch.examining import Fetched
from streams.topics import CHANGES

log = structlog.get_logger()

TOO_MANY_REQUESTS = 429
UNAVAILABLE = 503
NOT_MODIFIED = 304


class Snapshots(Protocol):
    """What is asked of the store; every method may raise OSError."""

    async def document(self, url: str) -> Document | None:
        """The stored state of a document."""

    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        """Store a state if the stored version is the expected one (0: none)."""

    async def clear_unpublished(self, url: str, version: int) -> bool:
        """Drop the unpublished records of exactly this version."""

    async def unpublished(self) -> list[Unpublished]:
        """All that has yet to be published."""

    async def forget(self, url: str, watch: str) -> None:
        """Delete a document's state if it belongs to this watch."""

    async def record_checks(self, checks: Sequence[tuple[str, str, int]]) -> None:
        """Note when documents were last looked at: (url, watch, epoch ms)."""


@dataclass(frozen=True, slots=True)
class World:
    """The effects of a fetch.

    ``get`` takes URL, ETag and Last-Modified; ``examine`` gives the state after a page,
    as the function of that name does, None if that must wait for the next slot. Both
    raise one of ``failures``.
    ``clock`` gives epoch ms, ``pause`` the seconds to leave a host (``host[:port]``)
    alone after a visit.
    """

    store: Snapshots
    get: Callable[[str, str | None, str | None], Awaitable[Response]]
    examine: Callable[[Document | None, Due, Fetched], Awaitable[Document | None]]
    failures: tuple[type[Exception], ...]
    publish: Publish
    clock: Callable[[], int]
    pause: Callable[[str], float]
    max_failures: int


@dataclass(frozen=True, slots=True)
class Known:
    """What a worker keeps at hand of a document, so that an unchanged one costs no store.

    ``version`` is that of the stored state. ``not_before`` (epoch ms) is when
    its server wants to be asked again.
    """

    watch: str
    slot: int
    version: int
    content_type: str | None
    etag: str | None
    last_modified: str | None
    body_hash: bytes | None
    failures: int
    not_before: int = 0


def known(document: Document) -> Known:
    """Take over what is worth keeping at hand of a stored state."""
    return Known(
        document.watch,
        document.slot,
        document.version,
        document.content_type,
        document.etag,
        document.last_modified,
        document.body_hash,
        document.failures,
    )


class _OvertakenError(Exception):
    """Another worker has written this document since we read it: it is theirs now."""


async def visit(world: World, due: Due, at_hand: Known | None) -> Known | None:
    """Fetch a document for a due time and publish what has changed.

    Gives what to keep at hand of it, None if that is to be read from the store.
    """
    state = at_hand or await _stored(world, due.url)
    version = 0 if state is None else state.version
    before = state or _unread(due, version)
    if _is_past(due, before):
        if before.slot <= world.clock() + AHEAD:
            return before
        due = replace(due, slot=before.slot + 1)  # by a clock that was ahead: go on from there
    if before.watch != due.watch or _other_reader(before, due):
        before = _unread(due, version)
    elif world.clock() < before.not_before:
        return before
    try:
        return await _fetched(world, due, before)
    except _OvertakenError:
        log.warning("another worker was faster", url=due.url, watch=due.watch, slot=due.slot)
        return None


async def publish(world: World, url: str, version: int, records: tuple[bytes, ...]) -> None:
    """Publish what a stored state holds unpublished; bytes and ids are those of the first time."""
    await world.publish(Send(CHANGES.name, url, record) for record in records)
    await world.store.clear_unpublished(url, version)


async def _stored(world: World, url: str) -> Known | None:
    document = await world.store.document(url)
    if document is None:
        return None
    if document.unpublished:
        await publish(world, url, document.version, document.unpublished)
    return known(document)


async def _fetched(world: World, due: Due, before: Known) -> Known:
    try:
        answer = await world.get(due.url, before.etag, before.last_modified)
        after = await _answered(world, due, before, answer)
        return _while_fresh(world, answer, after)
    except world.failures as error:
        return await _failed(world, due, before, str(error))


def _while_fresh(world: World, answer: Response, after: Known) -> Known:
    if answer.max_age is None:
        return after
    return replace(after, not_before=max(after.not_before, world.clock() + answer.max_age * 1000))


def _unread(due: Due, version: int) -> Known:
    """What is known of a document that was never read for this watch."""
    return Known(due.watch, 0, version, None, None, None, None, 0)


def _is_past(due: Due, before: Known) -> bool:
    """Whether a slot was handled, or is a late one of a watch that ended.

    That would take the baseline of the one that followed. Which may have begun a little
    before the last slot of the former, by another clock.
    """
    return due.slot <= before.slot - (0 if before.watch == due.watch else AHEAD)


def _other_reader(before: Known, due: Due) -> bool:
    return due.content_type is not None and before.content_type not in (None, due.content_type)


def _is_postponed(answer: Response) -> bool:
    asks_for_time = answer.status == UNAVAILABLE and answer.retry_after is not None
    return asks_for_time or answer.status == TOO_MANY_REQUESTS


async def _answered(world: World, due: Due, before: Known, answer: Response) -> Known:
    if _is_postponed(answer):
        log.info("postponed", url=due.url, watch=due.watch, seconds=answer.retry_after)
        return replace(before, not_before=world.clock() + (answer.retry_after or 0) * 1000)
    was_read = before.body_hash is not None
    if answer.status == NOT_MODIFIED and was_read:
        return await _unchanged(world, due, before)
    if not 200 <= answer.status < 300:
        return await _failed(world, due, before, f"HTTP {answer.status}")
    # Who makes two bodies of one hash hides a change of nothing but his own page.
    body_hash = xxh3_128_digest(answer.body)
    if before.body_hash == body_hash:
        same = replace(before, etag=answer.etag, last_modified=answer.last_modified)
        return await _unchanged(world, due, same)
    return await _changed(world, due, before, answer, body_hash)


async def _unchanged(world: World, due: Due, before: Known) -> Known:
    log.debug("unchanged", url=due.url, watch=due.watch)
    if not before.failures:
        return replace(before, slot=due.slot)
    document = await _current(world, due.url, before.version)
    if document is None:
        raise _OvertakenError
    return await _apply(world, document, recovered(document, due))


async def _changed(
    world: World, due: Due, before: Known, answer: Response, body_hash: bytes
) -> Known:
    stored = await _current(world, due.url, before.version)
    fetched = Fetched(answer, body_hash, world.clock())
    after = await world.examine(baseline(stored, due), due, fetched)
    if after is None:
        log.warning("no process was free to read it", url=due.url, watch=due.watch)
        return before
    log.info("read", url=due.url, watch=due.watch, changes=len(after.unpublished))
    return await _apply(world, stored, after)


async def _failed(world: World, due: Due, before: Known, reason: str) -> Known:
    log.info("fetch failed", url=due.url, watch=due.watch, reason=reason)
    stored = await _current(world, due.url, before.version)
    after = failed(baseline(stored, due), due, reason, world.max_failures, world.clock())
    return await _apply(world, stored, after)


async def _current(world: World, url: str, version: int) -> Document | None:
    """Read a document that must still be in the version that this visit began with.

    A worker that was paused meanwhile would else take a newer state for the one
    that it fetched against, and write an old page over it.
    """
    document = await world.store.document(url)
    if (0 if document is None else document.version) != version:
        raise _OvertakenError
    return document


async def _apply(world: World, stored: Document | None, after: Document) -> Known:
    """Write the new state if nobody else has, then publish what it holds."""
    if not await world.store.compare_and_set(after, stored.version if stored else 0):
        raise _OvertakenError
    if after.unpublished:
        await publish(world, after.url, after.version, after.unpublished)
    return known(after)
