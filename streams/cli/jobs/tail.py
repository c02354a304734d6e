"""``vokter tail``: the messages on a topic as JSON lines."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from streams.cli.discovery import with_broker
from streams.cli.groups import command_app
from streams.cli.options import DataDir, run, settings_of
from streams.cli.output import print_json

if TYPE_CHECKING:
    from aiokafka import ConsumerRecord

    from connectors.registry.codec import Codec
    from schemas.records.topics import Topic
    from streams.settings import Settings

app = command_app()


@app.command("tail")
def tail_command(
    topic: Annotated[str, typer.Argument(help="A topic, such as notifications.")],
    from_start: Annotated[bool, typer.Option(help="Begin with the oldest message.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Print the messages on a topic as JSON lines, as they arrive, until Ctrl-C."""
    from schemas.records.topics import TOPICS

    settings = with_broker(settings_of(data_dir=data_dir))
    topics = {each.name: each for each in TOPICS}

    async def print_messages() -> None:
        if topic not in topics:
            raise LookupError(f"there is no topic {topic}; choose one of: {', '.join(topics)}")
        async for line in message_lines(settings, topics[topic], 0 if from_start else None):
            print_json(line)

    run(print_messages(), until_stopped=True)


async def message_lines(
    settings: "Settings", topic: "Topic", since: int | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Yield each message of a topic as a JSON object."""
    from connectors.kafka.reading import tail
    from streams.effects.connections import kafka_access, started_codec

    codec = await started_codec(settings)
    async with tail(kafka_access(settings), settings.topic_prefix + topic.name, since) as consumer:
        async for message in consumer:
            await codec.learn(message.value)
            yield {
                "partition": message.partition,
                "offset": message.offset,
                "timestamp": message.timestamp,
                "key": _text(message.key),
                **_content(codec, topic, message),
            }


def _content(codec: "Codec", topic: "Topic", message: "ConsumerRecord") -> dict[str, Any]:
    from msgspec import to_builtins

    from schemas.codec.wire import Undecodable

    try:
        fact = codec.decode(message.value, *topic.kinds, allow_json=topic.allow_json)
    except Undecodable:
        named = {name: _text(content) for name, content in message.headers}
        return {"type": None, "headers": named, "value": _text(message.value)}
    return {"type": type(fact).__name__, **to_builtins(fact)}


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", "backslashreplace")
