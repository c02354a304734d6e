"""POST /try and /backtest: a page or its past, at once and without a subscription."""

from collections.abc import Awaitable, Callable

from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import answer, read_subscribe, refused
from connectors.api.paging import NOT_A_CURSOR, asked_limit, asked_time
from connectors.api.tried import backtest_json, seen_json
from connectors.reads.trial_limits import AskedPart, BacktestLimits, TrialLimits, TrialRefused
from connectors.serving.sending import send_json
from schemas.records.codes import Code
from schemas.records.previews import MAX_CHARACTERS, SeenPage
from schemas.records.subscriptions import Subscription

DEFAULT_LINES, MAX_LINES = 100, 10_000
"""Lines of the text in an answer."""


class BacktestHandler:
    """The handler of backtests."""

    def __init__(self, limits: BacktestLimits) -> None:
        """Backtest as far as there are ``limits``."""
        self._limits = limits

    async def backtest_page(self, request: web.Request) -> web.StreamResponse:
        """Answer with the past notifications for the subscription in the body."""
        command, unread = await read_subscribe(request)
        part = AskedPart(
            asked_limit(request), asked_time(request, "since") or 0, request.query.get("cursor")
        )
        try:
            found = await self._limits.backtest(caller(request).manager, command, part, unread)
        except TrialRefused as error:
            return refused(error.refusal, error.retry_after)
        except ValueError:
            return answer(Code.INVALID_FORMAT, detail=NOT_A_CURSOR)
        return await send_json(request, {"code": "0", "message": ""} | backtest_json(found))


class TrialHandler:
    """The handler of trials."""

    def __init__(
        self, limits: TrialLimits, look: Callable[[Subscription], Awaitable[SeenPage]]
    ) -> None:
        """Read pages with ``look``, as far as there are ``limits``."""
        self._limits = limits
        self._look = look

    async def try_page(self, request: web.Request) -> web.StreamResponse:
        """Answer with the page as read by the view in the body."""
        command, unread = await read_subscribe(request)
        lines = request.query.get("lines", str(DEFAULT_LINES))
        if not lines.isdecimal() or not 0 <= int(lines) <= MAX_LINES:
            return answer(Code.INVALID_FORMAT, detail=f"lines: 0 to {MAX_LINES} are allowed")
        try:
            found = await self._limits.trial(caller(request).manager, command, self._look, unread)
        except TrialRefused as error:
            return refused(error.refusal, error.retry_after)
        shown = seen_json(found, int(lines), MAX_CHARACTERS)
        return await send_json(request, {"code": "0", "message": ""} | shown)
