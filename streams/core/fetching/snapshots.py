"""The state of a document after a fetch: pure decisions, ready to be stored."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from schemas import wire
from schemas.changes import Hunk
from schemas.documents import Document
from streams.core.fetching.changes import changes_of
from streams.core.fetching.due_view import DueView
from streams.core.fetching.failures import recovery
from streams.core.fetching.returns import flapping_until, remembered, text_hash

MAX_TEXT = 6_000_000
"""Bytes (UTF-8) of a snapshot, so that even a hunk of two whole snapshots fits a message."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page that was fetched ``at`` a time (epoch ms), and read as text."""

    text: str
    content_type: str
    etag: str | None
    last_modified: str | None
    body_hash: bytes
    at: int


def baseline_for(document: Document | None, due: DueView) -> Document | None:
    """Return the state that a fetch is compared with, None for a first snapshot.

    What was read for another watch is no baseline: the comparison would report what the
    client never saw.
    """
    return document if document is not None and document.watch == due.watch else None


def state_after_page(
    before: Document | None,
    due: DueView,
    page: FetchedPage,
    hunks: Callable[[str, str], tuple[Hunk, ...]],
    detect: Callable[[str], str],
) -> Document:
    """Compute the state after a page was read, with the change to be published, if any.

    ``hunks`` compares two texts, ``detect`` detects the language of one.
    """
    old = before.text if before is not None else None
    found = () if old is None else hunks(old, page.text)
    language, drift = _language(before, page.text, found, detect)
    # A text that is read again keeps its time, by which its snapshot is known.
    first_read_at = before.read_at if before is not None and old == page.text else page.at
    past, returned = before.past if before is not None else b"", None
    if old != page.text:
        past, returned = remembered(past, text_hash(page.text), page.at)
    after = Document(
        url=due.url,
        watch=due.watch,
        slot=due.slot,
        # No other state of this URL has that version: a slot is handled once.
        version=due.slot,
        text=page.text,
        content_type=page.content_type,
        language=language,
        etag=page.etag,
        last_modified=page.last_modified,
        body_hash=page.body_hash,
        drift=drift,
        read_at=first_read_at,
        view=due.view_id,
        past=past,
        flapping_until=flapping_until(past),
    )
    changes = map(wire.encode, changes_of(after, found, page.at, returned))
    return replace(after, unpublished=(*recovery(before, due, page.at), *changes))


def _language(
    before: Document | None, text: str, found: tuple[Hunk, ...], detect: Callable[[str], str]
) -> tuple[str, int]:
    """Determine the language of a text, and its drift since it was detected.

    Detection is slow, so a language is kept until all changes together are half the text.
    """
    if before is None or before.language is None:
        return detect(text), 0
    drift = before.drift + sum(map(_extent, found))
    return (before.language, drift) if 2 * drift < len(text) else (detect(text), 0)


def _extent(hunk: Hunk) -> int:
    """The characters of a hunk's longer side."""
    return max(len(side.text) for side in (hunk.removed, hunk.added) if side is not None)
