"""``vokter watch``: the changes of one page in the terminal."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

from rich.console import Console
from rich.text import Text

from connectors.kafka.reading import tail
from schemas.facts import Cancel, Diff, Notification, Options, Receiver, Subscribe
from streams.cli.discovery import NotRunning, with_broker
from streams.cli.jobs.requests import ask
from streams.cli.local.deployment import deployment
from streams.cli.output import say
from streams.settings import Settings
from streams.topics import NOTIFICATIONS
from streams.wiring.connections import kafka_access, started_codec

COLOURS = {"added": "green", "removed": "red"}
"""Of added and removed passages."""


async def run(settings: Settings, url: str, words: tuple[str, ...], interval: int | None) -> None:
    """Print changes until cancelled, and end the subscription then."""
    receiver = Receiver(session=f"watch-{uuid4().hex[:12]}")
    async with _deployed(settings) as running:
        every = interval or running.min_interval
        topic = running.topic_prefix + NOTIFICATIONS.name
        codec = await started_codec(running)
        async with tail(kafka_access(running), topic) as consumer:
            options = Options(interval=every, ignore_case=True)
            request = Subscribe(url, receiver, keywords=words, options=options)
            await ask(running, request)
            say(f"Watching {url} every {every} s for: {', '.join(words)}. Press Ctrl-C to stop.")
            try:
                async for message in consumer:
                    await codec.learn(message.value)
                    notification = codec.decode(message.value, Notification)
                    if notification.receiver == receiver:
                        show(notification)
            finally:
                await asyncio.shield(ask(running, Cancel(url, receiver)))


def show(notification: Notification) -> None:
    """Print a notification in colour."""
    console = Console(highlight=False)
    if notification.status == "timeout":
        console.print(f"{notification.url} could not be fetched any more, so the watch has ended.")
    for diff in notification.diffs:
        console.print(_line(diff))


def _line(diff: Diff) -> Text:
    colour = COLOURS[diff.event]
    line = Text(f"{diff.event:>8} ", style=f"bold {colour}")
    line.append(f"[{diff.keyword}] ", style="dim")
    before, found, after = diff.snippet.partition(diff.text)
    line.append(before, style="none")
    line.append(found, style=colour)
    line.append(after, style="none")
    return line


@asynccontextmanager
async def _deployed(settings: Settings) -> AsyncIterator[Settings]:
    try:
        running = with_broker(settings)
    except NotRunning:
        async with deployment(settings, say) as started:
            yield started
    else:
        yield running
