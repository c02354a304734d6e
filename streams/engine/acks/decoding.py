"""Decode the consumer's messages to the events that an agent handles."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from connectors.kafka_patches.batches import UnreadableBatch
from connectors.registry.codec import Codec
from schemas.codec.wire import Undecodable
from schemas.records.topics import Topic
from streams.engine.acks.poison_messages import GIVEN_UP_AFTER
from streams.values.outcome import Event

LARGE = 100_000
"""Bytes of a value from which the event loop does not decode it."""


class FatalEvent(Undecodable):
    """An event that is not decoded, for the process ended whenever it was in hand."""


class EventDecoder:
    """Decodes the messages of an agent's input topics, which are by their full names."""

    def __init__(self, topics: Mapping[str, Topic], codec: Codec) -> None:
        """``codec`` is started."""
        self._topics = topics
        self._codec = codec

    async def prepare(self, value: bytes | None, waiting: Callable[[], None]) -> None:
        """Return when the schema of a value is known; calls ``waiting`` while it is not."""
        if not isinstance(value, UnreadableBatch) and not self._codec.knows(value):
            await self._codec.learn(value, waiting)

    async def event(self, message: Any, ends: int = 0) -> Event:
        """Decode a message; the fact of an undecodable one is the Undecodable error.

        A large one is decoded in a thread, as a change of 12 MB takes half a second. One that
        was in hand at too many ``ends`` of a process is not even decoded.
        """
        topic = self._topics[message.topic]
        if ends >= GIVEN_UP_AFTER:
            fact: Any = FatalEvent(f"the worker ended {ends} times while this event was in hand")
        elif len(message.value or b"") > LARGE:
            fact = await asyncio.to_thread(self._fact, message.value, topic)
        else:
            fact = self._fact(message.value, topic)
        return Event(
            topic.name,
            message.partition,
            message.offset,
            message.timestamp,
            message.key,
            message.value,
            tuple(message.headers or ()),
            fact,
        )

    def _fact(self, value: bytes | None, topic: Topic) -> Any:
        if isinstance(value, UnreadableBatch):
            return Undecodable(f"a batch of messages cannot be read: {value.reason}")
        try:
            return self._codec.decode(value, *topic.kinds, allow_json=topic.allow_json)
        except Undecodable as error:
            return error
