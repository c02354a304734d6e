"""Backtests with the changes that are kept: as many as a manager may have at a time."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from connectors.reads.trial_limits import refused_for_now, trial_of
from connectors.requests.refusals import SubscriptionOf
from connectors.turns import TooManyWaiting, Turns, timed
from schemas.codec.backtests import PastNotifications
from schemas.records.faults import Fault
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Subscription

MAX_BACKTESTS = 1
"""At a time: they share one thread."""
MAX_WAITING_PER_MANAGER = 2
MAX_CPU_S = 5.0
BACKTEST_TIMEOUT_S = 60.0
"""For a turn, and then for the backtest."""


@dataclass(frozen=True, slots=True)
class AskedPart:
    """The part of the history that is asked for.

    It has ``limit`` notifications from ``since`` (epoch ms) on that are before the cursor
    ``after``, as far as ``cpu_s`` seconds of CPU reach.
    """

    limit: int
    since: int = 0
    after: str | None = None
    cpu_s: float = MAX_CPU_S


Find = Callable[[Subscription, AskedPart], Awaitable[PastNotifications]]
"""Backtests a subscription; raises ValueError for a cursor that no answer had."""


class BacktestLimits:
    """Backtests in turns."""

    def __init__(self, subscription_of: SubscriptionOf, find: Find) -> None:
        """``subscription_of`` checks a request, ``find`` backtests its subscription."""
        self._subscription_of = subscription_of
        self._find = find
        self._turns = Turns(MAX_BACKTESTS, MAX_BACKTESTS, MAX_WAITING_PER_MANAGER)

    async def backtest(
        self,
        manager: str,
        command: Subscribe,
        part: AskedPart,
        unread: Sequence[Fault] = (),
    ) -> PastNotifications:
        """Return what a request would have brought its manager.

        Raises TrialRefused, with the faults in ``unread`` if there are any, and ValueError for a
        cursor that no answer had.
        """
        asked = trial_of(manager, command, self._subscription_of, unread)
        try:
            async with timed(self._turns.turn(manager), BACKTEST_TIMEOUT_S):
                return await self._find(asked, part)
        except TooManyWaiting:
            raise refused_for_now("Not begun: other backtests of this manager wait") from None
        except TimeoutError:
            reason = f"Not finished: the backtest took longer than {BACKTEST_TIMEOUT_S:g} s"
            raise refused_for_now(reason) from None
