"""Pass notifications on as they come, to whoever listens now."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

import structlog
from aiokafka import ConsumerRecord

from connectors.kafka.access import Access
from connectors.kafka.reading import messages_between, tail
from connectors.registry.codec import Codec
from schemas.facts import Notification
from schemas.wire import Undecodable

log = structlog.get_logger()

MAX_WAITING = 100
"""How many notifications may wait for one listener; each has 256 KB at most."""

Positions = tuple[int, ...]
"""The next offset of each partition: all notifications before it were passed on."""


@dataclass(frozen=True, slots=True)
class LiveNotification:
    """A notification, and the positions after it."""

    fact: Notification
    positions: Positions


class UnknownPositions(ValueError):
    """The topic cannot have these positions."""


class Listener:
    """The notifications that wait for one listener; ends when it is closed or too slow."""

    def __init__(self, manager: str, room: int = MAX_WAITING) -> None:
        """Listen to a manager's notifications."""
        self.manager = manager
        self._room = room
        self._waiting: deque[LiveNotification] = deque()
        self._is_open = True
        self._changed = asyncio.Event()

    def offer(self, heard: LiveNotification) -> None:
        """Queue a notification, unless this is closed; one too many closes it."""
        if len(self._waiting) >= self._room:
            self.close()
        elif self._is_open:
            self._waiting.append(heard)
            self._changed.set()

    def close(self) -> None:
        """End after what already waits."""
        self._is_open = False
        self._changed.set()

    def __aiter__(self) -> "Listener":
        return self

    async def __anext__(self) -> LiveNotification:
        while not self._waiting:
            if not self._is_open:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._waiting.popleft()


class Live:
    """Reads the topic, once for all listeners and only while there is one."""

    def __init__(self, access: Access, topic: str, codec: Codec) -> None:
        """``topic`` is the full name of the topic of notifications; ``codec`` is started."""
        self._codec = codec
        self._access = access
        self._topic = topic
        self._lock = asyncio.Lock()
        self._reader: asyncio.Task[None] | None = None
        self._positions: list[int] = []
        self._listeners: set[Listener] = set()

    @asynccontextmanager
    async def listen(
        self, manager: str, after: Positions | None = None
    ) -> AsyncIterator[tuple[Listener, Positions, AsyncIterator[LiveNotification]]]:
        """Return a listener, where it begins, and what it gets: first all since ``after``.

        Raises UnknownPositions, and KafkaError and LookupError as ``tail`` does.
        """
        listener = Listener(manager)
        try:
            async with self._lock:
                await self._begin()
                now = tuple(self._positions)
                self._listeners.add(listener)
            if after is not None and len(after) != len(now):
                raise UnknownPositions(f"the topic has {len(now)} partitions")
            # The topic may have been created again: then the old positions are too high.
            begin = now if after is None else tuple(map(min, after, now))
            async with aclosing(self._heard(listener, begin, now)) as heard:
                yield listener, begin, heard
        finally:
            async with self._lock:
                self._listeners.discard(listener)
                await self._end()

    def close(self) -> None:
        """End all listeners."""
        for listener in self._listeners:
            listener.close()

    async def _heard(
        self, listener: Listener, begin: Positions, now: Positions
    ) -> AsyncGenerator[LiveNotification, None]:
        spans = dict(enumerate(zip(begin, now, strict=True)))
        async with aclosing(messages_between(self._access, self._topic, spans)) as messages:
            async for message in messages:
                begin = _after(begin, message)
                await self._codec.learn(message.value)
                if fact := self._of(message, {listener.manager}):
                    yield LiveNotification(fact, begin)
        async for heard in listener:
            yield heard

    async def _begin(self) -> None:
        if self._reader is None or self._reader.done():
            ready: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
            self._reader = asyncio.create_task(self._read(ready))
            self._positions = await ready

    async def _end(self) -> None:
        if self._reader is not None and not self._listeners:
            self._reader.cancel()
            await asyncio.wait([self._reader])
            self._reader = None

    async def _read(self, ready: asyncio.Future[list[int]]) -> None:
        try:
            async with tail(self._access, self._topic) as consumer:
                places = sorted(consumer.assignment())
                ready.set_result([await consumer.position(place) for place in places])
                async for message in consumer:
                    await self._codec.learn(message.value)
                    self._pass_on(message)
        except Exception as error:  # noqa: BLE001 - the end tells whoever listens
            if not ready.done():
                ready.set_exception(error)
                return
            log.warning("live notifications end", error=repr(error))
        finally:
            self.close()

    def _pass_on(self, message: ConsumerRecord) -> None:
        self._positions = list(_after(tuple(self._positions), message))
        fact = self._of(message, {listener.manager for listener in self._listeners})
        if fact is not None:
            heard = LiveNotification(fact, tuple(self._positions))
            for listener in self._listeners:
                if listener.manager == fact.manager:
                    listener.offer(heard)

    def _of(self, message: ConsumerRecord, managers: set[str]) -> Notification | None:
        """Decode the notification of a message, if it is for one of these managers."""
        try:
            fact: Notification = self._codec.decode(message.value, Notification)
        except Undecodable:  # it is among the dead letters
            return None
        return fact if fact.manager in managers else None


def _after(positions: Positions, message: ConsumerRecord) -> Positions:
    """Return the positions once a message is passed on."""
    number = message.partition
    return (*positions[:number], message.offset + 1, *positions[number + 1 :])
