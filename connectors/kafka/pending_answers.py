"""Pass the register's answers to the waiting calls."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from schemas.records.subscription_facts import Cancelled, Rejected, Subscribed

RegisterAnswer = Subscribed | Cancelled | Rejected


class PendingAnswers:
    """The requests without an answer yet, by manager and request id.

    A request id is chosen by a client, so two managers may use the same: each gets its answer.

    >>> len(PendingAnswers())
    0
    """

    def __init__(self) -> None:
        """Start with nobody waiting."""
        self._waiting: defaultdict[tuple[str, str], list[asyncio.Future[RegisterAnswer]]]
        self._waiting = defaultdict(list)

    def __len__(self) -> int:
        """Count the waiting requests."""
        return sum(map(len, self._waiting.values()))

    @contextmanager
    def expected(self, manager: str, request_id: str) -> Iterator[asyncio.Future[RegisterAnswer]]:
        """Return a future for the answer to a manager's request."""
        key = manager, request_id
        answer: asyncio.Future[RegisterAnswer] = asyncio.get_running_loop().create_future()
        self._waiting[key].append(answer)
        try:
            yield answer
        finally:
            self._waiting[key].remove(answer)
            if not self._waiting[key]:
                del self._waiting[key]

    def resolve(self, fact: RegisterAnswer) -> None:
        """Hand an answer to all its waiters."""
        manager = fact.subscription.manager if isinstance(fact, Subscribed) else fact.manager
        for answer in self._waiting.get((manager, fact.request_id), ()):
            if not answer.done():
                answer.set_result(fact)
