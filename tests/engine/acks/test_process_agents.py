"""A message that ends a process makes no dead letter of what other agents in it have in hand."""

import asyncio

import pytest
from aiokafka import TopicPartition

from streams.app import AGENTS
from streams.engine.acks import process_agents
from streams.engine.acks.poison_messages import ALONE_AFTER
from streams.engine.acks.process_agents import ProcessAgents
from tests.fakes.crashing import Group, Life, group_of
from tests.fakes.engine import INPUT, Engine

MESSAGES = 3
REASON = "the worker ended 3 times while this event was in hand"
FATAL = TopicPartition("x.changes", 1), 1
SLOW = TopicPartition("x.notifications", 0), 1
"""It is at work whenever the process ends, and is handled in the end."""


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_agents, "LOOK_EVERY_S", 0)


class TwoAgents:
    """Match and deliver in one process, again and again until it goes on."""

    def __init__(self) -> None:
        self.match, self.deliver = group_of(AGENTS["match"], MESSAGES), deliver_group()
        self.ends = 0

    async def live(self, *, is_slow: bool) -> bool:
        """Run a process; returns True if match has ended it."""
        process = ProcessAgents()
        match = Life(self.match, fatal=[FATAL], process=process)
        deliver = Life(self.deliver, slow=[SLOW] if is_slow else (), process=process)
        lives = match, deliver
        for life in lives:
            await life.begin()
        for _ in range(1000):
            await asyncio.sleep(0)
            if match.agent.died.is_set():
                break
        has_ended = match.agent.died.is_set()
        for life in lives:
            life.note_letters()
            if has_ended:
                life.kill()
            else:
                await life.stop()
        self.ends += has_ended
        return has_ended


def deliver_group() -> Group:
    return group_of(AGENTS["deliver"], MESSAGES)


async def test_what_another_agent_has_in_hand_at_each_end_is_not_given_up() -> None:
    agents = TwoAgents()
    # Slow as a receiver may be, which is no fault; after two ends it waits for the other.
    while await agents.live(is_slow=agents.ends <= ALONE_AFTER):
        assert agents.ends <= 5
    assert agents.match.given_up() == [("changes", 1, REASON)]
    assert agents.deliver.given_up() == []
    assert {at for at, _ in agents.deliver.committed.values()} == {MESSAGES}


class OneAgent:
    """The acknowledgements of an agent that is open, and how often it has committed."""

    def __init__(self, process: ProcessAgents) -> None:
        self.acks = Engine().acks
        self.acks.open({INPUT: 0}, {})
        self.commits = 0
        process.add(self.acks, self._commit)

    async def _commit(self) -> bool:
        self.commits += 1
        return True

    @property
    def signs(self) -> int:
        return self.acks.signs[0]

    @property
    def has_let_go(self) -> bool:
        """Whether it has committed that nothing in hand is to blame."""
        return self.commits == 1 and self.acks.metadata(INPUT) == ""


@pytest.fixture
def agents() -> tuple[ProcessAgents, OneAgent, OneAgent]:
    process = ProcessAgents()
    return process, OneAgent(process), OneAgent(process)


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_who_is_alone_waits_for_what_others_have_in_hand_and_shows_life_meanwhile(
    agents: tuple[ProcessAgents, OneAgent, OneAgent],
) -> None:
    process, ours, other = agents
    other.acks.capacity.enter(0)
    begun = asyncio.Event()

    async def alone() -> None:
        async with process.alone(ours.acks):
            begun.set()

    waiting = asyncio.create_task(alone())
    await turns()
    assert not begun.is_set()
    assert ours.signs > 1
    other.acks.capacity.leave(0)
    await waiting
    assert begun.is_set()


async def test_others_begin_nothing_meanwhile_and_show_life(
    agents: tuple[ProcessAgents, OneAgent, OneAgent],
) -> None:
    process, ours, other = agents
    async with process.alone(ours.acks):
        await process.turn(ours.acks)
        waiting = asyncio.create_task(process.turn(other.acks))
        await turns()
        assert not waiting.done()
        assert other.signs > 1
    await waiting


async def test_only_one_at_a_time_is_alone(
    agents: tuple[ProcessAgents, OneAgent, OneAgent],
) -> None:
    process, ours, other = agents
    third = OneAgent(process)
    inside: list[OneAgent] = []

    async def alone(agent: OneAgent) -> None:
        async with process.alone(agent.acks):
            inside.append(agent)
            await turns()
            assert inside.pop() is agent
            assert not inside

    await asyncio.gather(*(alone(agent) for agent in (ours, other, third)))


async def test_an_agent_that_is_closed_waits_for_nobody(
    agents: tuple[ProcessAgents, OneAgent, OneAgent],
) -> None:
    process, ours, other = agents
    other.acks.capacity.enter(0)
    waiting = asyncio.create_task(process.alone(ours.acks).__aenter__())
    await turns()
    ours.acks.capacity.close()
    await waiting


async def test_an_end_with_a_cause_outside_is_the_fault_of_no_agent(
    agents: tuple[ProcessAgents, OneAgent, OneAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, ours, other = agents
    closed, ended = OneAgent(process), list[str]()
    monkeypatch.setattr(process_agents, "end_process", ended.append)
    for agent in (closed, ours):
        agent.acks.capacity.close()
    await process.end(ours.acks, "why", is_blameless=True)
    assert [agent.has_let_go for agent in (ours, other, closed)] == [True, True, False]
    assert ended == ["why"]
