"""aiohttp's handler of a connection, with answers of our own to what is not HTTP."""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog
from aiohttp import web

log = structlog.get_logger()

BAD_REQUEST = 400
MAX_REASON = 300
"""Characters of what is wrong with a request; it quotes the line that it found."""

Refuse = Callable[[str], web.Response]
"""Returns the answer to a request that cannot be parsed, from what is wrong with it."""


def refuse_in_text(reason: str) -> web.Response:
    """Answer in plain text."""
    return web.Response(status=BAD_REQUEST, text=reason)


class RequestHandler(web.RequestHandler):
    """Handles the requests of one connection.

    aiohttp answers what its parser refuses in plain text, past all middlewares, and logs a
    traceback of each.
    """

    __slots__ = ("_refuse",)

    def __init__(self, server: web.Server, refuse: Refuse, **options: Any) -> None:
        """``options`` are aiohttp's."""
        super().__init__(server, loop=asyncio.get_running_loop(), **options)
        self._refuse = refuse

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer a request that cannot be parsed; leave other errors to aiohttp."""
        if status != BAD_REQUEST:
            return super().handle_error(request, status, exc, message)
        reason = " ".join((message or "").split())[:MAX_REASON]
        log.info("a request is no HTTP", reason=reason, once_a_minute="a request is no HTTP")
        response = self._refuse(reason)
        response.force_close()
        return response
