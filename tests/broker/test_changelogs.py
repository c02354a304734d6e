"""What a local copy lacks of its changelog, read from a real broker."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from aiokafka import AIOKafkaProducer
from faust.types import TP

from connectors.kafka.access import Access
from connectors.kafka.topics import TopicSpec, create_topics
from infra.broker import LocalBroker
from streams.engine.changelog import Changelogs, Row

ROWS = 12_000


class Copy:
    """Rows and the offset of each partition, as they were written."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.offsets: dict[TP, int] = {}

    def write(self, tp: TP, rows: Sequence[Row], offset: int) -> None:
        assert offset > self.offsets.get(tp, -1)
        self.rows += rows
        self.offsets[tp] = offset


@pytest.fixture
async def topic(broker: LocalBroker, tmp_path: Path) -> str:
    """Two partitions, the second with a transaction's end behind its last message."""
    name = tmp_path.name
    await create_topics(Access(broker.bootstrap), [TopicSpec(name, 2)])
    async with AIOKafkaProducer(bootstrap_servers=broker.bootstrap, linger_ms=20) as kafka:
        for number in range(ROWS):
            await kafka.send(name, b"value", key=b"%d" % number, partition=0)
        await kafka.send(name, None, key=b"0", partition=0)
    async with (
        AIOKafkaProducer(bootstrap_servers=broker.bootstrap, transactional_id=name) as kafka,
        kafka.transaction(),
    ):
        await kafka.send_and_wait(name, b"value", key=b"b", partition=1)
    return name


async def test_an_empty_copy_gets_all_rows_in_order_and_a_copy_the_rest(
    broker: LocalBroker, topic: str
) -> None:
    first, second = TP(topic, 0), TP(topic, 1)
    copy, offsets = Copy(), {first: -1, second: -1}
    await Changelogs(Access(broker.bootstrap)).read(offsets, {first: ROWS, second: 1}, copy.write)
    ours = [(b"%d" % number, b"value") for number in range(ROWS)]
    assert [row for row in copy.rows if row != (b"b", b"value")] == [*ours, (b"0", None)]
    assert (b"b", b"value") in copy.rows
    assert copy.offsets == {first: ROWS, second: 0}
    assert offsets == {first: ROWS, second: 1}, "the transaction's end is passed"
    copy, offsets = Copy(), {first: ROWS - 2, second: 1}
    await Changelogs(Access(broker.bootstrap)).read(offsets, {first: ROWS, second: 1}, copy.write)
    assert copy.rows == [(b"%d" % (ROWS - 1), b"value"), (b"0", None)]
