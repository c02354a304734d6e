"""A reader of live notifications without a topic."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiokafka.errors import KafkaConnectionError

from connectors.kafka.listener import Listener, LiveNotification, Positions
from schemas.records.notifications import Notification


class LiveAgent:
    """Notes who listens; ``trouble`` keeps others out, ``fails`` ends with an error."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self.asked: list[tuple[str, Positions | None, str]] = []
        self.topic_id = ""
        self.trouble: Exception | None = None
        self.fails = False

    @asynccontextmanager
    async def listen(
        self, manager: str, after: Positions | None = None, topic_id: str = ""
    ) -> AsyncIterator[tuple[Listener, Positions, AsyncIterator[LiveNotification]]]:
        self.asked.append((manager, after, topic_id))
        if self.trouble is not None:
            raise self.trouble
        listener = Listener(manager)
        self.listeners.append(listener)
        try:
            yield listener, after or (7, 0), self._heard(listener)
        finally:
            self.listeners.remove(listener)

    async def _heard(self, listener: Listener) -> AsyncIterator[LiveNotification]:
        async for each in listener:
            yield each
        if self.fails:
            raise KafkaConnectionError

    def close(self) -> None:
        for listener in self.listeners:
            listener.close()

    def notify(self, fact: Notification) -> None:
        """Pass a notification on to its manager's listeners."""
        for listener in self.listeners:
            if listener.manager == fact.manager:
                listener.offer(LiveNotification(fact, (8, 0), 1))
