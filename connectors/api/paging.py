"""Pages of a listing, the same for all calls of the API."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from aiohttp import web

from connectors.api.answers import CallRefused, answer
from connectors.serving.sending import send_json
from connectors.stores.pages import ListingPage
from schemas.codec.times import epoch_ms
from schemas.records.codes import Code
from schemas.records.tags import MAX_TAG, canonical_tag
from schemas.records.urls import canonical

MAX_LIMIT = 1000
DEFAULT_LIMIT = 100
MAX_TEXT = 200
"""Characters of a search."""
NOT_A_CURSOR = "cursor: expected the 'next' of an answer"

Item = TypeVar("Item")
Read = Callable[[str | None, int], Awaitable[ListingPage[Item] | None]]
"""Returns the page after a cursor, of at most so many items; None if nothing is listed."""


def asked_limit(request: web.Request) -> int:
    """Return how many items are asked for; raises CallRefused."""
    limit = request.query.get("limit", str(DEFAULT_LIMIT))
    if not (limit.isdecimal() and len(limit) < 5 and 1 <= int(limit) <= MAX_LIMIT):
        detail = f"limit: expected 1 to {MAX_LIMIT}, not {limit!r}"
        raise CallRefused(Code.INVALID_FORMAT, detail)
    return int(limit)


def asked_tag(request: web.Request) -> str:
    """Return the requested tag, in canonical form, empty for all; raises CallRefused."""
    tag = canonical_tag(request.query.get("tag", ""))
    if len(tag) > MAX_TAG:
        raise CallRefused(Code.INVALID_FORMAT, f"tag: at most {MAX_TAG} characters are allowed")
    return tag


def asked_text(request: web.Request, field: str) -> str:
    """Return the text in a field of a query, empty if there is none; raises CallRefused."""
    text = request.query.get(field, "").strip()
    if len(text) > MAX_TEXT:
        detail = f"{field}: at most {MAX_TEXT} characters are allowed"
        raise CallRefused(Code.INVALID_FORMAT, detail)
    return text


def asked_url(request: web.Request) -> str:
    """Return the requested document; raises CallRefused."""
    url = canonical(request.query.get("documentUrl", ""))
    if url is None:
        raise CallRefused(Code.INVALID_DOCUMENT_URL)
    return url


def asked_time(request: web.Request, field: str) -> int | None:
    """Return the time (epoch ms) in a field of a query, None without; raises CallRefused."""
    text = request.query.get(field)
    try:
        return None if text is None else epoch_ms(text)
    except ValueError:
        detail = f"{field}: expected a time with a zone (RFC 3339), not {text!r}"
        raise CallRefused(Code.INVALID_FORMAT, detail) from None


async def page_response(
    request: web.Request,
    name: str,
    read: Read[Item],
    shown: Callable[[Item], dict[str, Any]],
    **more: Any,
) -> web.StreamResponse:
    """Answer with the page at ``limit`` and ``cursor``, as the list ``name``.

    ``shown`` is called in a thread. ``more`` are further fields of the answer.
    """
    limit = asked_limit(request)
    try:
        page = await read(request.query.get("cursor"), limit)
    except ValueError:
        return answer(Code.INVALID_FORMAT, detail=NOT_A_CURSOR)
    if page is None:
        return answer(Code.UNKNOWN)
    return await send_json(request, {**more, name: map(shown, page.items), "next": page.next})
