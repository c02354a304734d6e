"""Everything is due at once: the commands of a deployment's ticker, all of them in a moment."""

from dataclasses import replace

from aiokafka import AIOKafkaProducer

from connectors.kafka.reading import messages_since
from schemas.codec import wire
from schemas.records.fetches import Due, FetchDue
from schemas.records.topics import FETCHES
from streams.agents.ticker.commands import MAX_DUE
from streams.effects.clock import now
from streams.effects.connections import kafka_access
from streams.settings import Settings

Commands = dict[int, dict[str, Due]]
"""The last command for each URL, by partition."""


async def last_commands(settings: Settings) -> Commands:
    """Read what the ticker of a deployment has commanded."""
    found: Commands = {}
    topic = settings.topic_prefix + FETCHES.name
    async for message in messages_since(kafka_access(settings), topic):
        command = wire.decode(message.value, FetchDue)
        found.setdefault(message.partition, {}).update({due.url: due for due in command.due})
    return found


async def command_all(settings: Settings, commands: Commands) -> None:
    """Let all pages be due now, in messages as large as the ticker's after a downtime."""
    slot, topic = now(), settings.topic_prefix + FETCHES.name
    async with AIOKafkaProducer(bootstrap_servers=settings.kafka, linger_ms=5) as kafka:
        for partition, by_url in commands.items():
            due = [replace(each, slot=slot) for each in by_url.values()]
            for start in range(0, len(due), MAX_DUE):
                part = FetchDue(tuple(due[start : start + MAX_DUE]))
                await kafka.send(topic, wire.encode(part), partition=partition)
        await kafka.flush()
