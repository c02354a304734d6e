"""POST /subscribe, /cancel and other requests, which the register decides."""

from aiohttp import web
from aiohttp.typedefs import Handler

from connectors.access.callers import caller
from connectors.api.answers import answer, command_in, listed_faults
from connectors.requests.outcomes import ClientRequests

IDEMPOTENCY_KEY = "Idempotency-Key"


class RequestHandlers:
    """The handlers of requests about subscriptions."""

    def __init__(self, requests: ClientRequests) -> None:
        """Answer with what becomes of ``requests``."""
        self._requests = requests

    async def subscribe(self, request: web.Request) -> web.Response:
        """Watch a document for a client, within the quota of the caller's key."""
        return await self._ask(request, "subscribe")

    def asking(self, action: str) -> Handler:
        """Return the handler of a request about an existing subscription."""

        async def ask(request: web.Request) -> web.Response:
            return await self._ask(request, action)

        return ask

    async def _ask(self, request: web.Request, action: str) -> web.Response:
        read = await command_in(request, action)
        if isinstance(read, web.Response):
            return read
        command, unread = read
        key = request.headers.get(IDEMPOTENCY_KEY)
        found = await self._requests.outcome(caller(request), command, key, unread)
        return answer(
            found.code,
            detail=found.detail,
            errors=listed_faults(found.faults),
            id=found.id,
            name=found.name,
            secret=found.secret,
        )
