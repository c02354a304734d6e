"""What a consumer has fetched at once is begun while the rest of it is still read."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

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


async def test_what_comes_meanwhile_waits_for_a_share_of_very_many_messages() -> None:
    flow, many = Flow(), [tick(offset) for offset in range(2 * SHARE + 50)]
    consumer = fake_consumer(flow, {TP(*INPUT): many})
    await consumer._drain_some()
    assert flow.taken == many[:SHARE]
    assert TP(*INPUT) in consumer._left, "nothing more is read of it meanwhile"
    change = Message(0, b"", tp=OTHER)
    fetched: list[dict[TP, list[Any]]] = [{TP(*OTHER): [change]}, {}]
    for news in fetched:
        consumer._wait_next_records.return_value = news, None
        await consumer._drain_some()
    assert flow.taken.index(change) <= SHARE + 2
    assert [each for each in flow.taken if each is not change] == many
    assert not consumer._left


async def test_what_was_left_before_a_rebalance_is_not_taken_after_it() -> None:
    flow, many = Flow(), [tick(offset) for offset in range(2 * SHARE)]
    consumer = fake_consumer(flow, {TP(*INPUT): many})
    await consumer._drain_some()
    consumer.app.consumer_generation_id = 2
    consumer._wait_next_records.return_value = {TP(*INPUT): many[:3]}, None
    await consumer._drain_some()
    assert flow.taken == many[:SHARE] + many[:3]


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
