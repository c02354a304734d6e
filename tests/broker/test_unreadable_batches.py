"""Messages of other clients: compressed by any codec of Kafka's, with header names of any bytes."""

from uuid import uuid4

import pytest
from aiokafka import AIOKafkaProducer

from connectors.kafka.access import MAX_MESSAGE_BYTES
from schemas.records.topics import DEAD_LETTERS
from streams.app import NEEDED_AGENTS
from tests.harness.batches import CODECS, batch_of, send_batch, with_header_name_not_utf8
from tests.harness.facts import reading
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import until

INPUTS = {topic.name: topic for agent in NEEDED_AGENTS.values() for topic in agent.reads}
VALUE = b"\x07no record of ours" * 100


@pytest.mark.parametrize("name", INPUTS)
async def test_what_others_compress_or_name_badly_is_read_on_every_topic(
    shared: Deployment, rest: Rest, name: str
) -> None:
    topic, key = shared.settings.topic_prefix + name, uuid4().bytes
    batches = [batch_of((key, VALUE, ()), codec=codec) for codec in CODECS]
    batches.append(with_header_name_not_utf8(key, VALUE))
    async with (
        reading(shared.settings, DEAD_LETTERS) as letters,
        AIOKafkaProducer(
            bootstrap_servers=shared.settings.kafka, max_request_size=MAX_MESSAGE_BYTES
        ) as kafka,
    ):
        for batch in batches:
            await send_batch(kafka, topic, 1, batch)

        def count() -> int:
            return sum(message.key == key for message in letters.seen)

        await until(lambda: count() == len(batches), "the agent that reports them has read all")
    found = [message for message in letters.seen if message.key == key]
    assert {message.value for message in found} == {VALUE}
    names = [header for message in found for header, _ in message.headers]
    assert names.count(r"\xffname") == 1
