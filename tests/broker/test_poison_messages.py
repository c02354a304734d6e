"""An event that was in hand when its worker ended three times is a dead letter."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from signal import SIGKILL

import pytest
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient

from infra.broker import LocalBroker
from schemas.codec import wire
from schemas.records.subscriptions import Receiver
from schemas.records.topics import DEAD_LETTERS, NOTIFICATIONS
from streams.engine.acks.commit_metadata import CommitMetadata
from streams.values.agent import group_id
from streams.values.partitions import partition_of
from tests.fakes.notifications import NOTIFICATION
from tests.harness.facts import reading
from tests.harness.hooks import Hook, Hooks, receivers
from tests.harness.processes import Deployment
from tests.harness.waiting import eventually, until

ENDS = 3
REASON = b"the worker ended 3 times while this event was in hand"


@pytest.fixture
def deliver(broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(broker.bootstrap, tmp_path) as deployment:
        deployment.start("deliver", is_apart=True)
        yield deployment


@pytest.fixture
async def others() -> AsyncIterator[Hooks]:
    async with receivers() as others:
        yield others


@asynccontextmanager
async def connected(bootstrap: str) -> AsyncIterator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    yield admin
    await admin.close()


async def notify(deployment: Deployment, hook: Hook, name: str) -> tuple[TopicPartition, int]:
    """Put a notification on the topic, and return where it is."""
    settings = deployment.settings
    topic = settings.topic_prefix + NOTIFICATIONS.name
    fact = replace(NOTIFICATION, id=name, receiver=Receiver(hook.url))
    partition = partition_of(hook.url, settings.partitions)
    async with AIOKafkaProducer(bootstrap_servers=settings.kafka) as kafka:
        sent = await kafka.send_and_wait(topic, wire.encode(fact), partition=partition)
    return TopicPartition(topic, partition), sent.offset


@pytest.mark.slow  # tests/engine/acks/test_poison_messages.py has the same
async def test_a_worker_that_is_killed_three_times_with_an_event_in_hand_gives_it_up(
    deliver: Deployment, broker: LocalBroker, hooks: Hooks, others: Hooks
) -> None:
    fatal, good = others.add(), hooks.add()
    others.gate.clear()
    await until(lambda: "ready  " in deliver["deliver"].said, "it has its partitions")
    group = group_id(deliver.settings.topic_prefix, "deliver")
    async with (
        reading(deliver.settings, DEAD_LETTERS) as letters,
        connected(broker.bootstrap) as admin,
    ):
        place, offset = await notify(deliver, fatal, "fatal")

        async def is_noted() -> bool:
            committed = await admin.list_consumer_group_offsets(group)
            return (
                place in committed
                and offset in CommitMetadata.decoded(committed[place].metadata).in_hand
            )

        for end in range(ENDS):
            await until(lambda: len(others.held) - others.dropped() == 1, "it is in hand")
            await eventually(is_noted, "it is noted")
            assert await asyncio.to_thread(deliver["deliver"].send, SIGKILL) == -SIGKILL
            await until(lambda: len(others.held) == others.dropped(), "its connection is closed")
            assert not letters.seen, f"it is not given up after {end + 1} ends"
            deliver["deliver"].start()
        (letter,) = await until(lambda: letters.seen, "it is given up")
        await notify(deliver, good, "good")
        await good.notified()
    headers = dict(letter.headers)
    assert headers["__connect.errors.exception.message"] == REASON
    assert headers["__connect.errors.offset"] == str(offset).encode()
    assert headers["__connect.errors.stage"] == b"deliver"
