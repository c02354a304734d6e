"""How a page becomes a document's next state: the part of a visit that may be hard work."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from schemas.records.answers import Reading, Response
from schemas.records.documents import Document
from schemas.records.views import View
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.login_pages import has_password_field
from streams.agents.fetch.state.bodies import packed_body, unpacked_body
from streams.agents.fetch.state.holding import is_held
from streams.agents.fetch.state.readers import is_of_another_reader, state_as_read_again
from streams.agents.fetch.state.snapshots import (
    MAX_TEXT,
    FetchedPage,
    is_too_large,
    state_after_page,
)
from streams.text.language import detect_language

Read = Callable[[bytes, str | None, Sequence[View], str], Sequence[Reading | Exception]]
"""Reads a body in each view, by its Content-Type header and its URL, or returns why it cannot."""


Work = tuple[Document | None, DueView]
"""A view to read a page in, and the state before."""


class TooLarge(Exception):
    """The text of a page is larger than what is stored; the message says so to people."""


class LoginShown(Exception):
    """A page asks for a password where it did not before; the message says so to people."""


@dataclass(frozen=True, slots=True)
class FetchedResponse:
    """A page as it was received ``at`` a time (epoch ms), before it is read.

    Its body is kept with a snapshot if it takes ``keep_bodies`` bytes at most.
    """

    response: Response
    body_hash: bytes
    at: int
    keep_bodies: int = 0


def examine(
    reader: Read, works: Sequence[Work], fetched: FetchedResponse
) -> list[Document | Exception]:
    """Read a page once, compare it with the state before in each view, and compute that after.

    Returns LoginShown, TooLarge or what the reader returns for a view in which it cannot be read.
    """
    response = fetched.response
    views = [due.view for _, due in works]
    url = response.url or works[0][1].url
    readings = reader(response.body, response.content_type, views, url)
    # All views of a visit are requested alike.
    is_private = bool(views[0].request.credentials)
    asks_password = is_private and has_password_field(response.body)
    return [
        _examined(reader, work, fetched, reading, asks_password=asks_password)
        for work, reading in zip(works, readings, strict=True)
    ]


def _examined(
    reader: Read,
    work: Work,
    fetched: FetchedResponse,
    reading: Reading | Exception,
    *,
    asks_password: bool,
) -> Document | Exception:
    # A worker hands documents to other processes, so it can do without numpy: 20 MB.
    from streams.diff.regions import changed_regions  # noqa: PLC0415

    response, (before, due) = fetched.response, work
    if asks_password and before is not None and before.text and not before.asks_password:
        return LoginShown("a login page instead of the page: it asks for a password")
    if isinstance(reading, Exception):
        return reading
    if is_too_large(reading.text):
        return TooLarge(f"its text is larger than {MAX_TEXT} bytes")
    before = _comparable(reader, work, fetched, reading)
    page = FetchedPage(
        text=reading.text,
        content_type=reading.content_type,
        etag=response.etag,
        last_modified=response.last_modified,
        body_hash=fetched.body_hash,
        at=fetched.at,
        title=reading.title,
        asks_password=asks_password,
        confidence=reading.confidence,
        picture=response.picture,
        picture_change=_picture_change(before, reading.text, response.picture),
        body=response.body,
        number=reading.number,
        reader=reading.reader,
        kept=_kept(before, due, fetched, reading.text),
    )
    compare = partial(changed_regions, headings=reading.headings)
    detect = partial(detect_language, declared=reading.language or response.language)
    return state_after_page(before, due, page, compare, detect)


def _comparable(
    reader: Read, work: Work, fetched: FetchedResponse, reading: Reading
) -> Document | None:
    """Return the state before, with its text as the reader of the new one reads the same page.

    Without a body of it, the page as it is now takes its place: that is exact if it is the same,
    and nobody is notified of what only a reader may have changed if it is not.
    """
    before, due = work
    if before is None or not is_of_another_reader(before, reading.reader):
        return before
    text = reading.text
    if before.body is not None:
        kept = unpacked_body(before.body)
        (again,) = reader(kept.body, kept.content_type, [due.view], kept.url)
        if isinstance(again, Reading) and again.reader == reading.reader:
            text = again.text
    elif is_held(before, text):
        return before
    return state_as_read_again(before, text, reading.reader, fetched.at)


def _kept(
    before: Document | None, due: DueView, fetched: FetchedResponse, text: str
) -> bytes | None:
    """Return the body to keep, packed; None if none is, or that of the same text is kept."""
    if not fetched.keep_bodies:
        return None
    if before is not None and before.body is not None and before.text == text:
        return None
    return packed_body(fetched.response, due.url, fetched.keep_bodies)


def _picture_change(before: Document | None, text: str, picture: bytes | None) -> int | None:
    if before is None or before.text == text or before.picture is None or picture is None:
        return None
    # Only who looks at pictures needs the library.
    from streams.diff.picture_changes import changed_pixels  # noqa: PLC0415

    return changed_pixels(before.picture, picture)
