"""``vokter tail``: the messages on a topic as JSON lines."""

from collections.abc import AsyncIterator, Iterable
from typing import Any

from msgspec import to_builtins

from connectors.kafka.reading import tail
from connectors.registry.codec import Codec
from schemas.codec.wire import Undecodable
from schemas.records.topics import TOPICS, Topic
from streams.cli.output import print_json
from streams.effects.connections import kafka_access, started_codec
from streams.settings import Settings


async def run(settings: Settings, name: str, from_start: bool) -> None:
    """Print until cancelled; raises LookupError if there is no such topic."""
    async for line in lines(settings, _topic(name), 0 if from_start else None):
        print_json(line)


async def lines(
    settings: Settings, topic: Topic, since: int | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Yield each message of a topic as one JSON object."""
    full_name = settings.topic_prefix + topic.name
    codec = await started_codec(settings)
    async with tail(kafka_access(settings), full_name, since) as consumer:
        async for message in consumer:
            await codec.learn(message.value)
            yield {
                "partition": message.partition,
                "offset": message.offset,
                "timestamp": message.timestamp,
                "key": _text(message.key),
                **_content(codec, topic, message.value, message.headers),
            }


def _topic(name: str) -> Topic:
    for topic in TOPICS:
        if topic.name == name:
            return topic
    raise LookupError(
        f"there is no topic {name}; choose one of: {', '.join(t.name for t in TOPICS)}"
    )


def _content(
    codec: Codec, topic: Topic, value: bytes | None, headers: Iterable[tuple[str, bytes]]
) -> dict[str, Any]:
    try:
        fact = codec.decode(value, *topic.kinds, allow_json=topic.allow_json)
    except Undecodable:
        named = {name: _text(content) for name, content in headers}
        return {"type": None, "headers": named, "value": _text(value)}
    return {"type": type(fact).__name__, **to_builtins(fact)}


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", "backslashreplace")
