"""The input partitions that an agent is assigned, and how far each of them is done.

No message may be lost without a trace, so offsets that are missing are checked.
"""

from collections.abc import Mapping

import structlog
from aiokafka import TopicPartition

from connectors.kafka.log_reader import LogReader
from streams.engine.acks.capacity import Capacity
from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.acks.ledger import Ledger
from streams.engine.acks.poison_messages import PoisonMessages
from streams.engine.life.loop_watch import end_process

log = structlog.get_logger()

Ledgers = Mapping[TopicPartition, Ledger]


class Assignment:
    """The ledgers of the partitions that an agent is assigned; ``begin`` starts the next ones."""

    def __init__(
        self, log_reader: LogReader, capacity: Capacity, poison_messages: PoisonMessages
    ) -> None:
        self.ledgers: dict[TopicPartition, Ledger] = {}
        self._poison_messages = poison_messages
        # Partitions that had nothing left to handle when they were assigned.
        self._idle: set[TopicPartition] = set()
        self._log_reader = log_reader
        self._capacity = capacity

    async def log_ends(self, committed: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Return the offset of the next message to come in each partition, before ``begin``."""
        bounds = await self._log_reader.all_bounds(list(committed))
        ends = {tp: end for tp, (_, end) in bounds.items()}
        self._idle = {tp for tp, end in ends.items() if committed[tp] >= end}
        return ends

    def begin(
        self,
        committed: Mapping[TopicPartition, int | None],
        metadata: Mapping[TopicPartition, CommitMetadata],
    ) -> None:
        """Begin with other partitions, with their committed offsets and metadata."""
        # A new dict, so that ``is_current`` can tell the assignments apart.
        self.ledgers = {tp: Ledger(offset) for tp, offset in committed.items()}
        positions = {tp: at or 0 for tp, at in committed.items()}
        self._poison_messages.begin(positions, metadata, idle=self._idle)

    def is_current(self, ledgers: Ledgers) -> bool:
        """Whether an assignment goes on; each wait may have seen its end, or that of the next."""
        return self._capacity.is_open and ledgers is self.ledgers

    async def checked(self, tp: TopicPartition, offset: int, ledger: Ledger) -> Ledger:
        """Return a message's ledger once it is sure that no message before it is missing."""
        # Messages below the committed offset are either old ones again, or a shortened log's.
        if offset < ledger.begin:
            ledger = await self._looked_back(tp, offset, ledger)
        if self._capacity.is_open and ledger.is_beyond(offset):
            await self._pass_gap(tp, offset, ledger.expected or 0)
        return ledger

    async def _looked_back(self, tp: TopicPartition, offset: int, ledger: Ledger) -> Ledger:
        """Return a new ledger if the log ends before what was done, as after a power loss.

        The consumer reads all of the log again then. New messages have the offsets of lost
        ones, so what was done before says nothing about these.
        """
        ledger.begin = 0  # one look is enough
        _, end = await self._log_reader.bounds(tp.topic, tp.partition)
        if end >= (ledger.expected or 0):
            return ledger
        where = {"topic": tp.topic, "partition": tp.partition}
        log.error("the log ends before what was read", **where, end=end, read=ledger.expected)
        if self.ledgers.get(tp) is not ledger:
            return ledger
        self._poison_messages.forget(tp)
        self.ledgers[tp] = Ledger(offset)
        return self.ledgers[tp]

    async def _pass_gap(self, tp: TopicPartition, offset: int, expected: int) -> None:
        """Return if the offsets before a message have no messages any more, else end the process.

        Compaction, retention and transactions leave such gaps. Any other gap is messages that
        the consumer skipped, and that would count as done once this one is.
        """
        # The broker is asked: what the consumer believes is what may be wrong.
        first = await self._log_reader.first_from(tp.topic, tp.partition, expected)
        if first != offset:
            where = f"{tp.topic}/{tp.partition}"
            end_process(f"{where}: offset {first} was skipped, {offset} came instead")
        begin, _ = await self._log_reader.bounds(tp.topic, tp.partition)
        if begin > expected:
            lost = {"topic": tp.topic, "partition": tp.partition, "begin": expected}
            log.error("messages were deleted before they were read", **lost, end=first)
