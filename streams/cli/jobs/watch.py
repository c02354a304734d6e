"""``vokter watch``: the changes of one page in the terminal."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

from connectors.kafka.reading import tail
from connectors.kafka.requests import RequestSender, RequestTimedOut
from connectors.registry.codec import Codec
from connectors.stores.errors import StoreRefused, StoreUnavailable
from schemas.codec.wire import Undecodable
from schemas.records.faults import Refusal
from schemas.records.notifications import Notification
from schemas.records.requests import Cancel, Subscribe
from schemas.records.subscription_facts import Rejected, Subscribed, refusal_in
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topic_names import MOVED
from schemas.records.topics import NOTIFICATIONS
from streams.agents.match.register.requests import check
from streams.cli.discovery import NotRunning, with_broker
from streams.cli.durations import shown_duration
from streams.cli.jobs.refusals import refused
from streams.cli.jobs.watch_view import StatusLines, WatchEnded, show
from streams.cli.local.deployment import deployment
from streams.cli.output import say
from streams.effects.connections import (
    kafka_access,
    opened_store,
    request_sender,
    started_codec,
)
from streams.effects.rules import rules
from streams.settings import Settings

LEASE_S = 60
"""After a watch was killed, its subscription ends by itself after this time."""
RENEW_EVERY_S = LEASE_S / 3
LOOK_EVERY_S = 1.0


async def run(
    settings: Settings,
    url: str,
    words: tuple[str, ...],
    interval: int | None,
    options: Options,
) -> None:
    """Print changes and failures until cancelled, and end the subscription then.

    ``options`` say what is looked at; case is ignored. Raises Refused, or WatchEnded if the
    watch or its deployment ends.
    """
    receiver = Receiver(session=f"watch-{uuid4().hex[:12]}")
    async with AsyncExitStack() as stack:
        running = _running(settings)
        options = replace(
            options,
            interval=(running or settings).min_interval if interval is None else interval,
            ignore_case=True,
            lease=LEASE_S,
        )
        request = Subscribe(url, receiver, keywords=words, options=options)
        if running is None:
            check_before(settings, request)
            running = await stack.enter_async_context(deployment(settings, say))
        watch = await stack.enter_async_context(_watching(settings, running, request))
        every = shown_duration(options.interval)
        say(f"Watching {url} every {every} for: {', '.join(words)}. Press Ctrl-C to stop.")
        works = watch.notifications(), watch.renewals(), watch.failures(), watch.deployment_end()
        await _first_end(*works)


@dataclass(slots=True)
class Watch:
    """A subscription of this terminal. Each method runs until it raises, as WatchEnded."""

    settings: Settings
    running: Settings
    """The settings of the deployment that is used."""
    request: Subscribe
    subscription: str
    client: RequestSender
    consumer: AIOKafkaConsumer
    codec: Codec

    async def notifications(self) -> None:
        """Print what the page's changes added and removed.

        Not the copies that are made when partitions are added: their originals are shown.
        """
        async for message in self.consumer:
            if any(name == MOVED for name, _ in message.headers):
                continue
            await self.codec.learn(message.value)
            try:
                notification = self.codec.decode(message.value, Notification)
            except Undecodable:  # it is a dead letter
                continue
            if notification.receiver == self.request.receiver:
                show(notification)

    async def renewals(self) -> None:
        """Ask again for the subscription, before its lease is over."""
        while True:
            await asyncio.sleep(RENEW_EVERY_S)
            with suppress(KafkaError, RequestTimedOut):
                self.subscription = await subscribed(self.client, self.request)

    async def failures(self) -> None:
        """Print why the page cannot be read, from the deployment's store."""
        lines = StatusLines(self.request.document_url)
        try:
            async with opened_store(self.running) as store:
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
        """Cancel the subscription, unless it has ended by now."""
        cancel = Cancel(self.request.document_url, self.request.receiver)
        try:
            await self.client.ask(cancel)
        except (KafkaError, RequestTimedOut) as error:
            say(f"The subscription could not be cancelled ({error}); it ends within {LEASE_S} s.")


async def subscribed(client: RequestSender, request: Subscribe) -> str:
    """Subscribe, or renew, and return the subscription's id; raises Refused."""
    answer = await client.ask(request)
    if isinstance(answer, Rejected):
        raise refused(request, refusal_in(answer))
    assert isinstance(answer, Subscribed), "a Subscribe is answered by Subscribed or Rejected"
    return answer.subscription.id


@asynccontextmanager
async def _watching(
    settings: Settings, running: Settings, request: Subscribe
) -> AsyncIterator[Watch]:
    """Subscribe, and cancel at the end however that comes."""
    topic = running.topic_prefix + NOTIFICATIONS.name
    codec = await started_codec(running)
    async with (
        tail(kafka_access(running), topic) as consumer,
        request_sender(running, codec) as client,
    ):
        name = await subscribed(client, request)
        watch = Watch(settings, running, request, name, client, consumer, codec)
        try:
            yield watch
        except WatchEnded:
            raise
        except BaseException:
            await asyncio.shield(watch.end())
            raise


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


def check_before(settings: Settings, request: Subscribe) -> None:
    """Check a request before a deployment is started for it; raises Refused."""
    found = check(request, rules(settings))
    if isinstance(found, Refusal):
        raise refused(request, found)


def _running(settings: Settings) -> Settings | None:
    try:
        return with_broker(settings)
    except NotRunning:
        return None
