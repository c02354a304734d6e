"""Pages as they were received and read."""

from typing import Any

from schemas.records.answers import Reading, Response
from streams.agents.fetch.fetched_page import FetchedPage

ANSWER = Response(200)


def read_page(
    text: str,
    content_type: str = "text/html",
    at: int = 9,
    response: Response = ANSWER,
    body_hash: bytes = b"hash",
    **reading: Any,
) -> tuple[FetchedPage, Reading]:
    """Return a page that was received ``at`` a time, and what was read in it."""
    return FetchedPage(response, body_hash, at), Reading(text, content_type, **reading)
