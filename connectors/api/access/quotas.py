"""How many subscriptions a manager may have: counted when asked, and while requests are open."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from schemas.facts import Cancelled, Expired, Rejected, Subscribed, SubscriptionFact

CountActive = Callable[[str, Collection[str]], Awaitable[int]]
"""Counts a manager's active subscriptions, except those with these ids; may lag."""

REMEMBERED_S = 3600.0
"""How far the count may lag: facts are remembered for so long."""
UNANSWERED_S = 24 * 3600.0
"""A request that nobody has answered may still be decided, and counts for so long."""
MOST_REMEMBERED = 5_000
"""Facts that are remembered of one manager."""


class QuotaExceeded(Exception):
    """A manager has as many subscriptions as its key allows."""


@dataclass(slots=True)
class _Account:
    """What is known of a manager that the count may not know yet.

    ``recent`` has the subscriptions that began or ended lately, by id: since when (s) that is
    known, and whether it is active. ``open`` are requests without an answer, by id: until
    when (s) they count.
    """

    open: dict[str, float] = field(default_factory=dict)
    recent: dict[str, tuple[float, bool]] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def note(self, subscription: str, is_active: bool, now: float) -> None:
        """Note the newest fact about a subscription."""
        self.recent.pop(subscription, None)
        self.recent[subscription] = now, is_active
        while self.recent:
            oldest = next(iter(self.recent))
            if len(self.recent) <= MOST_REMEMBERED and self.recent[oldest][0] > now - REMEMBERED_S:
                break
            del self.recent[oldest]

    def ahead_of(self, request_id: str, now: float) -> int:
        """Count what is active of what is remembered, and other requests that are open."""
        self.open = {each: until for each, until in self.open.items() if until > now}
        active = sum(is_active for _, is_active in self.recent.values())
        return active + len(self.open.keys() - {request_id})


class Quotas:
    """Admits requests for new subscriptions within the quotas of managers.

    A request counts from the moment in which it is admitted until it is answered. So however
    many come at once, one process never has more granted than the quota.
    """

    def __init__(self, count: CountActive, clock: Callable[[], float]) -> None:
        """``count`` counts what is stored; ``clock`` is monotonic, in seconds."""
        self._count = count
        self._clock = clock
        self._accounts: defaultdict[str, _Account] = defaultdict(_Account)

    def note(self, fact: SubscriptionFact) -> None:
        """Take account of what the register has decided, whoever asked for it."""
        match fact:
            case Subscribed():
                self._answered(fact.subscription.manager, fact.request_id)
                self._note(fact.subscription.manager, fact.subscription.id, is_active=True)
            case Cancelled() | Expired():
                self._note(fact.manager, fact.subscription, is_active=False)
            case Rejected():
                self._answered(fact.manager, fact.request_id)

    @asynccontextmanager
    async def admitted(self, manager: str, quota: int, request_id: str) -> AsyncIterator[None]:
        """Admit one request, a repeated one once; raises QuotaExceeded.

        If it ends with an error, it still counts until its answer is noted.
        """
        account = self._accounts[manager]
        async with account.lock:  # nobody may be admitted between the count and this admission
            now, known = self._clock(), tuple(account.recent)
            ahead = account.ahead_of(request_id, now)
            if ahead + await self._count(manager, known) >= quota:
                raise QuotaExceeded(f"This key allows {quota} subscriptions.")
            account.open[request_id] = now + UNANSWERED_S
        yield
        account.open.pop(request_id, None)

    def _answered(self, manager: str, request_id: str) -> None:
        if manager in self._accounts:
            self._accounts[manager].open.pop(request_id, None)

    def _note(self, manager: str, subscription: str, *, is_active: bool) -> None:
        # Those who have no quota have no account.
        if manager in self._accounts:
            self._accounts[manager].note(subscription, is_active, self._clock())
