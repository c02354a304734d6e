"""Move the rows of a table to the partitions where they belong from now on."""

from collections.abc import AsyncIterator
from hashlib import blake2b

from aiokafka import AIOKafkaProducer, ConsumerRecord, TopicPartition

from connectors.kafka.access import Access
from connectors.kafka.reading import groupless_consumer, read_messages
from streams.repartition.growth import Growth
from streams.repartition.row_moves import PLACES, PlacedRow, RowBefore, TableContext, changed_rows
from streams.repartition.sending import OrderedSender

PAGES = "pages"
"""The table of crawl, of which the rows of pages do not say whose they are."""


class _CopiedRows:
    """Copies of an interrupted attempt, read once they are asked for."""

    def __init__(self, access: Access, changelog: str) -> None:
        self._access = access
        self._changelog = changelog
        self._keys: dict[int, set[bytes]] = {}

    async def keeps_out(self, row: PlacedRow) -> bool:
        """Whether a row is spare and another is there; raises KafkaError."""
        if not row.is_spare:
            return False
        if row.partition not in self._keys:
            rows = _rows(self._access, TopicPartition(self._changelog, row.partition))
            self._keys[row.partition] = {_digest(message.key) async for message in rows}
        return _digest(row.key) in self._keys[row.partition]


async def move_table(
    access: Access,
    producer: AIOKafkaProducer,
    changelog: str,
    table: str,
    growth: Growth,
    done: tuple[int, ...],
    ends: tuple[int, ...],
) -> int:
    """Move a table's rows, and return how many there were to move.

    No worker may run. ``done`` is by partition, up to the committed notifications of the agent, if
    any, and ``ends`` are their ends. Raises KafkaError.
    """
    moved = 0
    for number in range(growth.former):
        context = TableContext(done[number] if done else 0, end=ends[number])
        moved += await _move(
            access,
            OrderedSender(producer),
            TopicPartition(changelog, number),
            table,
            growth,
            context,
        )
    return moved


async def _move(
    access: Access,
    sender: OrderedSender,
    place: TopicPartition,
    table: str,
    growth: Growth,
    context: TableContext,
) -> int:
    """Copy first, and delete once the copies are durable: interrupted work is repeated."""
    changed: list[tuple[bytes, bytes | None]] = []
    copied = _CopiedRows(access, place.topic)
    latest: dict[bytes, int] = {}
    async for message in _rows(access, place):
        latest[_digest(message.key)] = message.offset
        if table == PAGES and message.value is not None:
            context.note(message.key, message.value)
    async for message in _rows(access, place):
        if message.value is None or latest[_digest(message.key)] != message.offset:
            continue
        row = RowBefore(place.partition, message.key, message.value, context)
        copies, stays = changed_rows(row, PLACES[table](row, growth))
        lacking = [each for each in copies if not await copied.keeps_out(each)]
        for each in lacking:
            await sender.send(
                place.topic, each.partition, each.key, each.value, timestamp=message.timestamp
            )
        if stays != message.value:
            changed.append((message.key, stays))
    await sender.flush()
    # The row of a crawl has a smaller key than its pages, which need it if this is done again.
    for key, stays in sorted(changed, reverse=True):
        await sender.send(place.topic, place.partition, key, stays)
    await sender.flush()
    return len(changed)


async def _rows(access: Access, place: TopicPartition) -> AsyncIterator[ConsumerRecord]:
    async with groupless_consumer(access) as consumer:
        consumer.assign([place])
        begin = (await consumer.beginning_offsets([place]))[place]
        end = (await consumer.end_offsets([place]))[place]
        async for message in read_messages(consumer, {place: (begin, end)}):
            yield message


def _digest(key: bytes) -> bytes:
    """Return less than a key, of which a table may have millions."""
    return blake2b(key, digest_size=16).digest()
