"""Look up how far a worker is, by what the broker says of its group and its topics."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.log_reader import LogReader
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.life.watchdog import Position

MESSAGE_TIMEOUT_S = 5.0
"""Seconds that the broker may take to show a message that exists."""


class BrokerPositions:
    """Asks the broker, on its own connections, and believes none of Faust's accounting."""

    def __init__(
        self,
        admin: AIOKafkaAdminClient,
        group: str,
        acks: Acknowledgements,
        recovered: Callable[[], Mapping[TopicPartition, int | None]],
        log: LogReader,
    ) -> None:
        """``admin`` is started. ``recovered`` returns how far each changelog is, in a recovery."""
        self._admin = admin
        self._group = group
        self._acks = acks
        self._recovered = recovered
        self._log = log
        self._done: dict[TopicPartition, int] = {}
        """The committed offsets that the broker has reported; they do not go back."""

    async def positions(self) -> dict[TopicPartition, Position]:
        """Return the position of each input partition; raises KafkaError or OSError.

        During a recovery it is the changelogs that must go on. While the agent's memory
        is built from the tables nothing is watched, for that takes as long as it takes.
        """
        if self._acks.capacity.is_open:
            return await self._committed(list(self._acks.assignment.ledgers))
        return {tp: Position(offset or 0, lag=1) for tp, offset in self._recovered().items()}

    async def has_message(self, partition: TopicPartition) -> bool:
        """Whether a message waits; a transaction's end is an offset without one."""
        position = (await self._committed([partition]))[partition]
        try:
            async with asyncio.timeout(MESSAGE_TIMEOUT_S):
                await self._log.first_from(partition.topic, partition.partition, position.committed)
        except TimeoutError:
            return False
        return True

    async def _committed(self, places: Sequence[TopicPartition]) -> dict[TopicPartition, Position]:
        ends = await self._log.ends(places)
        # At rest nothing is asked but the ends: all before them was done already.
        if any(self._done.get(place) != end for place, end in ends.items()):
            known = await self._admin.list_consumer_group_offsets(self._group)
            bounds = await self._log.all_bounds(places)
            # What retention deleted before it was read cannot be committed any more.
            self._done = {
                place: max(first, known[place].offset if place in known else 0)
                for place, (first, _) in bounds.items()
            }
        positions = {}
        for place, end in ends.items():
            committed, signs = self._done[place], self._acks.signs[place.partition]
            positions[place] = Position(committed, max(0, end - committed), signs)
        return positions
