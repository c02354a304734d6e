"""The quota of a manager's subscriptions: counted when asked, and while requests are open."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from schemas.records.subscription_facts import (
    Cancelled,
    Expired,
    Rejected,
    Subscribed,
    SubscriptionFact,
)
from schemas.records.subscriptions import Receiver

CountActive = Callable[[str, Collection[str]], Awaitable[int]]
"""Counts a manager's active subscriptions, except those with these ids; may lag."""

Held = tuple[str, Receiver, str]
"""The canonical URL, the receiver and the name of a subscription."""
FindActive = Callable[[str, str, Receiver, str], Awaitable[str | None]]
"""Looks up the id of a manager's active subscription by its key; may lag."""

REMEMBERED_S = 3600.0
"""The most seconds of lag in the count: facts are remembered for so long."""
UNANSWERED_S = 24 * 3600.0
"""A request without an answer may still be decided, and counts for so long."""
MOST_REMEMBERED = 5_000
"""The most facts remembered of a manager."""


class QuotaExceeded(Exception):
    """A manager has as many subscriptions as its key allows."""


@dataclass(slots=True)
class _Account:
    """Facts about a manager which the count may not include yet.

    ``recent`` has the subscriptions begun or ended lately, by id: the time (s) of the fact, and the
    key, None once ended. ``open`` are requests without an answer, by id: until when (s) they count.
    """

    open: dict[str, float] = field(default_factory=dict)
    recent: dict[str, tuple[float, Held | None]] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def note(self, subscription: str, held: Held | None, now: float) -> None:
        """Note the newest fact about a subscription."""
        self.recent.pop(subscription, None)
        self.recent[subscription] = now, held
        while self.recent:
            oldest = next(iter(self.recent))
            if len(self.recent) <= MOST_REMEMBERED and self.recent[oldest][0] > now - REMEMBERED_S:
                break
            del self.recent[oldest]

    def ahead_of(self, request_id: str, now: float) -> int:
        """Count the active subscriptions remembered, and other open requests."""
        self.open = {each: until for each, until in self.open.items() if until > now}
        active = sum(held is not None for _, held in self.recent.values())
        return active + len(self.open.keys() - {request_id})


class Quotas:
    """Admits requests for new subscriptions within the quotas of managers.

    A request counts from its admission until its answer. So a process never has more granted than
    the quota, even for simultaneous requests.
    """

    def __init__(self, count: CountActive, find: FindActive, clock: Callable[[], float]) -> None:
        """``count`` and ``find`` ask the store; ``clock`` is monotonic, in seconds."""
        self._count = count
        self._find = find
        self._clock = clock
        self._accounts: defaultdict[str, _Account] = defaultdict(_Account)

    def note(self, fact: SubscriptionFact) -> None:
        """Count a decision of the register, for any client."""
        match fact:
            case Subscribed():
                self._answered(fact.subscription.manager, fact.request_id)
                begun = fact.subscription
                self._note(begun.manager, begun.id, (begun.url, begun.receiver, begun.name))
            case Cancelled() | Expired():
                self._note(fact.manager, fact.subscription, None)
            case Rejected():
                self._answered(fact.manager, fact.request_id)

    @asynccontextmanager
    async def admitted(
        self, manager: str, quota: int, request_id: str, held: Held
    ) -> AsyncIterator[None]:
        """Admit a request, a repeated request once; raises QuotaExceeded.

        After an error, the request still counts until its answer is noted. A full quota admits
        requests to renew, replace or repeat a subscription: they begin no other.
        """
        account = self._accounts[manager]
        async with account.lock:  # nobody may be admitted between the count and this admission
            now, known = self._clock(), tuple(account.recent)
            ahead = account.ahead_of(request_id, now)
            is_full = ahead + await self._count(manager, known) >= quota
            if is_full and not await self._is_active(account, manager, held):
                raise QuotaExceeded(f"This key allows {quota} subscriptions.")
            account.open[request_id] = now + UNANSWERED_S
        is_answered = False
        try:
            yield
            is_answered = True
        finally:
            if is_answered or is_full:  # so no more are open than the quota allows
                account.open.pop(request_id, None)

    async def _is_active(self, account: _Account, manager: str, held: Held) -> bool:
        """Return whether the request is about a subscription of its manager."""
        if any(each == held for _, each in account.recent.values()):
            return True
        stored = await self._find(manager, *held)
        return stored is not None and stored not in account.recent

    def _answered(self, manager: str, request_id: str) -> None:
        if manager in self._accounts:
            self._accounts[manager].open.pop(request_id, None)

    def _note(self, manager: str, subscription: str, held: Held | None) -> None:
        # Those who have no quota have no account.
        if manager in self._accounts:
            self._accounts[manager].note(subscription, held, self._clock())
