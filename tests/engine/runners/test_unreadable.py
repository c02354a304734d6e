"""What several agents read and none can is one dead letter."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from streams.engine.acks.decoding import FatalEvent
from streams.engine.runners.batched import BatchedRunner
from streams.engine.runners.ordered import OrderedRunner
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from streams.values.outcome import Event
from tests.fakes.engine import INPUT, TOPIC, Agent, Engine, Message


@pytest.mark.parametrize(
    "runner", [partial(PoolRunner, throttle=Throttle(1)), OrderedRunner, BatchedRunner]
)
@pytest.mark.parametrize(("elsewhere", "letters"), [((), 1), ((TOPIC.name,), 0)])
async def test_only_the_agent_that_reports_a_topic_makes_a_dead_letter(
    runner: Callable[..., Any], elsewhere: tuple[str, ...], letters: int
) -> None:
    engine = Engine(reported_elsewhere=elsewhere)
    agent = Agent()
    vars(agent)["most_events"] = 1
    engine.use(runner(agent, *engine.parts))
    await engine.begin()
    await engine.flow.take(Message(0, b"rubbish"))
    await engine.settle()
    assert [send.topic for send in engine.durable.sends] == ["dead-letters"] * letters
    assert engine.acks.committable() == {INPUT: 1}


def test_what_ended_a_process_is_reported_by_the_agent_in_which_it_did() -> None:
    engine = Engine(reported_elsewhere=(TOPIC.name,))
    event = Event(TOPIC.name, 0, 0, 0, None, b"", (), None)
    fatal = FatalEvent("the worker ended 2 times while this event was in hand")
    (letter,) = engine.handling.unreadable(event, fatal).sends
    assert letter.topic == "dead-letters"
