"""The state of a document after a fetch: pure decisions, ready to be stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from schemas.codec import wire
from schemas.records.answers import Reading
from schemas.records.changes import Edit, Region
from schemas.records.documents import Document
from schemas.records.numbers import MAX_POINTS, NumberPoint, packed_series, unpacked_series
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage, packed_body
from streams.agents.fetch.state.changes import changes_of, texts_of
from streams.agents.fetch.state.failures import recovery, state_after_recovery
from streams.agents.fetch.state.lost_views import bare_reason, finding, state_of_bare_page
from streams.agents.fetch.state.recurring_texts import flapping_until, remembered, text_hash
from streams.agents.fetch.state.suspect_texts import is_held

MAX_TEXT = 6_000_000
"""Bytes (UTF-8) of a snapshot, so that it fits a row of the store."""


@dataclass(frozen=True, slots=True)
class KeptPictures:
    """The fields of a document that have pictures, as in ``Document``."""

    picture: bytes | None = None
    earlier_picture: bytes | None = None
    earlier_read_at: int = 0


def pictures_after(before: Document | None, text: str, picture: bytes | None) -> KeptPictures:
    """Return the pictures that are kept after a page was read as ``text``.

    A picture belongs to the text it was first taken with; one that is missing is made up for.

    >>> before = Document("", "", 1, text="Zeus", read_at=7, picture=b"zeus")
    >>> pictures_after(before, "Hera", b"hera")
    KeptPictures(picture=b'hera', earlier_picture=b'zeus', earlier_read_at=7)
    >>> pictures_after(before, "Zeus", b"another").picture
    b'zeus'
    """
    if before is None or before.text is None:
        return KeptPictures(picture)
    if before.text != text:
        return KeptPictures(picture, before.picture, before.read_at)
    kept = picture if before.picture is None else before.picture
    return KeptPictures(kept, before.earlier_picture, before.earlier_read_at)


def picture_change(before: Document | None, text: str, picture: bytes | None) -> int | None:
    """Return how many of 10,000 pixels are others than before; None if nothing is compared."""
    if before is None or before.text == text or before.picture is None or picture is None:
        return None
    # Only who looks at pictures needs the library.
    from streams.diff.picture_changes import changed_pixels  # noqa: PLC0415

    return changed_pixels(before.picture, picture)


def is_too_large(text: str) -> bool:
    """Return whether a text has more than MAX_TEXT bytes."""
    # A character has four at most: most texts need not be encoded for that.
    return len(text) > MAX_TEXT // 4 and len(text.encode()) > MAX_TEXT


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
    reading: Reading,
    regions: Callable[[str, str], tuple[Region, ...]],
    detect: Callable[[str], str],
) -> Document:
    """Compute the state after a page was read, with the change to be published, if any.

    ``regions`` compares two texts, ``detect`` detects the language of one.
    """
    response, text, at = page.response, reading.text, page.at
    old = before.text if before is not None else None
    if before is not None and is_held(before, text):
        return state_after_recovery(before, due, at, held=text_hash(text))
    found = () if old is None else regions(old, text)
    language, drift = _language(before, text, found, detect)
    # A text that is read again keeps its time, by which its snapshot is known.
    is_same = before is not None and old == text
    past, returned = before.past if before is not None else b"", None
    # White space that the comparison passes over makes no other text: 5% and 5 %.
    if old is None or found:
        past, returned = remembered(past, text_hash(text), at)
    series = unpacked_series(before.series) if before is not None else ()
    if reading.number is not None:
        point = NumberPoint(at, reading.number.value, reading.number.unit)
        series = series_after(series, point)
    pictures = pictures_after(before, text, response.picture)
    # The body of a snapshot is the one in which its text was read first.
    earlier_body = before.body if before is not None and is_same else None
    after = Document(
        url=due.url,
        watch=due.watch,
        slot=due.slot,
        # No other state of this URL has that version: a slot is handled once.
        version=due.slot,
        text=text,
        content_type=reading.content_type,
        language=language,
        etag=response.etag,
        last_modified=response.last_modified,
        body_hash=page.body_hash,
        drift=drift,
        read_at=before.read_at if before is not None and is_same else at,
        view=due.view_id,
        past=past,
        flapping_until=flapping_until(past),
        asks_password=page.asks_password,
        title=reading.title,
        confidence=reading.confidence,
        picture=pictures.picture,
        earlier_picture=pictures.earlier_picture,
        earlier_read_at=pictures.earlier_read_at,
        series=packed_series(series),
        reader=reading.reader,
        body=earlier_body or packed_body(response, due.url, page.keep_bodies),
    )
    texts = texts_of(old, text) if old is not None and due.wants_texts else None
    parts = changes_of(
        after,
        found,
        at,
        title=reading.title,
        returned=returned,
        texts=texts,
        body_sha256=sha256(response.body).hexdigest() if found else "",
    )
    changed = picture_change(before, text, response.picture)
    changes = (wire.encode(replace(part, picture_change=changed, numbers=series)) for part in parts)
    # What is left out is no text of the page either: then nothing is wrong with it.
    bare = None if due.view.ignore else bare_reason(response.body, text)
    if bare is not None:
        after = replace(after, unpublished=(*recovery(before, due, at), *changes))
        return state_of_bare_page(before, after, due, reason=bare, at=at)
    notices = (*recovery(before, due, at), *finding(before, due, at))
    return replace(after, unpublished=(*notices, *changes))


def _language(
    before: Document | None, text: str, found: tuple[Region, ...], detect: Callable[[str], str]
) -> tuple[str, int]:
    """Determine the language of a text, and its drift since it was detected.

    Detection is slow, so a language is kept until all changes together are half the text.
    """
    if before is None or before.language is None:
        return detect(text), 0
    drift = before.drift + sum(_extent(edit) for region in found for edit in region.edits)
    return (before.language, drift) if 2 * drift < len(text) else (detect(text), 0)


def _extent(edit: Edit) -> int:
    """The characters that changed on an edit's longer side; what only moved has not."""
    if edit.change == "moved":
        return 0
    sides = [side for side in (edit.removed, edit.added) if side is not None]
    if edit.change == "edited":
        return max(sum(span.end - span.start for span in side.changed) for side in sides)
    return max(side.end - side.start for side in sides)


def series_after(series: tuple[NumberPoint, ...], point: NumberPoint) -> tuple[NumberPoint, ...]:
    """Return a series with one more point, unless the number is the one that it has.

    >>> first = NumberPoint(1, "5", "EUR")
    >>> series_after((first,), NumberPoint(2, "5", "EUR")) == (first,)
    True
    """
    last = series[-1] if series else None
    if last is not None and (last.value, last.unit) == (point.value, point.unit):
        return series
    longer = (*series, point)
    return longer if len(longer) <= MAX_POINTS else thinned(longer)


def thinned(series: Sequence[NumberPoint]) -> tuple[NumberPoint, ...]:
    """Return a series with half of the points in its older half."""
    half = len(series) // 2
    kept, older = [series[0]], series[1:half]
    for first, second in zip(older[::2], older[1::2], strict=False):
        kept.append(max(first, second, key=lambda each: abs(each.amount - kept[-1].amount)))
    kept.extend(older[len(older) // 2 * 2 :])
    return (*kept, *series[half:])
