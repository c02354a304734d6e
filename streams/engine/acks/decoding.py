"""Decode the consumer's messages to the events that an agent handles."""

import asyncio
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


async def decoded(message: Any, topic: Topic, codec: Codec, ends: int = 0) -> Event:
    """Decode a message of a topic; the fact of an undecodable one is the Undecodable error.

    A large one is decoded in a thread, as a change of 12 MB takes half a second. One that
    was in hand at too many ``ends`` of a process is not even decoded.
    """
    if ends >= GIVEN_UP_AFTER:
        fact: Any = FatalEvent(f"the worker ended {ends} times while this event was in hand")
    elif len(message.value or b"") > LARGE:
        fact = await asyncio.to_thread(_fact, message.value, topic, codec)
    else:
        fact = _fact(message.value, topic, codec)
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


def _fact(value: bytes | None, topic: Topic, codec: Codec) -> Any:
    if isinstance(value, UnreadableBatch):
        return Undecodable(f"a batch of messages cannot be read: {value.reason}")
    try:
        return codec.decode(value, *topic.kinds, allow_json=topic.allow_json)
    except Undecodable as error:
        return error
