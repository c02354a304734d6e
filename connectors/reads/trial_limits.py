"""Trials of pages and backtests: as many as a manager may have at a time."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from math import ceil
from time import monotonic
from typing import TypeVar

from connectors.access.rates import CallRates
from connectors.turns import TooManyWaiting, Turns, timed
from schemas.codec.backtests import PastNotifications
from schemas.records.codes import Code
from schemas.records.faults import Fault, Refusal, refusal_by
from schemas.records.pages import is_pages
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Receiver, Subscription

MAX_TRIALS = 4
"""Pages on trial at a time."""
MAX_TRIALS_PER_MANAGER = 2
"""Of a manager; as many more wait."""
MAX_RENDERED = 1
"""Pages on trial in a browser at a time."""
MAX_A_MINUTE = 60
"""Trials of a manager in this process: more would scan hosts, or load them."""
TRIAL_TIMEOUT_S = 60.0
"""For a turn, and then for the page."""
RETRY_AFTER_S = 5
Found = TypeVar("Found")
SubscriptionOf = Callable[[Subscribe, Sequence[Fault]], Subscription | Refusal]
"""Returns the subscription of a request, or the refusal, with the faults found before."""
_NOBODY = Receiver("channel:try")

ONE_PAGE = "the URL of one page is allowed here, not pages:…"

MAX_BACKTESTS = 1
"""At a time: they share a thread."""
MAX_WAITING_PER_MANAGER = 2
MAX_CPU_S = 5.0
BACKTEST_TIMEOUT_S = 60.0
"""For a turn, and then for the backtest."""


@dataclass(frozen=True, slots=True)
class AskedPart:
    """The part of the history for a backtest.

    The part has ``limit`` notifications from ``since`` (epoch ms) on and before the cursor
    ``after``, within ``cpu_s`` seconds of CPU.
    """

    limit: int
    since: int = 0
    after: str | None = None
    cpu_s: float = MAX_CPU_S


Find = Callable[[Subscription, AskedPart], Awaitable[PastNotifications]]
"""Backtests a subscription; raises ValueError for an unknown cursor."""
Judge = Callable[[Subscription, PastNotifications], Awaitable[PastNotifications]]
"""Judges the results of a backtest, for a subscription with a rule in plain words or a summary."""


class BacktestLimits:
    """Backtests in turns."""

    def __init__(
        self, subscription_of: SubscriptionOf, find: Find, judge: Judge | None = None
    ) -> None:
        """``subscription_of`` checks a request, ``find`` backtests its subscription."""
        self._judge = judge
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
        """Return the past notifications for a request of its manager.

        Raises TrialRefused, with the faults in ``unread`` if any, and ValueError for an unknown
        cursor.
        """
        asked = trial_of(manager, command, self._subscription_of, unread)
        try:
            async with timed(self._turns.turn(manager), BACKTEST_TIMEOUT_S):
                found = await self._find(asked, part)
        except TooManyWaiting:
            raise refused_for_now("Not begun: other backtests of this manager wait") from None
        except TimeoutError:
            reason = f"Not finished: the backtest took longer than {BACKTEST_TIMEOUT_S:g} s"
            raise refused_for_now(reason) from None
        # Not in its turn: a model may take long, and other backtests do not wait for it.
        return found if self._judge is None else await self._judge(asked, found)


class TrialRefused(Exception):
    """A page is not tried, for a reason with a code."""

    def __init__(self, refusal: Refusal, retry_after: int = 0) -> None:
        """After ``retry_after`` seconds the same may be tried, if not 0."""
        super().__init__(refusal.detail)
        self.refusal = refusal
        self.retry_after = retry_after


class TrialLimits:
    """Trials in turns; those of a minute are counted."""

    def __init__(
        self, subscription_of: SubscriptionOf, clock: Callable[[], float] = monotonic
    ) -> None:
        """``subscription_of`` checks a request; ``clock`` is monotonic, in seconds."""
        self._subscription_of = subscription_of
        self._rates = CallRates(clock)
        self._turns = Turns(MAX_TRIALS, MAX_TRIALS_PER_MANAGER, MAX_TRIALS_PER_MANAGER)
        self._browsers = Turns(MAX_RENDERED, MAX_RENDERED, MAX_TRIALS_PER_MANAGER)

    async def trial(
        self,
        manager: str,
        command: Subscribe,
        look: Callable[[Subscription], Awaitable[Found]],
        unread: Sequence[Fault] = (),
    ) -> Found:
        """Return the result of ``look`` at a request's page, after a wait for a turn.

        Raises TrialRefused, with the faults in ``unread`` if there are any.
        """
        asked = trial_of(manager, command, self._subscription_of, unread)
        if seconds := self._rates.take(manager, MAX_A_MINUTE):
            detail = f"{MAX_A_MINUTE} trials a minute are allowed."
            raise TrialRefused(Refusal(Code.QUOTA, detail), ceil(seconds))
        try:
            async with timed(self._turn(asked), TRIAL_TIMEOUT_S):
                return await look(asked)
        except TooManyWaiting:
            raise refused_for_now("Not tried: other pages are being tried") from None
        except TimeoutError:
            reason = f"Not tried: the trial took longer than {TRIAL_TIMEOUT_S:g} s"
            raise refused_for_now(reason) from None

    @asynccontextmanager
    async def _turn(self, asked: Subscription) -> AsyncIterator[None]:
        """Wait for a turn, of a browser first: this wait holds up no other trial."""
        async with AsyncExitStack() as stack:
            if asked.options.view.render:
                await stack.enter_async_context(self._browsers.turn(asked.manager))
            await stack.enter_async_context(self._turns.turn(asked.manager))
            yield


def trial_of(
    manager: str, command: Subscribe, subscription_of: SubscriptionOf, unread: Sequence[Fault] = ()
) -> Subscription:
    """Return the subscription of a manager's request for nobody; raises TrialRefused."""
    if is_pages(command.document_url):
        fault = Fault(Code.INVALID_DOCUMENT_URL, "documentUrl", ONE_PAGE)
        raise TrialRefused(refusal_by([fault]))
    asked = replace(
        command,
        manager=manager,
        keywords=command.keywords or ("*",),
        receiver=_NOBODY,
        request_id=None,
    )
    found = subscription_of(asked, unread)
    if isinstance(found, Refusal):
        raise TrialRefused(found)
    return found


def refused_for_now(reason: str) -> TrialRefused:
    """Return the refusal of a request which may succeed a little later."""
    return TrialRefused(Refusal(Code.NO_ANSWER, f"{reason}. Try again later."), RETRY_AFTER_S)
