"""How far the agents are, from what the broker answers."""

from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiokafka import TopicPartition
from hypothesis import given
from hypothesis import strategies as st

from connectors.kafka import progress
from connectors.kafka.groups import Group
from connectors.kafka.progress import (
    MOST_NOTED,
    STALE_S,
    WINDOW_S,
    AgentProgress,
    PipelineMeter,
    Throughput,
)

ONE, TWO = TopicPartition("t.changes", 0), TopicPartition("t.changes", 1)


def test_throughput_is_that_of_the_last_minute() -> None:
    it = Throughput()
    for second in range(0, 200, 5):
        rates = it.note(float(second), {"changes": 1000 if second < 100 else 10 * second})
    assert rates == {"changes": 10.0}


def test_what_was_measured_long_ago_says_nothing() -> None:
    it = Throughput()
    it.note(0.0, {"changes": 1})
    assert it.note(STALE_S + 1, {"changes": 1000}) == {}
    assert it.note(STALE_S + 11, {"changes": 1010}) == {"changes": 1.0}


def test_a_topic_that_was_created_again_has_no_negative_throughput() -> None:
    it = Throughput()
    it.note(0.0, {"changes": 500})
    assert it.note(10.0, {"changes": 3, "fetches": 9}) == {"changes": 0.0, "fetches": 0.0}


@given(st.lists(st.floats(0, 2 * WINDOW_S), max_size=300))
def test_a_bounded_number_of_measurements_is_kept(pauses: list[float]) -> None:
    it, now = Throughput(), 0.0
    for pause in pauses:
        now += pause
        it.note(now, {"changes": 1})
        assert len(it._noted) <= MOST_NOTED


async def test_lag_counts_what_is_there_and_not_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    group = Group("Stable", 2, frozenset({ONE}), {ONE: 7})
    monkeypatch.setattr(progress, "describe_group", AsyncMock(return_value=group))
    consumer: Any = Mock(
        beginning_offsets=AsyncMock(return_value={ONE: 0, TWO: 50}),
        end_offsets=AsyncMock(return_value={ONE: 10, TWO: 60}),
    )
    groups = {"match": ("t.match", ["t.changes"])}
    meter = PipelineMeter(Mock(), consumer, groups, 2, "t.", lambda: 0.0)
    found = (await meter.measure()).agents["match"]
    assert found == AgentProgress("stable", 2, held=1, partitions=2, lag={"changes": 3 + 10})
    assert consumer.end_offsets.await_count == 1, "all topics are asked for at once"
