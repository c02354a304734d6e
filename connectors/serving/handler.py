"""aiohttp's handler of a connection, with our answers to malformed requests."""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_protocol import RequestPayloadError

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
    traceback of each; a body that it cannot decode is a fault of the server to aiohttp.
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
        if isinstance(exc, RequestPayloadError):
            message = _fault_of(exc)
        elif status != BAD_REQUEST:
            return super().handle_error(request, status, exc, message)
        reason = " ".join((message or "").split())[:MAX_REASON]
        _note(reason)
        response = self._refuse(reason)
        response.force_close()
        return response

    def log_exception(self, *args: Any, **options: Any) -> None:
        """Log an error, without a traceback of a rest of a body that cannot be decoded."""
        error = options.get("exc_info")
        if isinstance(error, RequestPayloadError):
            _note(_fault_of(error))
        else:
            super().log_exception(*args, **options)


def _fault_of(error: RequestPayloadError) -> str:
    cause = error.__cause__
    return cause.message if isinstance(cause, HttpProcessingError) else str(error)


def _note(reason: str) -> None:
    log.info("a request is no HTTP", reason=reason, once_a_minute="a request is no HTTP")
