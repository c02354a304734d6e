"""Answer calls with 503 while no worker runs, because partitions are added."""

from aiohttp import web
from aiohttp.typedefs import Handler

from connectors.api.answers import answer
from schemas.records.codes import Code

RETRY_AFTER_S = 10
DETAIL = "Partitions are being added to this deployment, which takes about half a minute."


class Pause:
    """Whether calls are refused; calls that had begun before are answered."""

    def __init__(self, *allowed: str) -> None:
        """Calls of the paths ``allowed`` are answered at any time."""
        self._allowed = allowed
        self._is_on = False

    def begin(self) -> None:
        """Refuse calls from now on."""
        self._is_on = True

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse a call, or pass it on."""
        if not self._is_on or request.path in self._allowed:
            return await handler(request)
        refusal = answer(Code.NO_ANSWER, detail=DETAIL)
        refusal.headers["Retry-After"] = str(RETRY_AFTER_S)
        return refusal
