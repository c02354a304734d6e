"""Requests that a client produces in transactions: obeyed once committed, else never."""

from uuid import uuid4

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from connectors.kafka.access import Access
from connectors.kafka.log_reader import LogReader
from connectors.kafka.topics import TopicSpec, create_topics
from connectors.kafka.transactions import held_up_messages
from infra.broker import LocalBroker
from schemas.codec import wire
from schemas.records.requests import Cancel
from schemas.records.subscription_facts import Rejected
from schemas.records.subscriptions import Receiver
from schemas.records.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from streams.cli.checks.connecting import check_transactions
from tests.harness.facts import reading
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.transactions import log_ends_at
from tests.harness.waiting import until


def request(name: str) -> bytes:
    """Encode a request that is answered, for there is nothing to cancel."""
    return wire.encode(Cancel("http://a.test/", Receiver("http://b.test/"), request_id=name))


async def test_requests_of_an_aborted_transaction_are_not_obeyed(
    shared: Deployment, rest: Rest
) -> None:
    topic = shared.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    aborted, committed, later = (uuid4().hex for _ in range(3))
    async with (
        reading(shared.settings, SUBSCRIPTIONS) as answers,
        AIOKafkaProducer(
            bootstrap_servers=shared.settings.kafka, transactional_id=aborted
        ) as kafka,
    ):
        await kafka.begin_transaction()
        await kafka.send_and_wait(topic, request(aborted), partition=1)
        await kafka.abort_transaction()
        async with kafka.transaction():
            await kafka.send_and_wait(topic, request(committed), partition=1)
        async with kafka.transaction():
            await kafka.send_and_wait(topic, request(later), partition=1)
        await until(lambda: answers.of(Rejected, request_id=later), "the last one is answered")
    assert answers.of(Rejected, request_id=committed)
    assert not answers.of(Rejected, request_id=aborted)


@pytest.fixture
async def topic(broker: LocalBroker) -> str:
    """A message at 0, an aborted one at 1 and its marker, a message at 3, an aborted one at 4."""
    topic, access = f"transactions-{uuid4().hex}", Access(broker.bootstrap)
    await create_topics(access, [TopicSpec(topic, 1)])
    async with (
        AIOKafkaProducer(bootstrap_servers=broker.bootstrap) as plain,
        AIOKafkaProducer(bootstrap_servers=broker.bootstrap, transactional_id=topic) as kafka,
    ):
        for end in (3, 6):
            await plain.send_and_wait(topic, b"good", partition=0)
            await kafka.begin_transaction()
            await kafka.send_and_wait(topic, b"aborted", partition=0)
            await kafka.abort_transaction()
            await log_ends_at(end, access, topic)
    return topic


async def test_a_gap_that_an_aborted_message_leaves_is_no_skipped_offset(
    broker: LocalBroker, topic: str
) -> None:
    log_reader = LogReader(Access(broker.bootstrap))
    assert [await log_reader.first_from(topic, 0, offset) for offset in (0, 1)] == [0, 3]
    await log_reader.stop()


async def test_a_topic_that_an_open_transaction_holds_up_is_known(
    broker: LocalBroker, topic: str
) -> None:
    here = TopicPartition(topic, 0)
    async with (
        AIOKafkaProducer(bootstrap_servers=broker.bootstrap, transactional_id=topic) as kafka,
        AIOKafkaConsumer(bootstrap_servers=broker.bootstrap, group_id=None) as consumer,
    ):
        assert await held_up_messages(consumer, [topic], 1) == {here: (6, 0)}
        await kafka.begin_transaction()
        for _ in range(2):
            await kafka.send_and_wait(topic, b"open", partition=0)
        assert await held_up_messages(consumer, [topic], 1) == {here: (6, 2)}
        findings = await check_transactions(consumer, [topic], 1)
        assert [topic in each.text for each in findings] == [True]
        await kafka.commit_transaction()
        await log_ends_at(9, Access(broker.bootstrap), topic)
        assert await held_up_messages(consumer, [topic], 1) == {here: (9, 0)}
