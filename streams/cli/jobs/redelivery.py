"""``vokter redeliver``: sends notifications again from their topic."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from streams.cli.discovery import with_broker
from streams.cli.groups import command_app
from streams.cli.options import DataDir, run, settings_of
from streams.cli.output import say

if TYPE_CHECKING:
    from connectors.registry.codec import Codec
    from schemas.records.notifications import Notification
    from streams.settings import Settings

TIME_FORMATS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"]

app = command_app()


class NothingToRedeliver(Exception):
    """There is no such notification for a webhook; the text says which."""


@app.command("redeliver")
def redeliver_command(
    name: Annotated[
        str | None, typer.Argument(metavar="ID", help="One notification: its webhook-id.")
    ] = None,
    client: Annotated[
        str | None,
        typer.Option(
            help="URL of a webhook, or channel:NAME: all its notifications since --since."
        ),
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=TIME_FORMATS,
            metavar="TIME",
            help="With --client: a UTC time, such as 2026-01-31 or 2026-01-31T09:30.",
        ),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Notify a webhook again, with the same id and body, whether delivered before or given up."""
    if (name is None) == (client is None) or (client is None) != (since is None):
        raise typer.BadParameter("give either an ID, or --client URL and --since TIME")
    settings = with_broker(settings_of(data_dir=data_dir))
    if client is not None and since is not None:
        from schemas.records.channels import canonical_receiver

        url = canonical_receiver(client)
        moment = since.replace(tzinfo=since.tzinfo or UTC)
        missing = f"there is no notification for {url or client} since {moment}"
        start = int(moment.timestamp() * 1000)
        run(_redeliver(settings, start, lambda each: each.receiver.client_url == url, missing))
    else:
        missing = (
            f"there is no notification {name} for a webhook on {_topic(settings)}, "
            f"which keeps them for {settings.retention:g} days"
        )
        run(_redeliver(settings, 0, lambda each: each.id == name, missing))


async def _redeliver(
    settings: "Settings", since: int, wanted: Callable[["Notification"], bool], missing: str
) -> None:
    """Command the redelivery of each wanted notification, in order.

    Raises NothingToRedeliver with the text ``missing`` if there is none.
    """
    from connectors.kafka.commands import CommandSender
    from connectors.kafka.writing import large_message_producer
    from schemas.records.deliveries import Redeliver
    from streams.effects.connections import kafka_access, started_codec

    commanded: set[str] = set()
    codec = await started_codec(settings)
    async with large_message_producer(kafka_access(settings)) as producer:
        sender = CommandSender(producer, codec, settings.topic_prefix)
        async for notification in _notifications(settings, codec, since):
            is_for_session = notification.receiver.client_url is None
            if is_for_session or notification.id in commanded or not wanted(notification):
                continue
            await sender.redeliver(Redeliver(notification))
            commanded.add(notification.id)
    if not commanded:
        raise NothingToRedeliver(missing)
    say(f"Redelivering {len(commanded)}; 'vokter tail deliveries --from-start' shows the results.")


async def _notifications(
    settings: "Settings", codec: "Codec", since: int
) -> AsyncIterator["Notification"]:
    from connectors.kafka.reading import messages_since
    from schemas.codec.wire import Undecodable
    from schemas.records.notifications import Notification
    from streams.cli.progress import counted
    from streams.effects.connections import kafka_access

    messages = messages_since(kafka_access(settings), _topic(settings), since)
    async for message in counted(messages, "reading notifications"):
        await codec.learn(message.value)
        try:
            yield codec.decode(message.value, Notification)
        except Undecodable:  # it is a dead letter
            continue


def _topic(settings: "Settings") -> str:
    from schemas.records.topics import NOTIFICATIONS

    return settings.topic_prefix + NOTIFICATIONS.name
