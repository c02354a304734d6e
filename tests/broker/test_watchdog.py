"""An agent that does nothing any more is noticed: by itself, and by who asks for its health."""

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from signal import SIGCONT, SIGSTOP

import pytest

from bench.deployed import done, waiting
from connectors.kafka.topics import create_topics
from infra.broker import LocalBroker
from schemas.codec import wire
from schemas.records.fetches import FetchDue
from schemas.records.topics import FETCHES
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from streams.engine.life.loop_watch import BROKEN
from streams.settings import Settings
from tests.harness.facts import producer
from tests.harness.processes import Deployment, Process
from tests.harness.rest import client
from tests.harness.supervised import supervised
from tests.harness.waiting import eventually, until


@pytest.fixture
def settings(broker: LocalBroker, tmp_path: Path) -> Iterator[Settings]:
    with Deployment(broker.bootstrap, tmp_path) as deployment:
        yield deployment.settings


@pytest.mark.parametrize("how", ["handling", "taking"])
async def test_a_worker_that_does_nothing_any_more_ends_itself_and_says_where_it_stood_still(
    settings: Settings, how: str
) -> None:
    await create_topics(kafka_access(settings), topic_specs(settings))
    worker = Process("stuck", [sys.executable, "-m", "tests.harness.stuck", how], settings)
    async with producer(settings) as kafka:
        topic = settings.topic_prefix + FETCHES.name
        await kafka.send_and_wait(topic, wire.encode(FetchDue(())), partition=1)
    worker.start()
    try:
        assert await asyncio.to_thread(worker.ended) == BROKEN
    finally:
        worker.kill()
    log = worker.said
    assert f"s on {topic}/1" in log
    assert "nothing was done for" in log


@pytest.mark.slow
async def test_a_worker_that_stood_still_is_named_ends_itself_and_is_back(
    broker: LocalBroker, tmp_path: Path
) -> None:
    settings = Deployment(broker.bootstrap, tmp_path).settings
    async with supervised(settings) as deployment, client(settings.port) as rest:
        await rest.ready()
        await until(lambda: "ready" in deployment.log("fetch"), "it is ready")
        # Before its first event it may stand still.
        async with producer(settings) as kafka, waiting(settings, "fetch") as lag:
            topic = settings.topic_prefix + FETCHES.name
            await kafka.send_and_wait(topic, wire.encode(FetchDue(())), partition=1)
            await done(lag)
        os.kill(deployment.pid("fetch"), SIGSTOP)

        async def named() -> list[str]:
            health = await rest.health()
            problems = health.body["problems"] if health is not None else []
            return problems if {each.partition(":")[0] for each in problems} == {"fetch"} else []

        await eventually(named, "fetch alone is named")
        os.kill(deployment.pid("fetch"), SIGCONT)
        (end, *_) = await until(lambda: deployment.ends("fetch"), "it has ended")
        assert f"fetch ended with status {BROKEN}" in end
        await rest.ready()
    assert "the event loop stood still" in deployment.log("fetch")
