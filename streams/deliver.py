"""deliver: POSTs notifications to their receivers, each once as far as can be known."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

import structlog

from schemas.answers import Answer
from schemas.facts import ClientGone, Delivered, DeliveryFailed, Expire, Notification
from schemas.urls import canonical
from streams.core.outcome import Event, Lookup, Outcome, Owned, Put, Send
from streams.topics import DELIVERIES, SUBSCRIPTION_REQUESTS

log = structlog.get_logger()

PAUSES = (0.0, 1.0, 3.0)
"""Seconds before each attempt."""
GONE = 410


class Deliver:
    """The stage; ``post`` takes client URL and notification."""

    def __init__(
        self,
        post: Callable[[str, Notification], Awaitable[Answer]],
        clock: Callable[[], int],
        pauses: Iterable[float] = PAUSES,
    ) -> None:
        """``clock`` gives epoch ms."""
        self._post = post
        self._clock = clock
        self._pauses = tuple(pauses)

    def key(self, event: Event) -> str | None:
        """Order per client is kept."""
        notification: Notification = event.fact
        return notification.client_url

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Nothing is kept in memory between notifications."""

    def released(self) -> None:
        """Nothing is kept in memory between notifications."""

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Deliver one notification, unless it is known to be delivered.

        One for a ``session`` is not POSTed: its reader consumes the topic.
        """
        notification: Notification = event.fact
        row = notification.id.encode()
        if notification.client_url is None or lookup("", row) is not None:
            return Outcome()
        answer, attempts = await self._attempts(notification.client_url, notification)
        if answer.delivered:
            fact = self._delivered(notification, answer, attempts)
            return Outcome((Send(DELIVERIES.name, fact.client_url, fact),), (Put(row, fact),))
        return Outcome(tuple(self._given_up(notification, answer, attempts)))

    async def _attempts(self, url: str, notification: Notification) -> tuple[Answer, int]:
        attempts = 0
        for pause in self._pauses:
            await asyncio.sleep(pause)
            attempts += 1
            answer = await self._post(url, notification)
            log.info("posted", client=url, id=notification.id, status=answer.status)
            if answer.delivered or answer.status == GONE:
                break
        return answer, attempts

    def _delivered(self, told: Notification, answer: Answer, attempts: int) -> Delivered:
        return Delivered(
            notification=told.id,
            subscription=told.subscription,
            manager=told.manager,
            client_url=told.client_url or "",
            attempts=attempts,
            status=answer.status or 0,
            at=self._clock(),
        )

    def _given_up(self, told: Notification, answer: Answer, attempts: int) -> Iterable[Send]:
        client, at = told.client_url or "", self._clock()
        names = told.id, told.subscription, told.manager, client
        yield Send(DELIVERIES.name, client, DeliveryFailed(*names, attempts, answer.reason, at))
        if answer.status == GONE:
            reason = "its receiver answered 410 Gone"
            yield Send(DELIVERIES.name, client, ClientGone(told.manager, client, reason, at))
            url = canonical(told.url) or told.url
            yield Send(SUBSCRIPTION_REQUESTS.name, url, Expire(url, told.subscription, reason))
