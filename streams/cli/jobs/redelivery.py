"""``vokter redeliver``: notifications that are still kept are told again."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

from aiokafka import AIOKafkaProducer

from connectors.kafka.reading import messages_since
from connectors.registry.codec import Codec
from schemas.facts import Notification, Redeliver
from schemas.urls import canonical
from schemas.wire import Undecodable
from streams.cli.output import say
from streams.cli.progress import counted
from streams.settings import Settings
from streams.topics import ATTEMPTS, NOTIFICATIONS
from streams.wiring.connections import kafka_access, started_codec


class NothingToRedeliver(Exception):
    """No such notification, or it is for no webhook; the text says which."""


async def one(settings: Settings, name: str) -> None:
    """Have one notification told again, by its id; raises NothingToRedeliver."""
    if not await _redeliver(settings, 0, lambda told: told.id == name):
        raise NothingToRedeliver(
            f"there is no notification {name} for a webhook on {_topic(settings)}, "
            f"which keeps them for {settings.retention:g} days"
        )


async def all_of(settings: Settings, client: str, since: datetime) -> None:
    """Have all told again that a client was notified of since a time; UTC where none is named.

    Raises NothingToRedeliver.
    """
    url = canonical(client)
    moment = since.replace(tzinfo=since.tzinfo or UTC)
    start = int(moment.timestamp() * 1000)
    if not await _redeliver(settings, start, lambda told: told.receiver.client_url == url):
        raise NothingToRedeliver(f"{url or client} was notified of nothing since {moment}")


async def _redeliver(settings: Settings, since: int, wanted: Callable[[Notification], bool]) -> int:
    """Command it for each that is wanted, in their order; gives how many."""
    commanded: set[str] = set()
    codec = await started_codec(settings)
    async with AIOKafkaProducer(
        **kafka_access(settings).client(), enable_idempotence=True
    ) as producer:
        async for told in _notifications(settings, codec, since):
            client_url = told.receiver.client_url
            if client_url is None or told.id in commanded or not wanted(told):
                continue
            value, key = codec.encode(ATTEMPTS.name, Redeliver(told)), client_url.encode()
            await producer.send(settings.topic_prefix + ATTEMPTS.name, value, key=key)
            commanded.add(told.id)
    if commanded:
        say(f"To be told again: {len(commanded)}. 'vokter tail deliveries' shows what comes of it.")
    return len(commanded)


async def _notifications(
    settings: Settings, codec: Codec, since: int
) -> AsyncIterator[Notification]:
    messages = messages_since(kafka_access(settings), _topic(settings), since)
    async for message in counted(messages, "reading notifications"):
        await codec.learn(message.value)
        try:
            yield codec.decode(message.value, Notification)
        except Undecodable:  # it is among the dead letters
            continue


def _topic(settings: Settings) -> str:
    return settings.topic_prefix + NOTIFICATIONS.name
