"""What aiokafka's fetcher hands out, asked as Faust asks it and as we do."""

from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.consumer.fetcher import Fetcher, FetchResult
from faust.types import TP

from streams.engine.faust.consumer import ReadablePartitions
from streams.engine.runners.ordered import OrderedRunner
from tests.fakes.engine import INPUT, Agent, Engine


class Records(list[str]):
    """Records that were fetched ahead from offset 0 on."""

    next_fetch_offset = 0


async def taken(partitions: Any) -> dict[Any, Any]:
    """Ask for what was fetched of INPUT, with these partitions wanted."""
    place: Any = TopicPartition(*INPUT)
    state = SimpleNamespace(paused=False, position=0, consumed_to=lambda offset: None)
    assignment = SimpleNamespace(active=True, state_value=lambda place: state)
    records = Records(["one", "two"])
    result = FetchResult(place, assignment=assignment, partition_records=records, backoff=0)
    fetcher: Any = SimpleNamespace(
        _subscriptions=SimpleNamespace(
            reassignment_in_progress=False, is_assigned=lambda place: True
        ),
        _records={place: result},
        _notify=lambda future: None,
        _wait_consume_future=None,
    )
    found: dict[Any, Any] = await Fetcher.fetched_records(fetcher, partitions)
    return found


@pytest.fixture
async def engine() -> Engine:
    engine = Engine()
    engine.use(OrderedRunner(Agent(), *engine.parts))
    await engine.begin()
    return engine


async def test_aiokafka_takes_an_empty_set_of_partitions_for_all() -> None:
    assert await taken(set[TP]()) == {INPUT: ["one", "two"]}


async def test_nothing_is_read_while_no_partition_is_active(engine: Engine) -> None:
    assert await taken(ReadablePartitions(set(), engine.acks)) == {}


async def test_a_partition_is_read_while_it_is_active_and_its_flow_open(engine: Engine) -> None:
    active = set[TP]()
    readable = ReadablePartitions(active, engine.acks)
    active.add(INPUT)
    assert await taken(readable) == {INPUT: ["one", "two"]}
    await engine.flow.close(1)
    assert await taken(readable) == {}
