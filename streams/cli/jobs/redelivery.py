"""``vokter redeliver``: sends notifications again that are still on their topic."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

from connectors.kafka.commands import RedeliverySender
from connectors.kafka.reading import messages_since
from connectors.kafka.writing import large_message_producer
from connectors.registry.codec import Codec
from schemas.codec.wire import Undecodable
from schemas.records.channels import canonical_receiver
from schemas.records.deliveries import Redeliver
from schemas.records.notifications import Notification
from schemas.records.topics import NOTIFICATIONS
from streams.cli.output import say
from streams.cli.progress import counted
from streams.effects.connections import kafka_access, started_codec
from streams.settings import Settings


class NothingToRedeliver(Exception):
    """There is no such notification for a webhook; the text says which."""


async def one(settings: Settings, name: str) -> None:
    """Redeliver one notification, by its id; raises NothingToRedeliver."""
    if not await _redeliver(settings, 0, lambda each: each.id == name):
        raise NothingToRedeliver(
            f"there is no notification {name} for a webhook on {_topic(settings)}, "
            f"which keeps them for {settings.retention:g} days"
        )


async def all_of(settings: Settings, client: str, since: datetime) -> None:
    """Redeliver all notifications of a client since a time (UTC unless it has a zone).

    Raises NothingToRedeliver.
    """
    url = canonical_receiver(client)
    moment = since.replace(tzinfo=since.tzinfo or UTC)
    start = int(moment.timestamp() * 1000)
    if not await _redeliver(
        settings, start, lambda notification: notification.receiver.client_url == url
    ):
        raise NothingToRedeliver(f"there is no notification for {url or client} since {moment}")


async def _redeliver(settings: Settings, since: int, wanted: Callable[[Notification], bool]) -> int:
    """Command the redelivery of each wanted notification, in order; return how many."""
    commanded: set[str] = set()
    codec = await started_codec(settings)
    async with large_message_producer(kafka_access(settings)) as producer:
        sender = RedeliverySender(producer, codec, settings.topic_prefix)
        async for notification in _notifications(settings, codec, since):
            is_for_session = notification.receiver.client_url is None
            if is_for_session or notification.id in commanded or not wanted(notification):
                continue
            await sender.send(Redeliver(notification))
            commanded.add(notification.id)
    if commanded:
        say(
            f"Redelivering {len(commanded)}; "
            "'vokter tail deliveries --from-start' shows the results."
        )
    return len(commanded)


async def _notifications(
    settings: Settings, codec: Codec, since: int
) -> AsyncIterator[Notification]:
    messages = messages_since(kafka_access(settings), _topic(settings), since)
    async for message in counted(messages, "reading notifications"):
        await codec.learn(message.value)
        try:
            yield codec.decode(message.value, Notification)
        except Undecodable:  # it is a dead letter
            continue


def _topic(settings: Settings) -> str:
    return settings.topic_prefix + NOTIFICATIONS.name
