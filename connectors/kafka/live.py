"""Pass notifications on as they come, to those who listen now."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

import structlog
from aiokafka import ConsumerRecord

from connectors.kafka.access import Access
from connectors.kafka.listener import Listener, LiveNotification, Positions
from connectors.kafka.pages import PagedTopic
from connectors.kafka.reading import end_task, tail
from connectors.kafka.topic_ids import topic_ids
from connectors.registry.codec import Codec
from schemas.codec.wire import Undecodable
from schemas.records.notifications import Notification
from schemas.records.topic_names import MOVED

log = structlog.get_logger()


class UnknownPositions(ValueError):
    """The topic cannot have these positions."""


class Live:
    """Reads the topic, once for all listeners and only while there are any.

    Who missed something reads the log in pages, in turn with others, until nothing is missing.
    """

    def __init__(self, access: Access, topic: str, codec: Codec) -> None:
        """``topic`` is the full name of the topic of notifications; ``codec`` is started."""
        self._codec = codec
        self._access = access
        self._topic = topic
        self._lock = asyncio.Lock()
        self._log = PagedTopic(access, topic)
        self._reader: asyncio.Task[None] | None = None
        self._positions: list[int] = []
        self.topic_id = ""
        """The id of the topic, empty if unknown to the broker."""
        self._listeners: set[Listener] = set()
        self.up_to_date: set[Listener] = set()
        """The listeners without gaps."""

    @asynccontextmanager
    async def listen(
        self, manager: str, after: Positions | None = None, topic_id: str = ""
    ) -> AsyncIterator[tuple[Listener, Positions, AsyncIterator[LiveNotification]]]:
        """Return a listener, its begin, and its notifications: first all since ``after``.

        If ``after`` belongs to a topic with another id, the topic was created again since: then the
        listener gets all its messages. Raises UnknownPositions, and KafkaError and LookupError as
        ``tail`` does.
        """
        listener = Listener(manager)
        try:
            async with self._lock:
                await self._begin()
                self._listeners.add(listener)
            now = tuple(self._positions)
            if after is not None and after and len(now) % len(after) == 0:
                # Partitions were added since, which is by a multiple.
                after = (*after, *(0,) * (len(now) - len(after)))
            if after is not None and len(after) != len(now):
                raise UnknownPositions(f"the topic has {len(now)} partitions")
            begin = now
            if after is not None:
                is_former = self.topic_id and topic_id and topic_id != self.topic_id
                # Positions are too high if the log was cut short.
                begin = (0,) * len(now) if is_former else tuple(map(min, after, now))
            if begin == now:
                self.up_to_date.add(listener)
            async with aclosing(self._heard(listener, begin)) as heard:
                yield listener, begin, heard
        finally:
            self.up_to_date.discard(listener)
            async with self._lock:
                self._listeners.discard(listener)
                await self._end()

    def close(self) -> None:
        """End all listeners."""
        for listener in self._listeners:
            listener.close()

    async def _heard(
        self, listener: Listener, at: Positions
    ) -> AsyncGenerator[LiveNotification, None]:
        while listener.is_open and listener not in self.up_to_date:
            pairs = enumerate(zip(at, self._positions, strict=True))
            partition = next((number for number, (own, live) in pairs if own < live), None)
            if partition is None:  # nothing can come between this and the next line
                self.up_to_date.add(listener)
                break
            span = at[partition], self._positions[partition]
            messages, position = await self._log.page(listener.manager, partition, span)
            for message in messages:
                await asyncio.sleep(0)  # a page takes long to decode
                at = _after(at, message)
                await self._codec.learn(message.value)
                if heard := self._of(message, {listener.manager}, at):
                    yield heard
            at = _replaced(at, partition, position)
        async for heard in listener:
            yield heard

    async def _begin(self) -> None:
        if self._reader is None or self._reader.done():
            ready: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
            self._reader = asyncio.create_task(self._read(ready))
            self._positions = await ready

    async def _end(self) -> None:
        if self._reader is not None and not self._listeners:
            await end_task(self._reader)
            self._reader = None
            await self._log.close()

    async def _read(self, ready: asyncio.Future[list[int]]) -> None:
        try:
            async with tail(self._access, self._topic) as consumer:
                self.topic_id = (await topic_ids(consumer, [self._topic])).get(self._topic, "")
                places = sorted(consumer.assignment())
                ready.set_result([await consumer.position(place) for place in places])
                async for message in consumer:
                    await asyncio.sleep(0)  # what was fetched at once takes long to decode
                    if message.partition >= len(self._positions):
                        break  # partitions were added; its listener asks again, and gets them
                    if message.offset < self._positions[message.partition]:
                        log.warning("the topic was created again or cut short", topic=self._topic)
                        break  # its listener asks again, and gets what it misses
                    await self._codec.learn(message.value)
                    self._pass_on(message)
        except Exception as error:  # noqa: BLE001 - its listeners see the end
            if not ready.done():
                ready.set_exception(error)
                return
            log.warning("live notifications end", error=repr(error))
        finally:
            self.close()

    def _pass_on(self, message: ConsumerRecord) -> None:
        self._positions = list(_after(tuple(self._positions), message))
        managers = {listener.manager for listener in self.up_to_date}
        heard = self._of(message, managers, tuple(self._positions))
        if heard is not None:
            for listener in self.up_to_date:
                if listener.manager == heard.fact.manager:
                    listener.offer(heard)

    def _of(
        self, message: ConsumerRecord, managers: set[str], at: Positions
    ) -> LiveNotification | None:
        """Decode the notification of a message, if for any of these managers.

        Not from a copy: the original was passed on.
        """
        if any(name == MOVED for name, _ in message.headers):
            return None
        try:
            fact: Notification = self._codec.decode(message.value, Notification)
        except Undecodable:  # it is among the dead letters
            return None
        return LiveNotification(fact, at, len(message.value)) if fact.manager in managers else None


def _after(positions: Positions, message: ConsumerRecord) -> Positions:
    """Return the positions once a message is passed on."""
    return _replaced(positions, message.partition, message.offset + 1)


def _replaced(positions: Positions, partition: int, position: int) -> Positions:
    return (*positions[:partition], position, *positions[partition + 1 :])
