"""Taking, finishing and letting go, with a runner that finishes only when a test says so."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from aiokafka import TopicPartition
from structlog.testing import capture_logs

from connectors.kafka_patches.batches import UnreadableBatch
from connectors.registry.codec import Codec
from schemas.codec import versions, wire
from schemas.codec.wire import Undecodable
from schemas.records.requests import Expire
from schemas.records.table_rows import TickedThrough
from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.acks.decoding import LARGE
from streams.engine.acks.runner import Offsets, TakenEvent
from streams.engine.life.membership import SHARED
from tests.fakes.engine import INPUT, OTHER, TOPIC, Engine, Message, tick
from tests.fakes.registry import fake_registry

ELSEWHERE = TopicPartition(OTHER.topic, 1)


class Held:
    """Keeps what is submitted."""

    def __init__(self) -> None:
        self.taken: list[TakenEvent] = []
        self.stops = 0

    async def load(self, done: Offsets, ends: Offsets) -> None:
        self.taken.clear()

    def submit(self, taken: TakenEvent) -> None:
        self.taken.append(taken)

    def stop(self) -> None:
        self.stops += 1

    @property
    def offsets(self) -> list[int]:
        return [taken.event.offset for taken in self.taken]


async def begun(
    max_in_flight: int = 1000, position: int | None = 0, **arguments: Any
) -> tuple[Engine, Held]:
    engine, held = Engine(max_in_flight, **arguments), Held()
    engine.use(held)
    await engine.begin(position)
    return engine, held


async def catching_up(last: int | None, position: int = 0, **arguments: Any) -> tuple[Engine, Held]:
    """A flow with a first input that has a last message, and two others."""
    engine, held = Engine(first=TOPIC, **arguments), Held()
    engine.use(held)
    engine.last = last
    await engine.begin(position, OTHER, ELSEWHERE)
    return engine, held


async def test_an_event_has_all_of_its_message() -> None:
    engine, held = await begun()
    value = tick(0, 9).value
    await engine.flow.take(Message(0, value, b"\xff", headers=[("h", b"v")]))
    (event,) = (taken.event for taken in held.taken)
    assert (event.topic, event.partition, event.offset) == ("in", 0, 0)
    assert (event.timestamp, event.key, event.value) == (1500, b"\xff", value)
    assert (event.headers, event.fact) == ((("h", b"v"),), TickedThrough(9))


async def test_what_cannot_be_decoded_is_an_event_too() -> None:
    engine, held = await begun()
    await engine.flow.take(Message(0, b"rubbish"))
    (taken,) = held.taken
    assert isinstance(taken.event.fact, Undecodable)
    assert taken.event.value == b"rubbish"


async def test_a_batch_that_cannot_be_read_is_an_event_that_says_why() -> None:
    engine, held = await begun()
    batch = UnreadableBatch(bytes(20))
    batch.reason = "offsets 0 to 7: it is compressed with codec 6"
    await engine.flow.take(Message(0, batch))
    (taken,) = held.taken
    assert isinstance(taken.event.fact, Undecodable)
    assert str(taken.event.fact).endswith(batch.reason)
    assert taken.event.value == bytes(20)


async def test_only_what_is_done_in_order_may_be_committed() -> None:
    engine, held = await begun()
    for offset in range(3):
        await engine.flow.take(tick(offset))
    engine.acks.finish(held.taken[1])
    assert engine.acks.committable() == {INPUT: 0}
    engine.acks.finish(held.taken[0])
    assert engine.acks.committable() == {INPUT: 2}


async def test_without_a_committed_offset_nothing_is_committed_before_the_first_event() -> None:
    engine, held = await begun(position=None)
    assert engine.acks.committable() == {}
    await engine.flow.take(tick(7))
    engine.acks.finish(held.taken[0])
    assert engine.acks.committable() == {INPUT: 8}


async def test_what_was_taken_before_is_passed_over() -> None:
    engine, held = await begun(position=5)
    for offset in (4, 5, 5, 6):
        await engine.flow.take(tick(offset))
    assert held.offsets == [5, 6]


async def test_a_partition_that_is_not_ours_is_not_taken() -> None:
    engine, held = await begun()
    await engine.flow.take(Message(0, tick(0).value, tp=TopicPartition(INPUT.topic, 1)))
    assert held.taken == []


async def test_a_gap_that_the_log_has_is_passed() -> None:
    engine, held = await begun()
    engine.first = 4
    await engine.flow.take(tick(4))
    assert held.offsets == [4]


@pytest.mark.parametrize(("deleted", "said"), [(0, []), (4, [(0, 4)])])
async def test_messages_that_were_deleted_before_they_were_read_are_said_to_be_lost(
    deleted: int, said: list[tuple[int, int]]
) -> None:
    engine, held = await begun()
    engine.first, engine.bounded = 4, (deleted, 5)
    with capture_logs() as lines:
        await engine.flow.take(tick(4))
    assert [(line["begin"], line["end"]) for line in lines] == said
    assert held.offsets == [4]


async def test_a_log_that_ends_before_what_was_done_is_read_again() -> None:
    engine, held = await begun(position=5)
    await engine.flow.take(tick(5))
    engine.bounded = (0, 3)
    for offset in range(3):
        await engine.flow.take(tick(offset))
    for taken in held.taken:
        engine.acks.finish(taken)
    assert (held.offsets, engine.looks) == ([5, 0, 1, 2], 1)
    assert engine.acks.committable() == {INPUT: 3}
    assert engine.acks.capacity.in_flight == 0


async def test_a_topic_that_was_made_again_has_other_events_than_those_that_ended_a_process() -> (
    None
):
    engine, held = await begun(position=5)
    engine.acks.open({INPUT: 5}, {INPUT: CommitMetadata(in_hand=(6,), ends={6: 2}, since=5)})
    engine.bounded = (0, 3)
    for offset in range(7):
        await engine.flow.take(tick(offset))
    assert [taken.event.fact for taken in held.taken] == [TickedThrough(0)] * 7
    assert CommitMetadata.decoded(engine.acks.metadata(INPUT)).ends == {}


async def test_what_was_done_is_looked_for_once_and_passed_over_where_the_log_has_it() -> None:
    engine, held = await begun(position=5)
    for offset in (3, 4, 5):
        await engine.flow.take(tick(offset))
    assert (held.offsets, engine.looks) == ([5], 1)


async def test_a_skipped_offset_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(reason: str) -> None:
        raise SystemExit(reason)

    monkeypatch.setattr("streams.engine.acks.flow.end_process", end)
    engine, held = await begun()
    engine.first = 3
    with pytest.raises(SystemExit, match="offset 3 was skipped, 4 came"):
        await engine.flow.take(tick(4))
    assert held.taken == []


async def test_no_more_than_the_room_is_at_work() -> None:
    engine, held = await begun(max_in_flight=2)
    takes = [asyncio.create_task(engine.flow.take(tick(offset))) for offset in range(2)]
    await asyncio.gather(*takes)
    third = asyncio.create_task(engine.flow.take(tick(2)))
    await asyncio.sleep(0)
    assert held.offsets == [0, 1]
    engine.acks.finish(held.taken[1])
    await third
    assert held.offsets == [0, 1, 2]


async def test_large_messages_fill_the_room_before_many_do() -> None:
    engine, held = await begun(max_bytes=2 * len(tick(0).value or b"") - 1)
    for offset in range(2):
        await engine.flow.take(tick(offset))
    third = asyncio.create_task(engine.flow.take(tick(2)))
    await asyncio.sleep(0)
    assert held.offsets == [0, 1]
    engine.acks.finish(held.taken[1])
    await third
    assert held.offsets == [0, 1, 2]
    for taken in (held.taken[0], held.taken[2]):
        engine.acks.finish(taken)
    assert engine.acks.capacity.bytes == 0


async def test_a_message_larger_than_the_room_is_at_work_alone() -> None:
    engine, held = await begun(max_bytes=1)
    await engine.flow.take(tick(0))
    second = asyncio.create_task(engine.flow.take(tick(1)))
    await asyncio.sleep(0)
    assert held.offsets == [0]
    await engine.flow.close(0.01)
    await second
    await engine.begin(0)
    await engine.flow.take(tick(0))
    assert held.offsets == [0], "what was in flight before the assignment takes no room"


async def test_closing_waits_for_what_is_at_work_and_takes_nothing_new() -> None:
    engine, held = await begun()
    await engine.flow.take(tick(0))
    closing = asyncio.create_task(engine.flow.close(10))
    await asyncio.sleep(0)
    await engine.flow.take(tick(1))
    assert (held.offsets, held.stops, engine.acks.capacity.is_open) == ([0], 0, False)
    assert engine.acks.partitions == frozenset()
    engine.acks.finish(held.taken[0])
    await closing
    assert held.stops == 1
    assert engine.acks.committable() == {INPUT: 1}


async def test_closing_gives_up_waiting_and_leaves_the_rest_to_be_read_again() -> None:
    engine, held = await begun()
    for offset in range(2):
        await engine.flow.take(tick(offset))
    engine.acks.finish(held.taken[0])
    await engine.flow.close(0.01)
    assert held.stops == 1
    assert engine.acks.committable() == {INPUT: 1}


async def test_a_message_that_waited_for_room_while_partitions_went_is_not_taken() -> None:
    engine, held = await begun(max_in_flight=1)
    await engine.flow.take(tick(0))
    waiting = asyncio.create_task(engine.flow.take(tick(1)))
    await asyncio.sleep(0)
    await engine.flow.close(0.01)
    await engine.begin(0)
    await waiting
    assert held.taken == []
    await engine.flow.take(tick(0))
    assert held.offsets == [0]


async def test_a_message_is_not_taken_if_its_gap_was_checked_while_partitions_went() -> None:
    engine, held = await begun()

    async def rebalance() -> None:
        await engine.flow.close(0.01)
        await engine.begin(0)

    engine.first, engine.while_looking = 4, rebalance
    await engine.flow.take(tick(4))
    assert held.taken == []


async def test_other_inputs_of_a_partition_wait_until_the_first_is_done_as_far_as_it_went() -> None:
    engine, held = await catching_up(last=1)
    readable = engine.acks.is_readable
    assert (readable(INPUT), readable(OTHER), readable(ELSEWHERE)) == (True, False, True)
    for offset in range(3):
        await engine.flow.take(tick(offset))
    engine.acks.finish(held.taken[1])
    engine.acks.finish(held.taken[2])
    assert not readable(OTHER), "one of those before it is still at work"
    engine.acks.finish(held.taken[0])
    assert readable(OTHER)
    assert engine.acks.signs == {0: 3}, "who waited was alive"


@pytest.mark.parametrize(("last", "position"), [(None, 0), (4, 5)], ids=["empty", "all is done"])
async def test_nothing_waits_where_the_first_input_has_nothing_left(
    last: int | None, position: int
) -> None:
    engine, _ = await catching_up(last, position)
    assert engine.acks.is_readable(OTHER)


async def test_nothing_is_readable_from_the_revoke_until_all_is_recovered() -> None:
    engine, _ = await begun()
    assert engine.acks.is_readable(INPUT)
    await engine.flow.close(1)
    await engine.flow.load({INPUT: 0})
    assert not engine.acks.is_readable(INPUT)


async def test_a_frozen_process_commits_nothing() -> None:
    engine, held = await begun()
    await engine.flow.take(tick(0))
    engine.acks.finish(*held.taken)
    engine.now += 1000
    engine.acks.committable()
    assert engine.ended


async def test_a_process_that_froze_before_its_first_event_goes_on_as_soon_as_it_is_heard() -> None:
    engine, held = await begun()
    engine.now += 1000
    engine.acks.committable()
    first = asyncio.create_task(engine.flow.take(tick(0)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert held.taken == []
    engine.loop_watch.membership.heard(engine.now)
    await first
    assert held.offsets == [0]
    assert engine.ended == []


async def test_the_schema_of_a_message_is_looked_up_before_it_becomes_an_event() -> None:
    async with fake_registry() as registry:
        codec = Codec(registry.url, "test.", {"in": (TickedThrough,)})
        await codec.start()
        theirs = registry.add(versions.newest(TickedThrough).source | {"doc": "theirs"})
        engine, held = Engine(codec=codec), Held()
        engine.use(held)
        await engine.begin()
        body = wire.encode(TickedThrough(9))[10:]
        for offset, number in enumerate((theirs, 9_999)):
            await engine.flow.take(Message(offset, b"\0" + number.to_bytes(4) + body))
    known, unknown = (taken.event.fact for taken in held.taken)
    assert known == TickedThrough(9)
    assert isinstance(unknown, Undecodable)
    assert "schema 9999, which the schema registry does not know" in str(unknown)


class Waiting(Codec):
    """Has to ask once for each value."""

    def knows(self, value: bytes | None) -> bool:
        return False

    async def learn(self, value: bytes | None, waiting: Callable[[], None] = print) -> None:
        waiting()


async def test_while_a_schema_is_waited_for_all_partitions_show_that_the_process_lives() -> None:
    engine, held = Engine(codec=Waiting()), Held()
    engine.use(held)
    await engine.begin(0, ELSEWHERE)
    await engine.flow.take(tick(0))
    assert engine.acks.signs == {INPUT.partition: 1, ELSEWHERE.partition: 1}


async def test_nothing_is_taken_while_the_group_does_not_hear_the_worker() -> None:
    engine, held = await begun()
    engine.now += SHARED.work_limit_s + 1
    taking = asyncio.create_task(engine.flow.take(tick(0)))
    await asyncio.sleep(0)
    assert held.offsets == []
    engine.loop_watch.membership.heard(engine.now)
    await taking
    assert held.offsets == [0]


class Threads(Codec):
    """Notes in which thread each value is decoded; large ones wait for ``gate``."""

    def __init__(self) -> None:
        super().__init__()
        self.in_loop: list[bool] = []
        self.gate = threading.Event()
        self._loop = threading.current_thread()

    def decode(self, value: bytes | None, *kinds: type[Any], allow_json: bool = False) -> Any:
        is_in_loop = threading.current_thread() is self._loop
        self.in_loop.append(is_in_loop)
        if not is_in_loop:
            self.gate.wait()
        return super().decode(value, *kinds, allow_json=allow_json)


def large(offset: int) -> Message:
    return Message(offset, wire.encode(Expire("http://a.test/", "s", "x" * LARGE)))


async def test_a_large_message_is_decoded_outside_of_the_loop() -> None:
    codec, held = Threads(), Held()
    engine = Engine(codec=codec)
    engine.use(held)
    await engine.begin()
    codec.gate.set()
    await engine.flow.take(large(0))
    await engine.flow.take(tick(1))
    assert codec.in_loop == [False, True]
    assert held.offsets == [0, 1]


async def test_a_message_that_was_decoded_while_partitions_went_is_not_taken() -> None:
    codec, held = Threads(), Held()
    engine = Engine(codec=codec)
    engine.use(held)
    await engine.begin()
    taking = asyncio.create_task(engine.flow.take(large(0)))
    while not codec.in_loop:  # noqa: ASYNC110 - a thread signals nobody
        await asyncio.sleep(0)
    await engine.flow.close(1)
    codec.gate.set()
    await taking
    assert held.offsets == []
