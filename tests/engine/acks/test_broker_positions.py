"""How far a worker is: the broker is asked for no more than is needed to know it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.structs import OffsetAndMetadata

from streams.engine.acks.watchdog import BrokerPositions, Position

HERE, THERE = TopicPartition("in", 0), TopicPartition("in", 1)


class Broker:
    """A log of two partitions, and what a group has committed of it."""

    def __init__(self) -> None:
        self.log_reader = self
        self.signs: Counter[int] = Counter()
        self.capacity = SimpleNamespace(is_open=True)
        self.ledgers = dict.fromkeys((HERE, THERE))
        self.committed = {HERE: 3}
        self.begin = 0
        self.end = {HERE: 3, THERE: 0}
        self.asked = Counter[str]()

    async def ends(self, places: Sequence[TopicPartition]) -> Mapping[TopicPartition, int]:
        self.asked["ends"] += 1
        return {place: self.end[place] for place in places}

    async def all_bounds(
        self, places: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, tuple[int, int]]:
        return {place: (self.begin, self.end[place]) for place in places}

    async def list_consumer_group_offsets(self, group: str) -> Any:
        self.asked["committed"] += 1
        return {place: OffsetAndMetadata(at, "") for place, at in self.committed.items()}


@pytest.fixture
def broker() -> Broker:
    return Broker()


@pytest.fixture
def positions(broker: Broker) -> BrokerPositions:
    every: Any = broker
    return BrokerPositions(every, "g", acks=every, recovered=dict)


async def test_at_rest_only_the_ends_are_asked_for(
    broker: Broker, positions: BrokerPositions
) -> None:
    for _ in range(3):
        assert await positions.positions() == {HERE: Position(3, 0), THERE: Position(0, 0)}
    assert broker.asked == {"ends": 3, "committed": 1}


async def test_messages_that_wait_are_counted_until_they_are_committed(
    broker: Broker, positions: BrokerPositions
) -> None:
    await positions.positions()
    broker.end[THERE] = 4
    for _ in range(2):
        assert (await positions.positions())[THERE] == Position(0, 4)
    broker.committed[THERE] = 4
    assert (await positions.positions())[THERE] == Position(4, 0)


async def test_what_retention_deleted_does_not_wait(
    broker: Broker, positions: BrokerPositions
) -> None:
    broker.begin, broker.end = 5, {HERE: 5, THERE: 5}
    assert set((await positions.positions()).values()) == {Position(5, 0)}


async def test_a_partition_that_was_another_workers_is_looked_up(
    broker: Broker, positions: BrokerPositions
) -> None:
    del broker.ledgers[THERE]
    await positions.positions()
    broker.ledgers[THERE] = None
    broker.committed, broker.end = {HERE: 3, THERE: 7}, {HERE: 3, THERE: 9}
    assert (await positions.positions())[THERE] == Position(7, 2)
