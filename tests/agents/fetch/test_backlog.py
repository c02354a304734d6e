"""A host of which more is asked than it can serve holds up no page of another one."""

import asyncio
from typing import Any

import pytest
from aiokafka import TopicPartition

from connectors.registry.codec import Codec
from schemas.codec import wire
from schemas.records.fetches import Due, FetchDue
from schemas.records.topics import FETCHES
from streams.agents.fetch import agent as agents
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.visit import VisitResult
from streams.app import FETCH
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.capacity import Capacity
from streams.engine.acks.flow import Flow
from streams.engine.runners.handling import Handling
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from tests.fakes.engine import Engine, Message, uncounted
from tests.fakes.world import Scene
from tests.harness.waiting import TIMEOUT_S

BUSY, HEALTHY = "crawled.test", "healthy.test"


@pytest.mark.parametrize("hosts", [1, 6])
async def test_what_waits_for_busy_hosts_stands_before_no_other_page(
    hosts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many more commands than a worker has in hand, each for a page of a host that hangs."""
    monkeypatch.setattr(agents, "BUSY_HOST_TIMEOUT_S", 3600)
    commands = [
        *(f"http://{n % hosts}.{BUSY}/{n}" for n in range(3 * FETCH.max_in_flight)),
        f"http://{HEALTHY}/",
    ]
    visited = asyncio.Event()

    async def visiting(_: Effects, due: Due, known: Any) -> VisitResult:
        if HEALTHY in due.url:
            visited.set()
        else:
            await asyncio.Event().wait()
        return VisitResult((), 0.0)

    engine, place = Engine(), TopicPartition("x.fetches", 0)
    log: Any = engine
    acks = Acknowledgements(
        {place.topic: FETCHES}, log, engine.loop_watch, Capacity(FETCH.max_in_flight)
    )
    engine.process.add(acks, engine.commit)
    handling = Handling("fetch", acks, engine.process, uncounted, ())
    processor = FetchProcessor(Scene().effects(), lambda _: 0, visiting)
    runner = PoolRunner(processor, engine.writer, handling, throttle=Throttle(FETCH.max_in_flight))
    flow = Flow(acks, Codec(), runner, engine.process, engine.commit)
    engine.loop_watch.beat()
    engine.loop_watch.membership.begin(engine.now)
    await flow.load({place: 0})
    acks.open({place: 0}, {})

    async def takes_all() -> None:
        for offset, url in enumerate(commands):
            value = wire.encode(FetchDue((Due(url, "w", 60_000),)))
            await flow.take(Message(offset, value, tp=place))

    taking = asyncio.create_task(takes_all())
    async with asyncio.timeout(TIMEOUT_S):
        await visited.wait()
    taking.cancel()
    await flow.close(0)
