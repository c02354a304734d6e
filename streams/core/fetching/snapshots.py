"""What a fetch makes of a document's state: pure decisions, ready to be stored."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from schemas import wire
from schemas.documents import Document
from schemas.facts import DocumentChanged, DocumentUnreachable, Due, Hunk
from streams.core.ids import content_id

MAX_PART = 12_000_000
"""Bytes of passages in one message, well below the topic's 16 MB."""
MAX_TEXT = 6_000_000
"""Bytes (UTF-8) of a snapshot, so that even one hunk of two of them fits a message."""
MAX_REASON = 1_000
"""Characters of why a document could not be read: a plug-in's error may hold the page."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A document as it was fetched at ``at`` (epoch ms) and read."""

    text: str
    content_type: str
    etag: str | None
    last_modified: str | None
    body_hash: bytes
    at: int


def baseline(document: Document | None, due: Due) -> Document | None:
    """Give the state that a fetch is compared with, None for a first snapshot.

    What was read for another watch, or by another reader than the one asked
    for, is no baseline: it would report what the client never saw.
    """
    if document is None or document.watch != due.watch:
        return None
    if due.content_type is not None and document.content_type not in (None, due.content_type):
        return None
    return document


def read(
    before: Document | None,
    due: Due,
    page: FetchedPage,
    hunks: Callable[[str, str], tuple[Hunk, ...]],
    detect: Callable[[str], str],
) -> Document:
    """Give the state after a page was read, with the change that it is, if any."""
    old = before.text if before is not None else None
    found = () if old is None else hunks(old, page.text)
    language, drift = _language(before, page.text, found, detect)
    after = Document(
        url=due.url,
        watch=due.watch,
        slot=due.slot,
        version=due.slot,
        text=page.text,
        content_type=page.content_type,
        language=language,
        etag=page.etag,
        last_modified=page.last_modified,
        body_hash=page.body_hash,
        drift=drift,
        read_at=before.read_at if before is not None and old == page.text else page.at,
    )
    return replace(after, unpublished=tuple(map(wire.encode, _changes(after, found, page.at))))


def _language(
    before: Document | None, text: str, found: tuple[Hunk, ...], detect: Callable[[str], str]
) -> tuple[str, int]:
    """Give a text's language and the drift since it was detected.

    A language is kept until what has changed, all changes together, is half of the text.
    """
    if before is None or before.language is None:
        return detect(text), 0
    drift = before.drift + sum(map(_extent, found))
    return (before.language, drift) if 2 * drift < len(text) else (detect(text), 0)


def _extent(hunk: Hunk) -> int:
    return max(len(side.text) for side in (hunk.removed, hunk.added) if side is not None)


def failed(before: Document | None, due: Due, reason: str, max_failures: int, at: int) -> Document:
    """Give the state after a failed fetch; enough of them in a row end the watch."""
    reason = reason[:MAX_REASON]
    known = before or Document(due.url, due.watch, due.slot)
    count = known.failures + 1
    after = replace(
        known, slot=due.slot, version=due.slot, failures=count, last_error=reason, unpublished=()
    )
    if count < max_failures:
        return after
    name = content_id(due.url, due.watch, due.slot, "timeout")
    kind = known.content_type or due.content_type or ""
    gone = DocumentUnreachable(name, due.url, due.watch, due.slot, reason, at, kind)
    return replace(after, unpublished=(wire.encode(gone),))


def recovered(before: Document, due: Due) -> Document:
    """Give the state after an unchanged page was read behind failures."""
    return replace(
        before, slot=due.slot, version=due.slot, failures=0, last_error=None, unpublished=()
    )


def _changes(after: Document, hunks: tuple[Hunk, ...], at: int) -> Iterator[DocumentChanged]:
    for part, several in enumerate(_parts(hunks)):
        yield DocumentChanged(
            id=content_id(after.url, after.slot, part),
            url=after.url,
            watch=after.watch,
            slot=after.slot,
            part=part,
            content_type=after.content_type or "",
            language=after.language or "und",
            hunks=several,
            at=at,
        )


def _parts(hunks: tuple[Hunk, ...]) -> Iterator[tuple[Hunk, ...]]:
    """Split so that every part fits a message; a hunk is never cut."""
    part: list[Hunk] = []
    size = 0
    for hunk in hunks:
        cost = _size(hunk)
        if part and size + cost > MAX_PART:
            yield tuple(part)
            part, size = [], 0
        part.append(hunk)
        size += cost
    if part:
        yield tuple(part)


def _size(hunk: Hunk) -> int:
    sides = (side for side in (hunk.removed, hunk.added) if side is not None)
    return sum(len((side.text + side.before + side.after).encode()) + 32 for side in sides)
