"""Check offsets that are missing: no message may be lost without a trace."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import structlog
from aiokafka import TopicPartition

from streams.engine.acks.ledger import Ledger
from streams.engine.life.pulse import end_process

log = structlog.get_logger()


class Log(Protocol):
    """Looks up what there is in a log; may raise KafkaError."""

    async def first_from(self, topic: str, partition: int, offset: int) -> int:
        """Return the offset of the first message at ``offset`` or later; waits for one."""

    async def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """Return the first offset that is left, and that of the next message to come."""

    async def all_bounds(
        self, places: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, tuple[int, int]]:
        """Return the bounds of several partitions."""

    async def last_from(self, since: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """Return the last offset of each partition with a message at ``since`` or later."""

    async def topic_ids(self, topics: Collection[str]) -> Mapping[str, str]:
        """Return the ids of topics by their names, empty if there is none."""


async def pass_gap(log_: Log, message: Any, ledger: Ledger) -> None:
    """Return if the offsets before a message have no messages any more, else end the process.

    Compaction, retention and transactions leave such gaps. Any other gap is messages that
    the consumer skipped, and that would count as done once this one is.
    """
    expected = ledger.expected or 0
    # The broker is asked: what the consumer believes is what may be wrong.
    first = await log_.first_from(message.topic, message.partition, expected)
    if first != message.offset:
        where = f"{message.topic}/{message.partition}"
        end_process(f"{where}: offset {first} was skipped, {message.offset} came instead")
    begin, _ = await log_.bounds(message.topic, message.partition)
    if begin > expected:
        lost = {"topic": message.topic, "partition": message.partition, "begin": expected}
        log.error("messages were deleted before they were read", **lost, end=first)


async def is_shortened(log_: Log, message: Any, ledger: Ledger) -> bool:
    """Whether the log ends before what was done, as a broker's may after a power loss."""
    _, end = await log_.bounds(message.topic, message.partition)
    if end >= (ledger.expected or 0):
        return False
    where = {"topic": message.topic, "partition": message.partition}
    log.error("the log ends before what was read", **where, end=end, read=ledger.expected)
    return True
