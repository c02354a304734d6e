"""Only what a local copy lacks of its changelog is read."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka import TopicPartition

from connectors.kafka.access import Access
from streams.engine.faust import changelog
from streams.engine.faust.changelog import ChangelogReader

COMPLETE, LACKING = TopicPartition("rows", 0), TopicPartition("rows", 1)


class Consumer:
    """Has one message at each offset before 10."""

    def __init__(self) -> None:
        self.assigned: list[TopicPartition] = []
        self.positions: dict[TopicPartition, int] = {}

    def assign(self, partitions: list[TopicPartition]) -> None:
        self.assigned = partitions

    def seek(self, partition: TopicPartition, offset: int) -> None:
        self.positions[partition] = offset

    async def position(self, partition: TopicPartition) -> int:
        return self.positions[partition]

    async def getmany(self, *partitions: TopicPartition, **_: Any) -> dict[TopicPartition, Any]:
        found = {}
        for each in partitions:
            offsets = range(self.positions[each], 10)
            self.positions[each] = 10
            found[each] = [
                SimpleNamespace(offset=at, key=b"k%d" % at, value=b"v") for at in offsets
            ]
        return found


@pytest.fixture
def consumer(monkeypatch: pytest.MonkeyPatch) -> Consumer:
    made = Consumer()

    @asynccontextmanager
    async def connected(_: Access) -> AsyncIterator[Consumer]:
        yield made

    monkeypatch.setattr(changelog, "groupless_consumer", connected)
    return made


async def read(
    offsets: dict[TopicPartition, int], last: int = 9
) -> list[tuple[TopicPartition, list[bytes], int]]:
    """The outputs for changelogs with ``last`` as their last offset."""
    written = []
    await ChangelogReader(Access("nowhere:1")).read(
        offsets,
        dict.fromkeys(offsets, last),
        lambda tp, rows, at: written.append((tp, [key for key, _ in rows], at)),
    )
    return written


async def test_a_copy_gets_the_rows_that_it_lacks(consumer: Consumer) -> None:
    offsets = {LACKING: 7}
    assert await read(offsets) == [(LACKING, [b"k8", b"k9"], 9)]
    assert offsets == {LACKING: 9}


async def test_what_came_after_the_end_was_looked_up_is_left(consumer: Consumer) -> None:
    offsets = {LACKING: 5}
    assert await read(offsets, last=7) == [(LACKING, [b"k6", b"k7"], 7)]
    assert offsets == {LACKING: 7}, "Faust ends if it is beyond the end"


async def test_a_complete_copy_is_not_assigned_so_nothing_of_it_is_fetched(
    consumer: Consumer,
) -> None:
    await read({COMPLETE: 9, LACKING: 7})
    assert consumer.assigned == [LACKING]


async def test_without_anything_lacking_no_broker_is_asked(consumer: Consumer) -> None:
    assert await read({COMPLETE: 9}) == []
    assert consumer.assigned == []
