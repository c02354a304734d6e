"""What a local copy lacks of its changelog, read from a real broker."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from time import time
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import faust
import pytest
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete

from connectors.kafka.access import Access
from connectors.kafka.log_reader import LogReader
from connectors.kafka.topics import TopicSpec, create_topics
from connectors.registry.codec import Codec
from infra.broker import LocalBroker
from schemas.records.table_rows import TickedThrough
from streams.engine.acks.producer import Producer
from streams.engine.faust.changelog import TOMBSTONES_MS, ChangelogReader, ChangelogRow
from streams.engine.faust.foreign_records import ChangelogWatch
from streams.engine.faust.recovery import PatchedRecovery
from streams.engine.faust.state import PatchedTable
from streams.engine.faust.table import ChangelogTable
from streams.engine.life.loop_watch import LoopWatch
from streams.engine.life.membership import SHARED
from streams.engine.runners.outcomes import OutcomeWriter
from streams.values.outcome import Put
from tests.fakes.parts import fake_parts
from tests.harness.local_copies import opened

ROWS = 12_000


class Copy:
    """Rows and the offset of each partition, as they were written."""

    def __init__(self) -> None:
        self.rows: list[ChangelogRow] = []
        self.offsets: dict[TopicPartition, int] = {}

    def write(self, tp: TopicPartition, rows: Sequence[ChangelogRow], offset: int) -> None:
        assert offset > self.offsets.get(tp, -1)
        self.rows += rows
        self.offsets[tp] = offset


@pytest.fixture
async def topic(broker: LocalBroker, tmp_path: Path) -> str:
    """Two partitions, the second with a transaction's end after its last message."""
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
    first, second = TopicPartition(topic, 0), TopicPartition(topic, 1)
    copy, offsets = Copy(), {first: -1, second: -1}
    await ChangelogReader(Access(broker.bootstrap)).read(
        offsets, {first: ROWS, second: 1}, copy.write
    )
    ours = [(b"%d" % number, b"value") for number in range(ROWS)]
    assert [row for row in copy.rows if row != (b"b", b"value")] == [*ours, (b"0", None)]
    assert (b"b", b"value") in copy.rows
    assert copy.offsets == {first: ROWS, second: 0}
    assert offsets == {first: ROWS, second: 1}, "the transaction's end is passed"
    copy, offsets = Copy(), {first: ROWS - 2, second: 1}
    await ChangelogReader(Access(broker.bootstrap)).read(
        offsets, {first: ROWS, second: 1}, copy.write
    )
    assert copy.rows == [(b"%d" % (ROWS - 1), b"value"), (b"0", None)]


async def changelog(
    broker: LocalBroker, name: str, ages: Sequence[int], begin: int
) -> TopicPartition:
    """Messages of these ages (ms), of which those before ``begin`` are compacted away.

    The first two put a row and delete it; all others put another row.
    """
    await create_topics(Access(broker.bootstrap), [TopicSpec(name, 1)])
    rows: list[ChangelogRow] = [(b"deleted", b"value"), (b"deleted", None)]
    rows += [(b"kept", b"value")] * (len(ages) - 2)
    async with AIOKafkaProducer(bootstrap_servers=broker.bootstrap) as kafka:
        for (key, value), age in zip(rows, ages, strict=True):
            at = int(time() * 1000) - age
            await kafka.send_and_wait(name, value, key, partition=0, timestamp_ms=at)
    admin = AIOKafkaAdminClient(bootstrap_servers=broker.bootstrap)
    await admin.start()
    await admin.delete_records({TopicPartition(name, 0): RecordsToDelete(begin)})
    await admin.close()
    return TopicPartition(name, 0)


async def recovered(
    broker: LocalBroker, place: TopicPartition, home: Path, begin: int
) -> dict[bytes, bytes]:
    """The rows of a copy that had read the first message, once it is recovered.

    ``mark`` is a row of the copy alone, to be notified by.
    """
    store = opened(home)
    store.write(0, [(b"deleted", b"value"), (b"mark", b"")], 0)
    app: Any = faust.App("test", broker="memory://")
    parts = fake_parts(changelogs=ChangelogReader(Access(broker.bootstrap)))
    recovery = PatchedRecovery(app, app.tables, parts=parts)
    table: Any = SimpleNamespace(data=store)
    recovery.tp_to_table[place] = table
    recovery.active_highwaters[place] = 2
    consumer = AsyncMock()
    consumer.earliest_offsets.return_value = {place: begin}
    offsets: Any = {place: 0}
    await recovery._build_offsets(consumer, {place}, offsets, "active")
    return {key: row for key, row in store._db_for_partition(0).items() if key != store.offset_key}


@pytest.mark.parametrize(
    "ages", [(2, 2, 2), (2, 2, 0)], ids=["nothing newer than the deletion", "something newer"]
)
async def test_a_row_is_in_no_copy_after_its_deletion_was_compacted_away(
    broker: LocalBroker, tmp_path: Path, ages: tuple[int, ...]
) -> None:
    place = await changelog(broker, tmp_path.name, [age * TOMBSTONES_MS for age in ages], 2)
    assert await recovered(broker, place, tmp_path, 2) == {b"kept": b"value"}


async def test_a_copy_that_lacks_only_what_is_young_is_kept(
    broker: LocalBroker, tmp_path: Path
) -> None:
    place = await changelog(broker, tmp_path.name, [2 * TOMBSTONES_MS, 0, 0], 0)
    assert await recovered(broker, place, tmp_path, 0) == {b"mark": b"", b"kept": b"value"}


@pytest.fixture
async def owned(broker: LocalBroker, tmp_path: Path) -> AsyncIterator[ChangelogTable]:
    """A table of the only worker of its partition."""
    access, name = Access(broker.bootstrap), f"owner-{tmp_path.name}"
    app = faust.App(name, store="rocksdb://", datadir=str(tmp_path), Table=PatchedTable)
    producer = Producer(access, "", LoopWatch(SHARED), Codec(), lambda *_: None)
    table = ChangelogTable(app, "rows", 1, producer, ChangelogReader(access))
    await create_topics(access, [TopicSpec(table.changelog, 1, {"cleanup.policy": "compact"})])
    await producer.start()
    yield table
    await producer.stop()


async def write(table: ChangelogTable, key: bytes, at: int | None) -> None:
    await table.write({0: [Put(key, None if at is None else TickedThrough(at))]})


async def rebuilt(broker: LocalBroker, place: TopicPartition) -> dict[bytes, bytes | None]:
    """The rows of a copy that is built from all of a changelog."""
    access, copy = Access(broker.bootstrap), Copy()
    reader = LogReader(access)
    end = (await reader.ends([place]))[place]
    await reader.stop()
    await ChangelogReader(access).read({place: -1}, {place: end - 1}, copy.write)
    return {key: value for key, value in dict(copy.rows).items() if value is not None}


async def test_rows_that_an_earlier_owner_writes_late_are_in_no_copy(
    broker: LocalBroker, owned: ChangelogTable
) -> None:
    place, reader = owned.place(0), LogReader(Access(broker.bootstrap))
    acks: Any = SimpleNamespace(partitions={0}, log_reader=reader)
    apply = OutcomeWriter(AsyncMock(), {"rows": owned}).apply
    watch = ChangelogWatch({"rows": owned}, acks, apply)
    async with AIOKafkaProducer(bootstrap_servers=broker.bootstrap) as earlier:

        async def write_late(key: bytes) -> None:
            await earlier.send_and_wait(place.topic, b"late", key, partition=0)

        await write(owned, b"a", 1)
        await write(owned, b"b", 1)
        await write(owned, b"b", None)
        for key in (b"a", b"b", b"c"):
            await write_late(key)
        await write(owned, b"d", 1)
        assert await rebuilt(broker, place) == dict(owned.rows(0))
        assert set(dict(owned.rows(0))) == {b"a", b"d"}
        await watch.look()
        await write_late(b"a")
        await watch.look()
        assert (await rebuilt(broker, place))[b"a"] == b"late"
        await watch.look()
        assert await rebuilt(broker, place) == dict(owned.rows(0))
    await reader.stop()


async def test_a_late_record_in_an_open_transaction_holds_up_no_write(
    broker: LocalBroker, owned: ChangelogTable
) -> None:
    place = owned.place(0)
    await write(owned, b"a", 1)
    async with (
        AIOKafkaProducer(
            bootstrap_servers=broker.bootstrap, transactional_id=place.topic
        ) as earlier,
        earlier.transaction(),
    ):
        await earlier.send_and_wait(place.topic, b"late", b"a", partition=0)
        await write(owned, b"b", 1)
    await write(owned, b"c", 1)
    assert await rebuilt(broker, place) == dict(owned.rows(0))
