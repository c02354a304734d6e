"""Handle what waits on one input topic before a partition's other topics are read."""

from collections.abc import Mapping

from aiokafka import TopicPartition

from connectors.kafka.log_reader import LogReader
from schemas.records.topics import Topic
from streams.engine.acks.ledger import Ledger


class FirstTopic:
    """Holds the other inputs of a partition until what was on the first topic is done.

    If a worker dies between an answer and its row, the request is read again. Changes that
    were read before it would not reach the client, which already has its answer.
    """

    def __init__(
        self, first: Topic | None, topics: Mapping[str, Topic], log_reader: LogReader
    ) -> None:
        """``first`` may be None: then nothing is held. ``topics`` are by their full names."""
        self.first = first
        self._topics = topics
        self._log_reader = log_reader
        self._last_offsets: dict[int, int] = {}

    async def load(self, committed: Mapping[TopicPartition, int]) -> None:
        """Look up the last message on the first topic, per partition; later ones hold nothing."""
        first = {tp: at for tp, at in committed.items() if self._topics[tp.topic] == self.first}
        found = await self._log_reader.last_from(first) if first else {}
        # A partition without such messages is not in here, so it waits for nothing.
        self._last_offsets = {tp.partition: last for tp, last in found.items()}

    def holds(self, partition: TopicPartition) -> bool:
        """Whether a partition must not be read yet."""
        is_first = self._topics.get(partition.topic) == self.first
        return partition.partition in self._last_offsets and not is_first

    def is_waited_for(self, partition: int) -> bool:
        """Whether other inputs of a partition wait."""
        return partition in self._last_offsets

    def release(self, partition: int, ledger: Ledger) -> None:
        """Hold a partition's other inputs no longer if all that they wait for is done."""
        if ledger.is_done(self._last_offsets[partition]):
            del self._last_offsets[partition]
