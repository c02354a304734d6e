"""Pages of a listing, the same for all calls of the API."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from aiohttp import web

from connectors.api.answers import answer
from connectors.api.sending import send_json
from connectors.stores.pages import ListingPage
from schemas.codes import Code

MAX_LIMIT = 1000
DEFAULT_LIMIT = 100

Item = TypeVar("Item")
Read = Callable[[str | None, int], Awaitable[ListingPage[Item] | None]]
"""Returns the page after a cursor, of at most so many items; None if nothing is listed."""


async def page_response(
    request: web.Request,
    name: str,
    read: Read[Item],
    shown: Callable[[Item], dict[str, Any]],
    **more: Any,
) -> web.StreamResponse:
    """Answer with the page that ``limit`` and ``cursor`` ask for, as the list ``name``.

    ``shown`` is called in a thread. ``more`` are further fields of the answer.
    """
    cursor, limit = request.query.get("cursor"), request.query.get("limit", str(DEFAULT_LIMIT))
    if not (limit.isdecimal() and len(limit) < 5 and 1 <= int(limit) <= MAX_LIMIT):
        return answer(
            Code.INVALID_FORMAT, detail=f"limit: expected 1 to {MAX_LIMIT}, not {limit!r}"
        )
    try:
        page = await read(cursor, int(limit))
    except ValueError:
        return answer(Code.INVALID_FORMAT, detail="cursor: expected the 'next' of an answer")
    if page is None:
        return answer(Code.UNKNOWN)
    return await send_json(request, {**more, name: map(shown, page.items), "next": page.next})
