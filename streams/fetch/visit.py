"""One fetch of one document: gather, decide, apply."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Protocol

import structlog

from schemas.answers import Reading, Response
from schemas.documents import Document, Unpublished
from schemas.facts import Due
from streams.core.language import detect
from streams.core.outcome import Publish, Send
from streams.core.passages import hunks
from streams.core.snapshots import Page, baseline, failed, read, recovered
from streams.topics import CHANGES

log = structlog.get_logger()

POSTPONED = (429, 503)
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

    ``get`` takes URL, ETag and Last-Modified; ``read`` takes body, Content-Type
    header and the type chosen by hand. Both raise one of ``failures``.
    ``clock`` gives epoch ms.
    """

    store: Snapshots
    get: Callable[[str, str | None, str | None], Awaitable[Response]]
    read: Callable[[bytes, str | None, str | None], Reading]
    failures: tuple[type[Exception], ...]
    publish: Publish
    clock: Callable[[], int]
    max_failures: int


@dataclass(frozen=True, slots=True)
class Known:
    """What a worker keeps at hand of a document, so that an unchanged one costs no store.

    ``not_before`` (epoch ms) is when its server wants to be asked again.
    """

    watch: str
    slot: int
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
        document.content_type,
        document.etag,
        document.last_modified,
        document.body_hash,
        document.failures,
    )


async def visit(world: World, due: Due, at_hand: Known | None) -> Known | None:
    """Fetch a document for a due time and publish what has changed.

    Gives what to keep at hand of it, None if that is to be read from the store.
    """
    before = at_hand or await _stored(world, due.url)
    if before is None or before.watch != due.watch or _other_reader(before, due):
        before = None
    elif due.slot <= before.slot or world.clock() < before.not_before:
        return before
    try:
        etags = (before.etag, before.last_modified) if before else (None, None)
        answer = await world.get(due.url, *etags)
        return await _answered(world, due, before, answer)
    except world.failures as error:
        return await _failed(world, due, str(error))


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


def _other_reader(before: Known, due: Due) -> bool:
    return due.content_type is not None and before.content_type not in (None, due.content_type)


async def _answered(world: World, due: Due, before: Known | None, answer: Response) -> Known | None:
    if answer.status in POSTPONED and answer.retry_after is not None:
        log.info("postponed", url=due.url, seconds=answer.retry_after)
        later = world.clock() + answer.retry_after * 1000
        return replace(before, not_before=later) if before else None
    if answer.status == NOT_MODIFIED and before is not None:
        return await _unchanged(world, due, before)
    if not 200 <= answer.status < 300:
        return await _failed(world, due, f"HTTP {answer.status}")
    body_hash = blake2b(answer.body, digest_size=16).digest()
    if before is not None and before.body_hash == body_hash:
        return await _unchanged(world, due, before)
    return await _changed(world, due, answer, body_hash)


async def _unchanged(world: World, due: Due, before: Known) -> Known | None:
    log.debug("unchanged", url=due.url)
    if not before.failures:
        return replace(before, slot=due.slot)
    document = await world.store.document(due.url)
    if document is None:
        return None
    return await _apply(world, document, recovered(document, due))


async def _changed(world: World, due: Due, answer: Response, body_hash: bytes) -> Known | None:
    reading = await asyncio.to_thread(
        world.read, answer.body, answer.content_type, due.content_type
    )
    page = Page(
        reading.text,
        reading.content_type,
        answer.etag,
        answer.last_modified,
        body_hash,
        world.clock(),
    )
    stored = await world.store.document(due.url)
    after = await asyncio.to_thread(read, baseline(stored, due), due, page, hunks, detect)
    log.info("read", url=due.url, changes=len(after.unpublished))
    return await _apply(world, stored, after)


async def _failed(world: World, due: Due, reason: str) -> Known | None:
    log.info("fetch failed", url=due.url, reason=reason)
    stored = await world.store.document(due.url)
    after = failed(baseline(stored, due), due, reason, world.max_failures, world.clock())
    return await _apply(world, stored, after)


async def _apply(world: World, stored: Document | None, after: Document) -> Known | None:
    """Write the new state if nobody else has, then publish what it holds."""
    if not await world.store.compare_and_set(after, stored.version if stored else 0):
        log.warning("another worker was faster", url=after.url, slot=after.slot)
        return None
    if after.unpublished:
        await publish(world, after.url, after.version, after.unpublished)
    return known(after)
