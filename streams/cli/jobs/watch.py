"""``vokter watch``: the changes of a page in the terminal."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

import typer

from connectors.running import NotRunning
from connectors.stores.errors import StoreRefused, StoreUnavailable
from schemas.records.notifications import Notification
from schemas.records.requests import Cancel, Subscribe
from schemas.records.subscription_facts import Rejected, Subscribed, refusal_in
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topic_names import MOVED
from streams.cli.discovery import with_broker
from streams.cli.durations import parse_duration, shown_duration
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Url, Words
from streams.cli.jobs.flags import with_option_flags
from streams.cli.jobs.refusals import asked_subscription, refused
from streams.cli.options import ANSWER_TIMEOUT_S, DataDir, run, settings_of
from streams.cli.output import say

if TYPE_CHECKING:
    from aiokafka import AIOKafkaConsumer

    from connectors.kafka.requests import RequestSender
    from connectors.registry.codec import Codec
    from connectors.stores.pages import ListedSubscription
    from streams.settings import Settings

app = command_app()

LEASE_S = 60
"""After a watch was killed, its subscription ends by itself after this time."""
RENEW_EVERY_S = LEASE_S / 3
LOOK_EVERY_S = 1.0


class WatchEnded(Exception):
    """There will be no more changes; the text says why."""


@app.command("watch")
@with_option_flags(
    "view",
    "scope",
    "ignore_returns",
    "ignore_noise",
    "notify_moves",
    "notify_dropped",
    "notify_failures",
    "when",
    "rule",
    "summary",
    "summary_wish",
    "summary_language",
)
def watch_command(
    url: Url,
    words: Words = None,
    *,
    options: Options,
    interval: Annotated[
        int | None,
        typer.Option(
            help="Time between fetches, such as 30s or 5m; default: the smallest allowed.",
            parser=parse_duration,
            metavar="DURATION",
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="Its name, shown instead of the page's title.")] = "",
    data_dir: DataDir = None,
) -> None:
    """Print changes of a page that add or remove these words, until Ctrl-C.

    Uses the running deployment, or starts one and stops it at the end. Prints why the page
    cannot be read, and ends when the watch does.
    """
    settings = settings_of(data_dir=data_dir)
    receiver = Receiver(session=f"watch-{uuid4().hex[:12]}")
    request = Subscribe(url, receiver, keywords=tuple(words or ()), options=options, name=name)
    run(_watch_page(settings, request, interval), until_stopped=True)


async def _watch_page(settings: "Settings", request: Subscribe, interval: int | None) -> None:
    """Print changes and failures until cancelled, and end the subscription then.

    Case is ignored, whatever the request says. Raises Refused, or WatchEnded if the watch or its
    deployment ends.
    """
    from streams.cli.local.deployment import deployment

    try:
        running = with_broker(settings)
    except NotRunning:
        running = None
    options = replace(
        request.options,
        interval=(running or settings).min_interval if interval is None else interval,
        ignore_case=True,
        lease=LEASE_S,
    )
    request = replace(request, options=options)
    async with AsyncExitStack() as stack:
        if running is None:
            asked_subscription(settings, request, "subscribe")  # before a deployment is started
            running = await stack.enter_async_context(deployment(settings, say))
        watch = await stack.enter_async_context(_watching(settings, running, request))
        every = shown_duration(options.interval)
        words = ", ".join(request.keywords)
        say(f"Watching {request.document_url} every {every} for: {words}. Press Ctrl-C to stop.")
        works = watch.notifications(), watch.renewals(), watch.failures(), watch.deployment_end()
        await _first_end(*works)


@dataclass(slots=True)
class TerminalWatch:
    """A subscription of this terminal. Each method runs until its error, such as WatchEnded."""

    settings: "Settings"
    running: "Settings"
    """The settings of the deployment in use."""
    request: Subscribe
    subscription: str
    client: "RequestSender"
    consumer: "AIOKafkaConsumer"
    codec: "Codec"

    async def notifications(self) -> None:
        """Print the words added and removed by the page's changes.

        Leave out the copies made when partitions are added: their originals are shown.
        """
        from schemas.codec.wire import Undecodable
        from streams.cli.jobs.notification_view import show_notification

        async for message in self.consumer:
            if any(name == MOVED for name, _ in message.headers):
                continue
            await self.codec.learn(message.value)
            try:
                notification = self.codec.decode(message.value, Notification)
            except Undecodable:  # it is a dead letter
                continue
            if notification.receiver != self.request.receiver:
                continue
            if notification.status == "timeout":
                raise WatchEnded(
                    f"{notification.url} failed too often in a row, so the watch has ended. "
                    "Watch it again once it can be read."
                )
            show_notification(notification)

    async def renewals(self) -> None:
        """Ask again for the subscription, before its lease is over."""
        from aiokafka.errors import KafkaError

        from connectors.kafka.requests import RequestTimedOut

        while True:
            await asyncio.sleep(RENEW_EVERY_S)
            with suppress(KafkaError, RequestTimedOut):
                self.subscription = await _subscribed(self.client, self.request)

    async def failures(self) -> None:
        """Print why the page cannot be read, from the deployment's store."""
        from streams.cli.setup.existing_store import existing_store

        lines = StatusLines(self.request.document_url)
        try:
            async with existing_store(self.running) as store:
                while True:
                    await asyncio.sleep(LOOK_EVERY_S)
                    found = await store.subscriptions.get(self.request.manager, self.subscription)
                    for line in lines.news(found):
                        say(line)
        except (StoreRefused, StoreUnavailable) as error:
            say(f"Failed fetches are not shown here: {error}")
            await asyncio.Event().wait()

    async def deployment_end(self) -> None:
        """Wait until the deployment is stopped, by another terminal perhaps."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                with_broker(self.settings)
            except NotRunning:
                raise WatchEnded(
                    f"the deployment in {self.settings.data_dir} was stopped, so this watch has "
                    "ended. A deployment of 'vokter up' runs until you stop it."
                ) from None

    async def end(self) -> None:
        """Cancel the subscription, unless already ended."""
        from aiokafka.errors import KafkaError

        from connectors.kafka.requests import RequestTimedOut

        asked = self.request
        cancel = Cancel(asked.document_url, asked.receiver, name=asked.name)
        try:
            await self.client.ask(cancel)
        except (KafkaError, RequestTimedOut) as error:
            say(f"The subscription could not be cancelled ({error}); it ends within {LEASE_S} s.")


async def _subscribed(client: "RequestSender", request: Subscribe) -> str:
    """Subscribe, or renew, and return the subscription's id; raises Refused."""
    answer = await client.ask(request)
    if isinstance(answer, Rejected):
        raise refused(request, refusal_in(answer))
    assert isinstance(answer, Subscribed), "a Subscribe is answered by Subscribed or Rejected"
    return answer.subscription.id


@asynccontextmanager
async def _watching(
    settings: "Settings", running: "Settings", request: Subscribe
) -> AsyncIterator[TerminalWatch]:
    """Subscribe, and cancel at any end."""
    from connectors.kafka.reading import tail
    from schemas.records.topics import NOTIFICATIONS
    from streams.effects.connections import kafka_access, request_sender, started_codec

    topic = running.topic_prefix + NOTIFICATIONS.name
    codec = await started_codec(running)
    async with (
        tail(kafka_access(running), topic) as consumer,
        request_sender(running, codec, timeout_s=ANSWER_TIMEOUT_S) as client,
    ):
        name = await _subscribed(client, request)
        watch = TerminalWatch(settings, running, request, name, client, consumer, codec)
        try:
            yield watch
        except WatchEnded:
            raise
        except BaseException:
            await asyncio.shield(watch.end())
            raise


class StatusLines:
    """Shows the news about a page's fetches."""

    def __init__(self, url: str) -> None:
        """Begin with a readable page."""
        self._url = url
        self._failure: str | None = None
        self._loss: str | None = None
        self._waits = False

    def news(self, listed: "ListedSubscription | None") -> Iterator[str]:
        """Yield a line if reading began or ceased to fail, fails for another reason, or waits.

        So does a loss of the watched part, or its return.

        Raises WatchEnded if the subscription has expired.
        """
        if listed is None:
            return  # the listing lags
        if listed.state == "expired":
            why = listed.reason or "no reason is known"
            last = f" Its last failure: {listed.last_error}." if listed.last_error else ""
            raise WatchEnded(f"the watch of {self._url} has ended: {why}.{last}")
        failure = listed.last_error if listed.failures else None
        if failure is not None and failure != self._failure:
            yield f"Cannot read {self._url}: {failure}. Vokter keeps trying, ever less often."
        if failure is None and self._failure is not None:
            yield f"{self._url} can be read again."
        loss = None if listed.lost_since is None else listed.missing
        if loss is not None and loss != self._loss:
            yield f"{self._url} has nothing of what is watched: {loss}. Vokter keeps looking."
        if loss is None and self._loss is not None:
            yield f"{self._url} has what is watched again."
        waits = failure is None and listed.waiting_for is not None
        if waits and not self._waits:
            yield f"{self._url} is due and waits: {listed.waiting_for}."
        self._failure, self._loss, self._waits = failure, loss, waits


async def _first_end(*works: Coroutine[Any, Any, None]) -> None:
    """Run all until the first of them ends, and raise its error."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
