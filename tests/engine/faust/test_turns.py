"""What a consumer has fetched at once is begun while the rest of it is still read."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from faust.types import TP

from streams.app import MATCH
from streams.engine.faust.consumer import SHARE
from tests.fakes.engine import INPUT, OTHER, Message, tick
from tests.fakes.parts import fake_consumer


class Flow:
    """Counts the messages that it takes, and calls ``on_take`` at each."""

    def __init__(self, on_take: Callable[[], object] = bool) -> None:
        self.taken: list[Any] = []
        self.on_take = on_take

    async def take(self, message: Any) -> None:
        self.taken.append(message)
        self.on_take()


SEVEN = [tick(offset) for offset in range(7)]


async def test_after_so_many_messages_the_loop_has_its_turn() -> None:
    seen: list[int] = []
    # What an event asks for begins in the loop's next turn.
    flow = Flow(lambda: asyncio.get_running_loop().call_soon(lambda: seen.append(len(flow.taken))))
    agent = replace(MATCH, messages_per_yield=3)
    consumer = fake_consumer(flow, {TP(*INPUT): SEVEN}, agent=agent)
    await consumer._drain_some()
    await asyncio.sleep(0)
    assert seen == [3, 3, 3, 6, 6, 6, 7]
    assert consumer._read_offset == {INPUT: 6}


async def test_topics_take_turns() -> None:
    flow = Flow()
    others = [Message(offset, b"", tp=OTHER) for offset in range(2)]
    await fake_consumer(flow, {TP(*INPUT): SEVEN, TP(*OTHER): others})._drain_some()
    assert flow.taken[:4] == [SEVEN[0], others[0], SEVEN[1], others[1]]
    assert len(flow.taken) == 9


@pytest.mark.parametrize(("came", "is_more_likely"), [(SHARE, True), (SHARE - 1, False)])
async def test_a_whole_share_says_that_there_may_be_more(came: int, is_more_likely: bool) -> None:
    few, several = [Message(0, b"", tp=OTHER)], [tick(offset) for offset in range(came)]
    consumer = fake_consumer(Flow(), {TP(*OTHER): few, TP(*INPUT): several})
    assert await consumer._drain_some() is is_more_likely


async def test_nothing_is_taken_of_what_was_fetched_before_a_rebalance() -> None:
    def rebalance() -> None:
        if len(flow.taken) == 2:
            consumer.app.consumer_generation_id = 2

    flow = Flow(rebalance)
    consumer = fake_consumer(flow, {TP(*INPUT): SEVEN})
    await consumer._drain_some()
    assert flow.taken == SEVEN[:2]


async def test_nothing_is_taken_while_the_flow_is_suspended() -> None:
    flow = Flow()
    consumer = fake_consumer(flow, {TP(*INPUT): SEVEN})
    consumer.flow_active = False
    await consumer._drain_some()
    assert flow.taken == []
