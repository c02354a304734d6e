"""A spare row replaces none that an interrupted addition of partitions has copied."""

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka import TopicPartition

from connectors.kafka.access import Access
from streams.repartition import tables
from streams.repartition.row_moves import PlacedRow

SPARE = PlacedRow(3, b"id", b"leaves", is_spare=True)


async def test_a_spare_row_is_kept_out_of_a_partition_that_has_one_with_its_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[TopicPartition] = []

    async def rows(_: Access, place: TopicPartition) -> AsyncIterator[Any]:
        read.append(place)
        if place.partition == SPARE.partition:
            yield SimpleNamespace(key=SPARE.key)

    monkeypatch.setattr(tables, "_rows", rows)
    copied = tables._CopiedRows(Access("nowhere:1"), "queries")

    assert await copied.keeps_out(SPARE)
    assert not await copied.keeps_out(SPARE._replace(key=b"other"))
    assert not await copied.keeps_out(SPARE._replace(partition=5))
    assert not await copied.keeps_out(SPARE._replace(is_spare=False))
    assert read == [TopicPartition("queries", 3), TopicPartition("queries", 5)], "each once"
