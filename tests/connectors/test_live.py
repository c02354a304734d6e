"""The listeners of live notifications, and how long the topic is read; without a broker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import KafkaConnectionError
from structlog.testing import capture_logs

from connectors.kafka.listener import LiveNotification, Positions
from connectors.kafka.live import Live, UnknownPositions
from connectors.registry.codec import Codec
from schemas.codec import wire
from tests.fakes.notifications import NOTIFICATION
from tests.harness.waiting import until

OTHER = replace(NOTIFICATION, id="other", manager="other")
ENCODED = wire.encode(NOTIFICATION)


@dataclass(frozen=True)
class Message:
    partition: int
    offset: int
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()


class Topic:
    """A topic of two partitions that begins at offsets 5 and 0, and all that ever read it."""

    def __init__(self) -> None:
        self.opened = 0
        self.readers: list[asyncio.Queue[Message | Exception]] = []
        self.trouble: Exception | None = None
        self.id = "now"

    async def ids(self, _: "Reader", names: list[str]) -> dict[str, str]:
        return dict.fromkeys(names, self.id)

    @asynccontextmanager
    async def tail(self, access: Any, topic: str) -> AsyncIterator["Reader"]:
        if self.trouble is not None:
            raise self.trouble
        self.opened += 1
        queue: asyncio.Queue[Message | Exception] = asyncio.Queue()
        self.readers.append(queue)
        try:
            yield Reader(queue)
        finally:
            self.readers.remove(queue)

    def say(self, partition: int, offset: int, value: bytes | None) -> None:
        for queue in self.readers:
            queue.put_nowait(Message(partition, offset, value))


class Reader:
    def __init__(self, queue: "asyncio.Queue[Message | Exception]") -> None:
        self._queue = queue

    def assignment(self) -> set[TopicPartition]:
        return {TopicPartition("t", number) for number in range(2)}

    async def position(self, place: TopicPartition) -> int:
        return (5, 0)[place.partition]

    def __aiter__(self) -> "Reader":
        return self

    async def __anext__(self) -> Message:
        message = await self._queue.get()
        if isinstance(message, Exception):
            raise message
        return message


@pytest.fixture
def topic(monkeypatch: pytest.MonkeyPatch) -> Topic:
    topic = Topic()
    monkeypatch.setattr("connectors.kafka.live.tail", topic.tail)
    monkeypatch.setattr("connectors.kafka.live.topic_ids", topic.ids)
    return topic


@pytest.fixture
def live(topic: Topic) -> Live:
    access: Any = None
    return Live(access, "t", Codec())


async def test_each_hears_its_managers_notifications_and_where_they_stand(
    topic: Topic, live: Live
) -> None:
    async with live.listen("default") as (_, begin, mine), live.listen("other") as (_, _, others):
        topic.say(0, 5, wire.encode(NOTIFICATION))
        topic.say(1, 0, b"nonsense")
        topic.say(1, 1, wire.encode(OTHER))
        assert begin == (5, 0)
        assert await anext(mine) == LiveNotification(NOTIFICATION, (6, 0), len(ENCODED))
        assert await anext(others) == LiveNotification(OTHER, (6, 2), len(wire.encode(OTHER)))
        assert topic.opened == 1


@pytest.mark.parametrize(("topic_id", "begin"), [("now", (5, 0)), ("", (5, 0)), ("former", (0, 0))])
async def test_who_resumes_at_positions_of_a_former_topic_gets_all_of_the_new_one(
    live: Live, topic_id: str, begin: Positions
) -> None:
    async with live.listen("default", (9, 0), topic_id) as (_, found, _):
        assert found == begin


async def test_a_topic_that_is_created_again_ends_all_who_listen_so_that_they_ask_again(
    topic: Topic, live: Live
) -> None:
    async with live.listen("default") as (_, _, heard):
        topic.say(0, 0, ENCODED)
        assert [each async for each in heard] == []


async def test_partitions_that_are_added_end_all_who_listen_so_that_they_ask_again(
    topic: Topic, live: Live
) -> None:
    async with live.listen("default") as (_, _, mine):
        with capture_logs() as logs:
            topic.say(2, 0, ENCODED)
            assert [fact async for fact in mine] == []
        assert logs == [], "that is no error"


async def test_the_topic_is_read_only_while_somebody_listens(topic: Topic, live: Live) -> None:
    for times in (1, 2):
        async with live.listen("default"), live.listen("default"):
            assert (topic.opened, len(topic.readers)) == (times, 1)
        assert topic.readers == []


async def test_who_comes_later_begins_where_the_others_are(topic: Topic, live: Live) -> None:
    async with live.listen("default") as (_, _, first):
        topic.say(0, 5, wire.encode(NOTIFICATION))
        await anext(first)
        async with live.listen("default") as (_, begin, _):
            assert begin == (6, 0)


async def test_an_end_of_reading_ends_all_who_listen_and_the_next_reads_anew(
    topic: Topic, live: Live
) -> None:
    async with AsyncExitStack() as stack:
        all_heard = [
            (await stack.enter_async_context(live.listen(name)))[2] for name in ("default", "other")
        ]
        topic.readers[0].put_nowait(KafkaConnectionError("away"))
        assert [[each async for each in heard] for heard in all_heard] == [[], []]
        async with live.listen("default") as (_, _, heard):
            topic.say(0, 5, wire.encode(NOTIFICATION))
            assert (await anext(heard)).fact == NOTIFICATION


async def test_trouble_at_the_start_is_the_callers_and_leaves_nothing(
    topic: Topic, live: Live
) -> None:
    topic.trouble = KafkaConnectionError("away")
    with pytest.raises(KafkaConnectionError):
        async with live.listen("default"):
            pass
    topic.trouble = None
    with pytest.raises(UnknownPositions):
        async with live.listen("default", (1, 2, 3)):
            pass
    assert topic.readers == []


async def test_a_close_ends_all_who_listen(topic: Topic, live: Live) -> None:
    async with live.listen("default") as (_, _, heard):
        live.close()
        assert [each async for each in heard] == []
    await until(lambda: not topic.readers, "nobody reads")


class Log:
    """The first partition from offset 0 on, in pages of two messages; ``asked`` lists the pages."""

    def __init__(self, *values: bytes) -> None:
        self.values = list(values)
        self.asked: list[tuple[str, int, tuple[int, int]]] = []
        self.closed = 0
        self.go = asyncio.Event()
        self.go.set()

    async def page(
        self, key: str, partition: int, span: tuple[int, int]
    ) -> tuple[list[Message], int]:
        self.asked.append((key, partition, span))
        await self.go.wait()
        begin, end = span
        end = min(end, begin + 2)
        found = [Message(partition, offset, self.values[offset]) for offset in range(begin, end)]
        return found, end

    async def close(self) -> None:
        self.closed += 1


@pytest.fixture
def log(live: Live) -> Log:
    log: Any = Log(*[wire.encode(OTHER), ENCODED, b"nonsense", ENCODED, ENCODED])
    live._log = log
    found: Log = log
    return found


async def test_what_was_missed_is_read_in_pages_and_comes_first_with_the_positions_after_each(
    topic: Topic, live: Live, log: Log
) -> None:
    async with live.listen("default", (0, 9)) as (_, begin, heard):
        assert begin == (0, 0)
        found = [(await anext(heard)).positions for _ in range(3)]
        topic.say(1, 0, ENCODED)
        found.append((await anext(heard)).positions)
    assert found == [(2, 0), (4, 0), (5, 0), (5, 1)]
    assert log.asked[:3] == [("default", 0, (0, 5)), ("default", 0, (2, 5)), ("default", 0, (4, 5))]
    assert log.closed == 1


async def test_what_comes_while_a_listener_reads_what_it_missed_is_read_from_the_log_too(
    topic: Topic, live: Live, log: Log
) -> None:
    log.go.clear()
    async with live.listen("default", (4, 0)) as (_, _, heard), live.listen("other") as (_, _, up):
        behind = asyncio.ensure_future(anext(heard))
        await until(lambda: log.asked, "the first page is read")
        for offset, value in ((5, ENCODED), (6, wire.encode(OTHER))):
            log.values.append(value)
            topic.say(0, offset, value)
        await anext(up)
        log.go.set()
        found: list[Positions] = [(await behind).positions, (await anext(heard)).positions]
        following = asyncio.ensure_future(anext(heard))
        await until(lambda: len(live.up_to_date) == 2, "nothing is missing")
        topic.say(0, 7, ENCODED)
        found.append((await following).positions)
    assert found == [(5, 0), (6, 0), (8, 0)]
    assert log.asked == [("default", 0, (4, 5)), ("default", 0, (5, 7))]


async def test_a_listener_that_is_closed_stops_reading_what_it_missed(
    topic: Topic, live: Live, log: Log
) -> None:
    async with live.listen("default", (0, 0)) as (listener, _, heard):
        await anext(heard)
        listener.close()
        assert [each async for each in heard] == []
    assert log.asked == [("default", 0, (0, 5))]
