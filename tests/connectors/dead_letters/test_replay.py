"""Put back many dead letters: in batches, in their order, and only what was there."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka import TopicPartition

from connectors.dead_letters.originals import MAX_GAP, Originals
from connectors.dead_letters.record import DeadLetter, DeadLetterError, LetterRefusal
from connectors.dead_letters.replay import BATCH, BATCH_BYTES, SHOWN, Replayed, Replayer, replay_all

FETCHED = 500
"""Messages that one request returns."""


class Log:
    """Topics of four partitions; each message has its offset for a value."""

    def __init__(self, first: int = 0, end: int = 100_000) -> None:
        self._first, self._end = first, end
        self._at: dict[TopicPartition, int] = {}
        self.requests = 0
        self.sent: dict[TopicPartition, list[bytes]] = defaultdict(list)

    def assign(self, partitions: Sequence[TopicPartition]) -> None:
        self._at = dict.fromkeys(partitions, 0)

    def seek(self, partition: TopicPartition, offset: int) -> None:
        self._at[partition] = offset

    async def position(self, partition: TopicPartition) -> int:
        return self._at[partition]

    async def beginning_offsets(self, at: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        self.requests += 1
        return dict.fromkeys(at, self._first)

    async def end_offsets(self, at: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        self.requests += 1
        return dict.fromkeys(at, self._end)

    async def getmany(
        self, *at: TopicPartition, timeout_ms: int, max_records: int
    ) -> dict[TopicPartition, list[Any]]:
        self.requests += 1
        found = {each: self._messages(each, min(FETCHED, max_records)) for each in at}
        for each in at:
            self._at[each] += len(found[each])
        return found

    def _messages(self, at: TopicPartition, most: int) -> list[Any]:
        offsets = range(self._at[at], min(self._end, self._at[at] + most))
        return [SimpleNamespace(offset=n, key=b"k", value=b"%d" % n, headers=()) for n in offsets]

    async def partitions_for(self, _: str) -> set[int]:
        return {0, 1, 2, 3}

    async def send(
        self, topic: str, value: bytes, *, key: bytes, partition: int, headers: list[Any]
    ) -> asyncio.Future[None]:
        assert (key, headers) == (b"k", [])
        self.sent[TopicPartition(topic, partition)].append(value)
        sent = asyncio.get_running_loop().create_future()
        sent.set_result(None)
        return sent


def letter(offset: int, partition: int = 0, **changed: Any) -> DeadLetter:
    errors = {"topic": "changes", "partition": str(partition), "offset": str(offset)}
    found = DeadLetter(partition, offset, 1, b"k", b"%d" % offset, (), errors, whole=True)
    return replace(found, **changed)


async def stream(letters: Sequence[DeadLetter]) -> AsyncIterator[DeadLetter]:
    for each in letters:
        yield each


async def replayed(log: Any, letters: Sequence[DeadLetter]) -> list[Replayed]:
    replayer = Replayer(log, Originals(log, "v."), "v.", {"changes"}, None)
    return [each async for each in replay_all(replayer, stream(letters))]


async def test_thousands_go_back_in_their_order_with_few_requests() -> None:
    log = Log()
    many = [letter(3 * offset, partition) for offset in range(5_000) for partition in range(4)]
    steps = await replayed(log, many)
    assert [each.done for each in steps] == [BATCH * (n + 1) for n in range(len(many) // BATCH)]
    assert steps[-1].summary() == ""
    expected = [b"%d" % (3 * offset) for offset in range(5_000)]
    assert log.sent == {TopicPartition("v.changes", n): expected for n in range(4)}
    assert log.requests < 200


async def test_messages_that_are_far_apart_are_read_without_those_between() -> None:
    log = Log(end=10**12)
    offsets = [0, MAX_GAP, 10**9, 5]
    await replayed(log, [letter(n) for n in offsets])
    assert log.sent[TopicPartition("v.changes", 0)] == [b"%d" % n for n in offsets]
    assert log.requests < 10


@pytest.mark.parametrize("part", ["value", "key", "headers"])
async def test_large_messages_are_put_back_a_few_at_a_time(part: str) -> None:
    large = b"x" * (BATCH_BYTES // 2)
    content: dict[str, Any] = {part: (("name", large),) if part == "headers" else large}
    steps = await replayed(Log(), [letter(n, **content) for n in range(4)])
    assert [sum(each.refused.values()) for each in steps] == [2, 4]


async def test_of_each_cause_a_few_refusals_are_shown_and_all_are_counted() -> None:
    forged = [letter(n, value=b"forged") for n in range(100, 200)]
    gone = [letter(n) for n in (0, 1)]
    foreign = [letter(n, errors={}) for n in range(SHOWN + 1)]
    cut = [letter(300, whole=False)]
    nowhere = [letter(300, partition=7)]
    mixed = [*forged, letter(300), *gone, *foreign, *cut, *nowhere]
    last = (await replayed(Log(first=50), mixed))[-1]
    assert last.done == 1
    assert last.refused == {
        LetterRefusal.OTHER: 100,
        LetterRefusal.GONE: 2,
        LetterRefusal.FOREIGN: SHOWN + 1,
        LetterRefusal.CUT: 1,
        LetterRefusal.NO_PARTITION: 1,
    }
    text = last.summary()
    assert text.count("may be forged") == SHOWN
    assert f"and {100 - SHOWN} more for the same cause" in text
    assert text.count("cannot be checked") == 2
    assert "and 1 more for the same cause" in text
    assert len(text) < 2_000


async def test_two_letters_of_one_message_are_compared_each() -> None:
    log: Any = Log()
    both = [letter(7), replace(letter(7), offset=8, value=b"forged")]
    last = (await replayed(log, both))[-1]
    assert (last.done, last.refused) == (1, {LetterRefusal.OTHER: 1})
    replayer = Replayer(log, Originals(log, "v."), "v.", {"changes"}, None)
    with pytest.raises(DeadLetterError, match="may be forged"):
        await replayer.replay(both[1])
