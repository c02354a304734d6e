"""A stage that does nothing any more is noticed: by itself, and by whoever asks for health."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.kafka.topics import create_topics
from infra.broker import LocalBroker
from schemas import wire
from schemas.facts import FetchDue
from streams.engine.pulse import BROKEN
from streams.pipeline import topic_specs
from streams.settings import Settings
from streams.topics import FETCHES
from tests.harness.facts import producer
from tests.harness.processes import Deployment, Process


@pytest.fixture
def settings(broker: LocalBroker, tmp_path: Path) -> Iterator[Settings]:
    with Deployment(broker.bootstrap, tmp_path) as deployment:
        yield deployment.settings


@pytest.mark.parametrize("how", ["handling", "taking"])
async def test_a_worker_that_does_nothing_any_more_ends_itself_and_says_where_it_stood_still(
    settings: Settings, how: str
) -> None:
    await create_topics(settings.kafka or "", topic_specs(settings))
    worker = Process("stuck", [sys.executable, "-m", "tests.harness.stuck", how], settings)
    async with producer(settings) as kafka:
        topic = settings.topic_prefix + FETCHES.name
        await kafka.send_and_wait(topic, wire.encode(FetchDue(())), partition=1)
    worker.start()
    try:
        assert await asyncio.to_thread(worker.ended) == BROKEN
    finally:
        worker.kill()
    log = worker.log.read_text("utf-8")
    assert f"s on {topic}/1" in log
    assert "nothing was done for" in log
