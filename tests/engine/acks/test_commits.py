"""Each commit has the note of what is in hand at that moment."""

import asyncio
from types import SimpleNamespace
from unittest.mock import AsyncMock

from aiokafka.errors import CommitFailedError, KafkaTimeoutError
from aiokafka.structs import OffsetAndMetadata

from streams.engine.acks.acknowledgements import CommittedOffsets
from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from tests.fakes.engine import INPUT, Agent, Engine, take
from tests.fakes.parts import fake_consumer


async def begun(position: int = 0) -> tuple[Engine, Agent]:
    engine, agent = Engine(), Agent()
    engine.use(PoolRunner(agent, *engine.parts, Throttle(1000)))
    await engine.begin(position)
    return engine, agent


class Broker:
    """Keeps what is committed, once its ``gate`` is open."""

    def __init__(self) -> None:
        self.committed: list[CommittedOffsets] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def commit(self, offsets: CommittedOffsets) -> None:
        await self.gate.wait()
        self.committed.append(offsets)


async def test_a_commit_names_what_is_in_hand_and_nothing_is_committed_twice() -> None:
    engine, agent = await begun()
    broker = Broker()
    agent.gates[1] = asyncio.Event()
    await take(engine, 0, 1)
    await engine.acks.commit(broker.commit, {INPUT})
    (found,) = broker.committed
    assert found[INPUT].offset == 1
    assert CommitMetadata.decoded(found[INPUT].metadata) == CommitMetadata(in_hand=(1,), since=0)
    await engine.acks.commit(broker.commit, {INPUT})
    assert len(broker.committed) == 1
    agent.gates[1].set()
    await engine.settle()
    await engine.acks.commit(broker.commit, {INPUT})
    assert [each[INPUT].offset for each in broker.committed] == [1, 2]
    await engine.begin(2)
    await engine.acks.commit(broker.commit, {INPUT})
    assert [each[INPUT].offset for each in broker.committed] == [1, 2, 2]


async def test_a_partition_that_is_no_longer_assigned_is_not_committed() -> None:
    engine, _ = await begun()
    broker = Broker()
    await take(engine, 0)
    await engine.settle()
    await engine.acks.commit(broker.commit, set())
    assert broker.committed == []


async def test_a_commit_that_waited_for_another_says_what_is_done_by_then() -> None:
    engine, _ = await begun()
    broker = Broker()
    broker.gate.clear()
    async with asyncio.TaskGroup() as both:
        for _ in range(2):
            both.create_task(engine.acks.commit(broker.commit, {INPUT}))
        await asyncio.sleep(0)
        await take(engine, 0, 1, 2)
        await engine.settle()
        broker.gate.set()
    assert [each[INPUT].offset for each in broker.committed] == [0, 3]


async def test_a_commit_goes_back_with_a_log_that_was_cut_short() -> None:
    engine, _ = await begun(position=3)
    broker = Broker()
    await engine.acks.commit(broker.commit, {INPUT})
    engine.bounded = (0, 1)
    await take(engine, 0)
    await engine.settle()
    await engine.acks.commit(broker.commit, {INPUT})
    assert [each[INPUT].offset for each in broker.committed] == [3, 1]


async def test_what_was_let_go_has_an_empty_note() -> None:
    engine, _ = await begun()
    broker = Broker()
    await take(engine, 0)
    await engine.settle()
    await engine.flow.close(1)
    await engine.acks.commit(broker.commit, {INPUT})
    assert broker.committed == [{INPUT: OffsetAndMetadata(1, "")}]


async def test_notes_are_written_no_more_once_all_is_done_and_committed() -> None:
    engine, agent = await begun()
    broker = Broker()

    async def settled() -> bool:
        for _ in range(2):
            await engine.acks.commit(broker.commit, {INPUT})
        return not engine.acks.is_commit_due

    assert engine.acks.is_commit_due, "the note of the new owner"
    assert await settled()
    agent.gates[1] = asyncio.Event()
    await take(engine, 0, 1)
    assert engine.acks.is_commit_due
    assert not await settled(), "an event is in hand"
    agent.gates[1].set()
    await engine.settle()
    assert engine.acks.is_commit_due, "it is done"
    assert await settled()
    await engine.begin(2)
    assert engine.acks.is_commit_due, "of the next assignment nothing is committed"


async def committing(error: Exception | None) -> tuple[bool, AsyncMock]:
    """Commit with a consumer of which aiokafka's raises an error; return whether that worked."""
    engine, _ = await begun()
    commit = AsyncMock(side_effect=error)
    consumer = fake_consumer(engine.flow, {})
    consumer._acks, consumer.crash = engine.acks, AsyncMock()
    consumer._thread = SimpleNamespace(_ensure_consumer=lambda: SimpleNamespace(commit=commit))
    consumer.assignment = lambda: {INPUT}
    return await consumer.force_commit(), consumer.crash


async def test_a_commit_of_an_assignment_that_is_over_fails_and_any_other_error_crashes() -> None:
    for error, is_done, crashes in (
        (None, True, 0),
        (CommitFailedError(), False, 0),
        (KafkaTimeoutError(), False, 1),
    ):
        found, crash = await committing(error)
        assert (found, crash.await_count) == (is_done, crashes)


async def test_nothing_is_committed_before_the_first_assignment() -> None:
    consumer = fake_consumer(None, {})
    consumer._acks = Engine().acks
    assert await consumer.force_commit()
