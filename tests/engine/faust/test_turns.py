"""What a consumer has fetched at once is begun while the rest of it is still read."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from faust.types import TP

from streams.app import MATCH
from streams.engine.faust.consumer import PatchedConsumer
from tests.fakes.engine import INPUT, tick
from tests.fakes.parts import fake_parts


async def test_after_so_many_messages_the_loop_has_its_turn() -> None:
    taken = 0
    seen: list[int] = []

    class Flow:
        async def take(self, message: Any) -> None:
            nonlocal taken
            taken += 1
            # What an event asks for begins in the loop's next turn.
            asyncio.get_running_loop().call_soon(lambda: seen.append(taken))

    async def messages(timeout: float) -> AsyncIterator[tuple[TP, Any]]:  # noqa: ASYNC109 - Faust names it so
        for offset in range(7):
            yield TP(*INPUT), tick(offset)

    consumer: Any = object.__new__(PatchedConsumer)
    consumer.flow, consumer.getmany = Flow(), messages
    consumer.parts = fake_parts(agent=replace(MATCH, messages_per_yield=3))
    consumer._read_offset, consumer._beat_s = {}, 0.5
    await consumer._drain_some()
    await asyncio.sleep(0)
    assert seen == [3, 3, 3, 6, 6, 6, 7]
