"""Computes a document's next state from a page: the part of a visit that may be hard work."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from schemas.records.answers import Reading
from schemas.records.documents import Document
from schemas.records.views import View
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage, unpacked_body
from streams.agents.fetch.login_pages import has_password_field
from streams.agents.fetch.state.snapshots import MAX_TEXT, is_too_large, state_after_page
from streams.agents.fetch.state.suspect_texts import (
    is_held,
    is_of_another_reader,
    state_as_read_again,
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


def examine(reader: Read, works: Sequence[Work], page: FetchedPage) -> list[Document | Exception]:
    """Read a page once, compare it with the state before in each view, and compute that after.

    Returns LoginShown, TooLarge or what the reader returns for a view in which it cannot be read.
    """
    response = page.response
    views = [due.view for _, due in works]
    url = response.url or works[0][1].url
    readings = reader(response.body, response.content_type, views, url)
    # All views of a visit are requested alike.
    is_private = bool(views[0].request.credentials)
    if is_private and has_password_field(response.body):
        page = replace(page, asks_password=True)
    return [
        _examined(reader, work, page, reading)
        for work, reading in zip(works, readings, strict=True)
    ]


def _examined(
    reader: Read, work: Work, page: FetchedPage, reading: Reading | Exception
) -> Document | Exception:
    # A worker hands documents to other processes, so it can do without numpy: 20 MB.
    from streams.diff.regions import changed_regions  # noqa: PLC0415

    before, due = work
    if page.asks_password and before is not None and before.text and not before.asks_password:
        return LoginShown("a login page instead of the page: it asks for a password")
    if isinstance(reading, Exception):
        return reading
    if is_too_large(reading.text):
        return TooLarge(f"its text is larger than {MAX_TEXT} bytes")
    before = _comparable(reader, work, page, reading)
    compare = partial(changed_regions, headings=reading.headings)
    detect = partial(
        detect_language,
        declared=reading.language or page.response.language,
        earlier=(before and before.language) or "",
    )
    return state_after_page(before, due, page, reading, compare, detect)


def _comparable(reader: Read, work: Work, page: FetchedPage, reading: Reading) -> Document | None:
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
    return state_as_read_again(before, text, reading.reader, page.at)
