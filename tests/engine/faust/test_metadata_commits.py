"""Each commit has the note of what is in hand at that moment."""

import asyncio

from aiokafka.structs import OffsetAndMetadata

from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.faust.metadata_commits import MetadataCommits, Offsets
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from tests.fakes.engine import INPUT, Agent, Engine, take


async def begun() -> tuple[Engine, Agent, MetadataCommits]:
    engine, agent = Engine(), Agent()
    engine.use(PoolRunner(agent, *engine.parts, Throttle(1000)))
    await engine.begin()
    return engine, agent, MetadataCommits(engine.acks)


async def test_a_commit_names_what_is_in_hand_and_is_no_news_after_it() -> None:
    engine, agent, commits = await begun()
    agent.gates[1] = asyncio.Event()
    await take(engine, 0, 1)
    committed: list[Offsets] = []

    async def commit(offsets: Offsets) -> None:
        committed.append(offsets)

    assert commits.is_news(INPUT)
    await commits.commit(commit, {INPUT: OffsetAndMetadata(1, "")})
    (found,) = committed
    assert found[INPUT].offset == 1
    assert CommitMetadata.decoded(found[INPUT].metadata) == CommitMetadata(in_hand=(1,), since=0)
    assert not commits.is_news(INPUT)
    agent.gates[1].set()
    await engine.settle()
    assert commits.is_news(INPUT)
    commits.begin()
    assert commits.is_news(INPUT)


async def test_a_commit_that_waited_for_another_says_what_is_done_by_then() -> None:
    engine, _, commits = await begun()
    gate, committed = asyncio.Event(), list[int]()

    async def commit(offsets: Offsets) -> None:
        await gate.wait()
        committed.append(offsets[INPUT].offset)

    async with asyncio.TaskGroup() as both:
        for _ in range(2):
            both.create_task(commits.commit(commit, {INPUT: OffsetAndMetadata(0, "")}))
        await asyncio.sleep(0)
        await take(engine, 0, 1, 2)
        await engine.settle()
        gate.set()
    assert committed == [0, 3]


async def test_what_was_let_go_has_an_empty_note() -> None:
    engine, _, commits = await begun()
    await take(engine, 0)
    await engine.settle()
    await engine.flow.close(1)
    committed: list[Offsets] = []

    async def commit(offsets: Offsets) -> None:
        committed.append(offsets)

    await commits.commit(commit, {INPUT: OffsetAndMetadata(0, "")})
    assert committed == [{INPUT: OffsetAndMetadata(1, "")}]


async def test_notes_are_written_no_more_once_all_is_done_and_committed() -> None:
    engine, agent, commits = await begun()
    assert commits.are_due, "the note of the new owner"
    commits.settle()
    assert not commits.are_due
    agent.gates[1] = asyncio.Event()
    await take(engine, 0, 1)
    assert commits.are_due
    commits.settle()
    assert commits.are_due, "an event is in hand"
    agent.gates[1].set()
    await engine.settle()
    assert commits.are_due, "it is done"
    commits.settle()
    assert not commits.are_due
    commits.begin()
    assert commits.are_due, "of the next assignment nothing is committed"
