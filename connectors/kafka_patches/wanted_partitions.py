"""Let a consumer fetch only some of its assigned partitions.

To pause the others in aiokafka would cost a wait for each of them with each fetch. Seen on aiokafka
0.14.0.
"""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from aiokafka import AIOKafkaConsumer, TopicPartition


class _Wanted(NamedTuple):
    """The parts of an assignment used by aiokafka's fetcher."""

    tps: Collection[TopicPartition]
    state_value: Callable[[TopicPartition], Any]


class WantedPartitions:
    """The fetched partitions among a consumer's assignment."""

    def __init__(
        self, consumer: AIOKafkaConsumer, is_wanted: Callable[[TopicPartition], bool]
    ) -> None:
        """``consumer`` is started, and fetches only ``is_wanted`` from now on."""
        self._consumer = consumer
        self._is_wanted = is_wanted
        self._assignment: Any = None
        self._wanted = _Wanted((), lambda _: None)
        # aiokafka has no public way to this.
        self._actions = consumer._fetcher._get_actions_per_node  # noqa: SLF001
        consumer._fetcher._get_actions_per_node = self._wanted_actions  # noqa: SLF001

    def assigned(self) -> set[TopicPartition]:
        """Return the assigned and wanted partitions."""
        return {tp for tp in self._consumer.assignment() if self._is_wanted(tp)}

    def _wanted_actions(self, assignment: Any) -> Any:
        """Determine the request for each broker; the partitions of an assignment do not change."""
        if assignment is not self._assignment:
            wanted = frozenset(tp for tp in assignment.tps if self._is_wanted(tp))
            self._assignment, self._wanted = assignment, _Wanted(wanted, assignment.state_value)
        return self._actions(self._wanted)
