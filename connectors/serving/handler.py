"""aiohttp's handler of a connection, with our answers to malformed requests."""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog
from aiohttp import web

log = structlog.get_logger()

BAD_REQUEST = 400
MAX_REASON = 300
"""Characters of the fault of a request, which quotes the line."""

Refuse = Callable[[str], web.Response]
"""Returns the answer to an unparsable request, from its fault."""


def refuse_in_text(reason: str) -> web.Response:
    """Answer in plain text."""
    return web.Response(status=BAD_REQUEST, text=reason)


class ConnectionHandler(web.RequestHandler):
    """Handles the requests of a connection.

    aiohttp answers the refusals of its parser in plain text, past all middlewares, and logs a
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
        """Answer an unparsable request; leave other errors to aiohttp."""
        if status != BAD_REQUEST:
            return super().handle_error(request, status, exc, message)
        reason = " ".join((message or "").split())[:MAX_REASON]
        log.info("a request is no HTTP", reason=reason, once_a_minute="a request is no HTTP")
        response = self._refuse(reason)
        response.force_close()
        return response
