"""A worker that reaches its topics but not its group's coordinator: nobody is notified twice."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from connectors.kafka.topics import create_topics
from schemas.codec import wire
from schemas.records.fetches import FetchDue
from schemas.records.subscription_facts import Cancelled
from schemas.records.subscriptions import Receiver
from schemas.records.topics import FETCHES, NOTIFICATIONS, SUBSCRIPTIONS
from schemas.records.views import DEFAULT_VIEWS
from schemas.records.watches import Watch
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from streams.engine.life.loop_watch import BROKEN
from streams.settings import Settings
from streams.values.partitions import partition_of
from tests.fakes.notifications import NOTIFICATION
from tests.harness.cut_off import ProxiedBroker, Proxy, of_members
from tests.harness.facts import producer, reading
from tests.harness.hooks import Hook, Hooks
from tests.harness.processes import Deployment
from tests.harness.waiting import until

RECEIVERS = 24
PAUSE_S = 0.02
"""Between two notifications: many POSTs are made in the seconds that matter."""


@pytest.fixture
def proxied(tmp_path: Path) -> Iterator[ProxiedBroker]:
    with ProxiedBroker(tmp_path / "broker") as broker:
        yield broker


@pytest.fixture
async def proxy(proxied: ProxiedBroker) -> AsyncIterator[Proxy]:
    proxy = Proxy.of(proxied)
    async with proxy.running():
        yield proxy


async def notify(settings: Settings, hooks: list[Hook], stop: asyncio.Event) -> int:
    """Publish notifications for one receiver after another, and return how many."""
    topic = settings.topic_prefix + NOTIFICATIONS.name
    async with producer(settings) as kafka:
        for number in count():
            if stop.is_set():
                return number
            url = hooks[number % len(hooks)].url
            fact = replace(
                NOTIFICATION,
                id=f"n{number}",
                url=f"http://example.test/{number}",
                receiver=Receiver(url),
            )
            partition = partition_of(url, settings.partitions)
            await kafka.send(topic, wire.encode(fact), key=url.encode(), partition=partition)
            await asyncio.sleep(PAUSE_S)
    raise AssertionError


async def watch_each_second(settings: Settings) -> None:
    """Let the ticker have something to command each second."""
    fact = Cancelled("r", "s", "m", "http://127.0.0.1:1/", Watch("w", 1, DEFAULT_VIEWS), at=0)
    async with producer(settings) as kafka:
        topic = settings.topic_prefix + SUBSCRIPTIONS.name
        await kafka.send_and_wait(topic, wire.encode(fact), partition=0)


@pytest.mark.slow
async def test_a_worker_with_hanging_connections_is_back_before_its_session_ends(
    proxied: ProxiedBroker, proxy: Proxy, tmp_path: Path
) -> None:
    with Deployment(proxied.bootstrap, tmp_path) as deployment:
        settings = deployment.settings
        await create_topics(kafka_access(settings), topic_specs(settings))
        deployment.start("ticker", kafka=proxy.bootstrap)
        await watch_each_second(settings)
        async with reading(settings, FETCHES) as fetches:
            await until(lambda: fetches.of(FetchDue), "it ticks")
            proxy.strand()
            seen = len(fetches.of(FetchDue))
            await until(
                lambda: len(fetches.of(FetchDue)) > seen + 4,
                "it goes on",
                timeout_s=30,
            )
        assert deployment["ticker"].said.count("ready  ") == 1, "in the same generation"


@pytest.mark.slow
async def test_a_worker_cut_off_from_its_group_stops_before_another_has_its_partitions(
    proxied: ProxiedBroker, proxy: Proxy, tmp_path: Path, hooks: Hooks
) -> None:
    added = [hooks.add() for _ in range(RECEIVERS)]
    with Deployment(proxied.bootstrap, tmp_path) as deployment:
        await create_topics(kafka_access(deployment.settings), topic_specs(deployment.settings))
        deployment.start("deliver", kafka=proxy.bootstrap)
        await until(lambda: "ready  " in deployment["deliver"].said, "one has all partitions")
        deployment.start("deliver-2")
        await until(lambda: "ready  " in deployment["deliver-2"].said, "the other has some")
        stop = asyncio.Event()
        publishing = asyncio.create_task(notify(deployment.settings, added, stop))
        await until(lambda: all(hook.posts for hook in added), "both deliver")
        proxy.hold(of_members)
        takes_over = deployment["deliver-2"].said.count("ready  ") + 1
        await until(
            lambda: deployment["deliver-2"].said.count("ready  ") >= takes_over, "it takes over"
        )
        seen = {hook.url: len(hook.posts) for hook in added}
        await until(
            lambda: all(len(hook.posts) > seen[hook.url] + 20 for hook in added),
            "everybody is notified by the other one",
        )
        proxy.heal(of_members)
        assert await asyncio.to_thread(deployment["deliver"].ended) == BROKEN
        stop.set()
        published = await publishing
        posted = [post.id for hook in added for post in hook.posts]
        await until(
            lambda: len({post.id for hook in added for post in hook.posts}) == published,
            "all are delivered",
        )
        posted = [post.id for hook in added for post in hook.posts]
        repeated = {each for each in posted if posted.count(each) > 1}
        assert not repeated, f"{len(repeated)} of {published} were POSTed twice"
        assert "put this worker out" in deployment["deliver"].said
