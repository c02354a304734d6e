"""Fetches of an idle consumer wait long at the broker, and hold up nothing."""

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from aiokafka import TopicPartition
from aiokafka.client import ConnectionGroup
from aiokafka.consumer.fetcher import Fetcher
from aiokafka.consumer.subscription_state import SubscriptionState
from aiokafka.errors import KafkaConnectionError, NodeNotReadyError
from aiokafka.protocol.fetch import FetchRequest
from aiokafka.protocol.metadata import MetadataRequest

from connectors.kafka_patches.long_fetches import FETCHES, LONGEST_MS, LongFetches
from connectors.kafka_patches.metadata_updates import PAUSE_S

if TYPE_CHECKING:
    from collections.abc import Callable

BROKER = 1
HERE, THERE = TopicPartition("in", 0), TopicPartition("in", 1)
UNWANTED = TopicPartition("changelog", 0)
SHORTEST_MS = 1_500
EMPTY = SimpleNamespace(topics=[("in", [(0, 0, 5, b"")])])
MOVED = SimpleNamespace(topics=[("in", [(0, 6, -1, b"")])])
FULL = SimpleNamespace(topics=[("in", [(0, 0, 6, b"message")])])


def is_wanted(partition: TopicPartition) -> bool:
    return str(partition.topic) == "in"


class Connection:
    """A connection to the broker, with a request that is not answered yet."""

    def __init__(self) -> None:
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def close(self) -> None:
        if not self.answer.done():
            self.answer.set_exception(KafkaConnectionError("closed"))


class Consumer:
    """The parts of aiokafka's consumer that fetch, with a broker in one."""

    def __init__(self) -> None:
        self.leader = BROKER
        self.assigned = {HERE}
        self.is_reachable = True
        self.listeners: list[Callable[[Any], None]] = []
        self.sent: list[tuple[Any, int | None]] = []
        self.positions: list[int] = []
        self.pauses: list[float] = []
        self._metadata_update = None
        self.cluster = SimpleNamespace(
            add_listener=self.listeners.append,
            leader_for_partition=lambda _: self.leader,
            brokers=lambda: {BROKER},
        )
        self._conns: dict[Any, Connection] = {}
        self._client: Any = self
        self._fetcher: Any = SimpleNamespace(
            _fetch_max_wait_ms=SHORTEST_MS,
            _fetcher_timeout=0.2,
            _wait_consume_future=None,
            _get_actions_per_node=lambda _: None,
            _notify=lambda _: None,
            seek_to=lambda _, offset: self.positions.append(offset),
            request_offset_reset=lambda *_: None,
        )

    def assignment(self) -> set[TopicPartition]:
        return self.assigned

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def ready(self, node_id: int, *, group: Any) -> bool:
        if self.is_reachable:
            self._conns.setdefault((node_id, group), Connection())
        return self.is_reachable

    async def send(self, node_id: int, request: Any, *, group: Any = None) -> Any:
        self.sent.append((group, getattr(request, "_max_wait_ms", None)))
        if not isinstance(request, FetchRequest):
            return "answer"
        return await self._conns[node_id, group].answer

    def answers(self, answer: Any) -> None:
        """Answer the fetch that waits."""
        self._conns.pop((BROKER, FETCHES)).answer.set_result(answer)

    async def fetch(self) -> "asyncio.Task[Any]":
        """Begin a fetch as aiokafka does, with what was its ``send`` and is ours now."""
        request = FetchRequest(SHORTEST_MS, 1, 1, 0, [("in", [(0, 5, 1)])])
        fetching = asyncio.create_task(self.send(BROKER, request))
        for _ in range(5):
            await asyncio.sleep(0)
        return fetching

    async def fetched(self, answer: Any) -> None:
        """Make a fetch that is answered."""
        fetching = await self.fetch()
        self.answers(answer)
        assert await fetching is answer

    @property
    def waits(self) -> list[int | None]:
        """How long each fetch was to wait at most, in ms."""
        return [wait for group, wait in self.sent if group == FETCHES]


@pytest.fixture
async def consumer() -> Consumer:
    made = Consumer()
    LongFetches(made, is_wanted, made.sleep)
    return made


async def test_each_fetch_that_finds_nothing_lets_the_next_wait_twice_as_long(
    consumer: Consumer,
) -> None:
    for answer in (*[EMPTY] * 6, FULL, EMPTY):
        await consumer.fetched(answer)
    assert consumer.waits == [1_500, 3_000, 6_000, 12_000, 24_000, LONGEST_MS, LONGEST_MS, 1_500]


async def test_a_fetch_that_lacks_a_partition_of_its_broker_waits_no_longer(
    consumer: Consumer,
) -> None:
    await consumer.fetched(EMPTY)
    consumer.assigned = {HERE, THERE}
    await consumer.fetched(EMPTY)
    consumer.assigned = {HERE}
    await consumer.fetched(EMPTY)
    assert consumer.waits == [1_500, 1_500, 6_000]


async def test_a_partition_that_is_not_wanted_is_not_lacked(consumer: Consumer) -> None:
    consumer.assigned = {HERE, UNWANTED}
    await consumer.fetched(EMPTY)
    await consumer.fetched(EMPTY)
    assert consumer.waits == [1_500, 3_000]


async def test_only_wanted_partitions_of_each_assignment_are_fetched() -> None:
    brokers, state = Brokers(), SubscriptionState()
    brokers._fetcher = Fetcher(brokers, state)
    LongFetches(brokers, is_wanted)
    for assigned in ({HERE, UNWANTED}, {HERE, THERE, UNWANTED}):
        state.assign_from_user(assigned)
        for partition in assigned:
            state.seek(partition, 0)
        await steps()
    asked = {(topic, part[0]) for each in brokers.asked for topic, parts in each for part in parts}
    await brokers._fetcher.close()
    assert asked == {HERE, THERE}


async def test_a_broker_that_cannot_be_reached_is_tried_once_a_fetch(consumer: Consumer) -> None:
    consumer.is_reachable = False
    with pytest.raises(NodeNotReadyError):
        await (await consumer.fetch())
    assert consumer.waits == []


async def test_a_broker_that_does_not_lead_a_partition_is_not_asked_again_at_once(
    consumer: Consumer,
) -> None:
    await consumer.fetched(EMPTY)
    await consumer.fetched(FULL)
    assert consumer.pauses == []
    await consumer.fetched(MOVED)
    assert consumer.pauses == [PAUSE_S]


async def test_other_requests_do_not_wait_for_a_fetch(consumer: Consumer) -> None:
    fetching = await consumer.fetch()
    assert await consumer.send(BROKER, MetadataRequest([])) == "answer"
    assert [group for group, _ in consumer.sent] == [FETCHES, ConnectionGroup.DEFAULT]
    consumer.answers(EMPTY)
    await fetching


@pytest.mark.parametrize("how", ["seek", "reset", "moved"])
async def test_a_fetch_ends_with_nothing_when_it_asks_for_what_is_not_wanted_any_more(
    consumer: Consumer, how: str
) -> None:
    for listener in consumer.listeners:
        listener(consumer.cluster)
    await consumer.fetched(EMPTY)
    fetching = await consumer.fetch()
    if how == "seek":
        consumer._fetcher.seek_to(HERE, 3)
        assert consumer.positions == [3]
    elif how == "reset":
        consumer._fetcher.request_offset_reset([HERE], "earliest")
    else:
        consumer.leader = 2
        consumer.listeners[0](consumer.cluster)
    assert list((await fetching).topics) == []
    await consumer.fetched(EMPTY)
    assert consumer.waits == [SHORTEST_MS, 2 * SHORTEST_MS, SHORTEST_MS]


async def test_metadata_that_say_nothing_new_interrupt_nothing(consumer: Consumer) -> None:
    consumer.listeners[0](consumer.cluster)
    fetching = await consumer.fetch()
    consumer.listeners[0](consumer.cluster)
    consumer.answers(FULL)
    assert await fetching is FULL


async def test_a_connection_that_breaks_by_itself_is_an_error(consumer: Consumer) -> None:
    fetching = await consumer.fetch()
    consumer._conns[BROKER, FETCHES].close()
    with pytest.raises(KafkaConnectionError):
        await fetching


async def test_a_fetch_of_an_assignment_that_ended_holds_up_none_of_the_next(
    consumer: Consumer,
) -> None:
    fetching = await consumer.fetch()
    fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetching
    assert (BROKER, FETCHES) not in consumer._conns, "it would be answered there first"


class Brokers(Consumer):
    """Leads each partition by a broker of its own, and keeps the fetches that it gets."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._metadata_max_age_ms = 300_000
        self.cluster = SimpleNamespace(
            add_listener=self.listeners.append,
            leader_for_partition=lambda partition: partition.partition,
            broker_metadata=lambda node_id: node_id,
            brokers=lambda: set(self.fetches),
        )
        self.fetches: dict[int, list[asyncio.Future[Any]]] = {0: [], 1: []}
        self.asked: list[Any] = []

    async def send(self, node_id: int, request: Any, *, group: Any = None) -> Any:
        assert group == FETCHES
        self.asked.append(request.topics)
        self.fetches[node_id].append(self._loop.create_future())
        return await self.fetches[node_id][-1]


async def steps() -> None:
    """Let all that needs no waiting happen."""
    for _ in range(30):
        await asyncio.sleep(0)


@pytest.mark.parametrize("between", range(5))
async def test_each_broker_is_asked_again_as_soon_as_it_has_answered(between: int) -> None:
    brokers, state = Brokers(), SubscriptionState()
    brokers._fetcher = Fetcher(brokers, state)
    LongFetches(brokers, is_wanted)
    brokers.assigned = {HERE, THERE}
    state.assign_from_user(brokers.assigned)
    for partition in (HERE, THERE):
        state.seek(partition, 0)
    await steps()
    answer = SimpleNamespace(topics=[], API_VERSION=4)
    brokers.fetches[0][0].set_result(answer)
    for _ in range(between):
        await asyncio.sleep(0)
    brokers.fetches[1][0].set_result(answer)
    await steps()
    asked = [len(each) for each in brokers.fetches.values()]
    await brokers._fetcher.close()
    assert asked == [2, 2]
