"""What a page that has come is made into: the part of a visit that may be hard work."""

from collections.abc import Callable
from dataclasses import dataclass

from schemas.answers import Reading, Response
from schemas.documents import Document
from schemas.facts import Due
from streams.core.diff.passages import hunks
from streams.core.fetching.snapshots import MAX_TEXT, FetchedPage, read
from streams.core.text.language import detect

Read = Callable[[bytes, str | None, str | None], Reading]
"""Takes body, Content-Type header and the type chosen by hand."""


class TooLarge(Exception):
    """A page's text is more than is kept; the message says so to people."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it came ``at`` (epoch ms)."""

    answer: Response
    body_hash: bytes
    at: int


def examine(reader: Read, before: Document | None, due: Due, fetched: Fetched) -> Document:
    """Read a page, compare it with the state before, and give the state after.

    Raises TooLarge, and what the reader raises.
    """
    answer = fetched.answer
    reading = reader(answer.body, answer.content_type, due.content_type)
    if len(reading.text.encode()) > MAX_TEXT:
        raise TooLarge(f"its text is larger than {MAX_TEXT} bytes")
    page = FetchedPage(
        reading.text,
        reading.content_type,
        answer.etag,
        answer.last_modified,
        fetched.body_hash,
        fetched.at,
    )
    return read(before, due, page, hunks, detect)
