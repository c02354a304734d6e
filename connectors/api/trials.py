"""POST /try: what a view sees of a page, at once and without a subscription."""

from collections.abc import Awaitable, Callable

from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import answer, refused
from connectors.api.bodies import command_in
from connectors.api.tried import seen_json
from connectors.reads.trial_limits import TrialLimits, TrialRefused
from connectors.serving.sending import send_json
from schemas.records.codes import Code
from schemas.records.previews import MAX_CHARACTERS, SeenPage
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Subscription

DEFAULT_LINES, MAX_LINES = 100, 10_000
"""Lines of the text that an answer has."""


class TrialHandler:
    """The handler of trials."""

    def __init__(
        self, limits: TrialLimits, look: Callable[[Subscription], Awaitable[SeenPage]]
    ) -> None:
        """Read pages with ``look``, as far as there are ``limits``."""
        self._limits = limits
        self._look = look

    async def try_page(self, request: web.Request) -> web.StreamResponse:
        """Answer with what the view in the body sees of its page."""
        read = await command_in(request, "subscribe")
        if isinstance(read, web.Response):
            return read
        command, unread = read
        assert isinstance(command, Subscribe), "the action says so"
        lines = request.query.get("lines", str(DEFAULT_LINES))
        if not lines.isdecimal() or not 0 <= int(lines) <= MAX_LINES:
            return answer(Code.INVALID_FORMAT, detail=f"lines: 0 to {MAX_LINES} are allowed")
        try:
            found = await self._limits.trial(caller(request).manager, command, self._look, unread)
        except TrialRefused as error:
            return refused(error.refusal, error.retry_after)
        shown = seen_json(found, int(lines), MAX_CHARACTERS)
        return await send_json(request, {"code": "0", "message": ""} | shown)
