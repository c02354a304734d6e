"""POST /backtest: what a subscription would have been notified of by the changes that are kept."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.answers import RefusalOf, answer
from connectors.api.bodies import command_in
from connectors.api.paging import DEFAULT_LIMIT, NOT_A_CURSOR, asked_limit
from connectors.api.sending import send_json
from connectors.api.trials import TrialRefused, refused_for_now, trial_of
from connectors.turns import TooManyWaiting, Turns, timed
from schemas.codec.times import epoch_ms
from schemas.records.codes import Code
from schemas.records.faults import Fault, Refusal
from schemas.records.notifications import Notification
from schemas.records.requests import Subscribe

MAX_BACKTESTS = 1
"""At a time: they share one thread."""
MAX_WAITING_PER_MANAGER = 2
MAX_CPU_S = 5.0
BACKTEST_TIMEOUT_S = 60.0
"""For a turn, and then for the backtest."""


@dataclass(frozen=True, slots=True)
class AskedPart:
    """The part of the history that is asked for.

    From ``since`` (epoch ms) on, what is before the cursor ``after``, with so many notifications,
    as far as ``cpu_s`` seconds of CPU reach.
    """

    since: int = 0
    after: str | None = None
    limit: int = DEFAULT_LIMIT
    cpu_s: float = MAX_CPU_S


@dataclass(frozen=True, slots=True)
class PastNotifications:
    """What a backtest found: the answer by REST's names, and the notifications in it."""

    answer: dict[str, Any]
    notifications: tuple[Notification, ...]


@dataclass(frozen=True, slots=True)
class BacktestPorts:
    """What backtests: ``find`` does so for a valid request.

    It raises ValueError for a cursor that no answer had.
    """

    refusal: RefusalOf
    find: Callable[[Subscribe, AskedPart], Awaitable[PastNotifications]]


class BacktestHandler:
    """The handler of backtests."""

    def __init__(self, ports: BacktestPorts) -> None:
        """Begin with nobody at work."""
        self._ports = ports
        self._turns = Turns(MAX_BACKTESTS, MAX_BACKTESTS, MAX_WAITING_PER_MANAGER)

    async def backtest_page(self, request: web.Request) -> web.StreamResponse:
        """Answer with what the subscription in the body would have been notified of."""
        read = await command_in(request, "subscribe")
        if isinstance(read, web.Response):
            return read
        command, unread = read
        assert isinstance(command, Subscribe), "the action says so"
        try:
            part = _asked_part(request)
        except ValueError as error:
            return answer(Code.INVALID_FORMAT, detail=str(error))
        try:
            found = await self.backtest(caller(request).manager, command, part, unread)
        except TrialRefused as refused:
            return refused.response
        return await send_json(request, {"code": "0", "message": ""} | found.answer)

    async def backtest(
        self,
        manager: str,
        command: Subscribe,
        part: AskedPart,
        unread: Sequence[Fault] = (),
    ) -> PastNotifications:
        """Return what a request would have brought its manager.

        Raises TrialRefused, with the faults in ``unread`` if there are any.
        """
        asked = trial_of(manager, command, self._ports.refusal, unread)
        try:
            async with timed(self._turns.turn(manager), BACKTEST_TIMEOUT_S):
                return await self._ports.find(asked, part)
        except TooManyWaiting:
            raise refused_for_now("Not begun: other backtests of this manager wait") from None
        except TimeoutError:
            reason = f"Not finished: the backtest took longer than {BACKTEST_TIMEOUT_S:g} s"
            raise refused_for_now(reason) from None
        except ValueError:
            raise TrialRefused(Refusal(Code.INVALID_FORMAT, NOT_A_CURSOR)) from None


def _asked_part(request: web.Request) -> AskedPart:
    since = request.query.get("since", "")
    try:
        begin = epoch_ms(since) if since else 0
    except ValueError:
        raise ValueError(f"since: expected a time as in RFC 3339, not {since!r}") from None
    return AskedPart(begin, request.query.get("cursor"), asked_limit(request))
