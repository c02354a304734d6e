"""Pages of a listing, as all calls of the API give them."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from aiohttp import web

from connectors.api.answers import INVALID_FORMAT, UNKNOWN, answer
from connectors.stores.pages import ListingPage

MAX_PAGE = 1000
PAGE = 100

Item = TypeVar("Item")
Read = Callable[[str | None, int], Awaitable[ListingPage[Item] | None]]
"""Gives the page behind a cursor, of so many items at most; None for what is not there."""


async def page_response(
    request: web.Request,
    name: str,
    read: Read[Item],
    shown: Callable[[Item], dict[str, Any]],
    **more: Any,
) -> web.Response:
    """Answer with the page that ``limit`` and ``cursor`` ask for, as a list called ``name``.

    ``more`` goes beside it.
    """
    cursor, limit = request.query.get("cursor"), request.query.get("limit", str(PAGE))
    if not (limit.isdecimal() and len(limit) < 5 and 1 <= int(limit) <= MAX_PAGE):
        return answer(INVALID_FORMAT, detail=f"limit: 1 to {MAX_PAGE} is allowed")
    try:
        page = await read(cursor, int(limit))
    except ValueError:
        return answer(INVALID_FORMAT, detail="cursor: only one from 'next' is allowed")
    if page is None:
        return answer(UNKNOWN)
    items = [shown(item) for item in page.items]
    return web.json_response({**more, name: items, "next": page.next})
