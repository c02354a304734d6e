"""Of a partition with very many messages a poll takes a share; others have theirs with it."""

from collections import OrderedDict
from types import SimpleNamespace
from typing import Any

from aiokafka import TopicPartition
from aiokafka.consumer.fetcher import Fetcher, FetchResult, PartitionRecords
from aiokafka.errors import TopicAuthorizationFailedError
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.memory_records import MemoryRecords

from connectors.kafka_patches.fair_polls import polled

BUSY, OTHER, THIRD = (TopicPartition(name, 0) for name in ("requests", "changes", "paused"))
MOST = 3


class Fetched(Fetcher):  # type: ignore[misc]  # aiokafka is not typed
    """A fetcher without a connection, with so many messages of each partition."""

    def __init__(self, counts: dict[TopicPartition, int]) -> None:
        self._records = OrderedDict((tp, _result(tp, count)) for tp, count in counts.items())
        self._wait_consume_future = None

    def __del__(self, *_: object) -> None:
        """Aiokafka's own closes the tasks of a started one."""


def _result(tp: TopicPartition, count: int) -> FetchResult:
    builder = DefaultRecordBatchBuilder(2, 0, 0, -1, -1, -1, 1_000_000)
    for offset in range(count):
        builder.append(offset, 0, None, b"value", [])
    records = MemoryRecords(bytes(builder.build()))
    waiting = PartitionRecords(tp, records, [], 0, None, None, True, 0)
    state = SimpleNamespace(paused=False, position=0)
    state.consumed_to = lambda position: vars(state).update(position=position)
    assignment = SimpleNamespace(active=True, state_value=lambda _: state)
    return FetchResult(tp, assignment=assignment, partition_records=waiting, backoff=0)


def offsets(found: dict[TopicPartition, list[Any]]) -> dict[str, list[int]]:
    return {tp.topic: [each.offset for each in messages] for tp, messages in found.items()}


def test_each_partition_has_its_share_of_a_poll_and_goes_on_there() -> None:
    fetcher = Fetched({BUSY: 7, OTHER: 2})
    polls = [offsets(polled(fetcher, {BUSY, OTHER}, (), MOST)) for _ in range(4)]
    assert polls == [
        {"requests": [0, 1, 2], "changes": [0, 1]},
        {"requests": [3, 4, 5]},
        {"requests": [6]},
        {},
    ]
    assert not fetcher._records


def test_what_has_its_share_already_and_what_is_not_readable_is_left() -> None:
    fetcher = Fetched({BUSY: 7, OTHER: 2, THIRD: 2})
    assert offsets(polled(fetcher, {BUSY, OTHER}, {BUSY: []}, MOST)) == {"changes": [0, 1]}
    assert [*fetcher._records] == [BUSY, THIRD]


def test_an_error_of_a_partition_is_left_for_a_poll_that_finds_nothing_else() -> None:
    fetcher = Fetched({OTHER: 2})
    error = TopicAuthorizationFailedError("changes")
    fetcher._records[BUSY] = error
    assert offsets(polled(fetcher, {BUSY, OTHER}, (), MOST)) == {"changes": [0, 1]}
    assert fetcher._records[BUSY] is error
