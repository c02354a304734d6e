"""The timer of an agent: it ticks once for each second of the clock."""

import asyncio
from collections.abc import Collection

import pytest

from streams.engine.runners.ordered import OrderedRunner
from streams.engine.timer import Timer
from streams.values.outcome import Outcome
from tests.fakes.engine import Agent, Engine

Ticks = asyncio.Queue[tuple[list[int], int]]


async def begun() -> Engine:
    engine = Engine()
    engine.use(OrderedRunner(Agent(), *engine.parts))
    await engine.begin()
    return engine


async def test_a_loop_that_wakes_up_early_ticks_the_second_that_it_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    early = iter([100.999, 100.999, 100.9996])
    ticks: Ticks = asyncio.Queue()
    monkeypatch.setattr("streams.engine.timer.time", lambda: next(early, 101.5))

    async def tick(partitions: Collection[int], now: int) -> Collection[int]:
        ticks.put_nowait((list(partitions), now))
        return partitions

    engine = await begun()
    running = asyncio.create_task(Timer(engine.acks, engine.process, tick, 1.0).run())
    assert await ticks.get() == ([0], 101_000)
    running.cancel()
    await engine.flow.close(1)


async def test_it_says_since_when_it_has_not_decided_for_a_partition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(100, 1000))
    decides: list[Collection[int]] = [(), (0,), ()]
    ticks: Ticks = asyncio.Queue()
    monkeypatch.setattr("streams.engine.timer.time", lambda: next(clock))

    async def tick(partitions: Collection[int], now: int) -> Collection[int]:
        ticks.put_nowait((list(partitions), now))
        if not decides:
            await asyncio.Event().wait()
        return decides.pop(0)

    engine = await begun()
    timer = Timer(engine.acks, engine.process, tick, 0.001)
    assert timer.oldest_s is None
    running = asyncio.create_task(timer.run())
    (_, first), (_, second), _, _ = [await ticks.get() for _ in range(4)]
    assert timer.oldest_s == second / 1000 > first / 1000
    running.cancel()
    await engine.flow.close(1)


async def test_while_another_worker_may_own_the_partitions_nothing_ticks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks: Ticks = asyncio.Queue()

    async def tick(partitions: Collection[int], now: int) -> Collection[int]:
        ticks.put_nowait((list(partitions), now))
        return partitions

    engine = await begun()
    membership = engine.loop_watch.membership
    waits = asyncio.Event()

    async def may_decide() -> None:
        waits.set()
        await answered.wait()

    answered = asyncio.Event()
    monkeypatch.setattr(membership, "may_decide", may_decide)
    running = asyncio.create_task(Timer(engine.acks, engine.process, tick, 0.001).run())
    await waits.wait()
    assert ticks.empty()
    answered.set()
    assert (await ticks.get())[0] == [0]
    running.cancel()
    await engine.flow.close(1)


async def test_a_timer_that_cannot_decide_ends_the_process_and_blames_no_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: asyncio.Future[tuple[str, BaseException]] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(
        "streams.engine.acks.process_agents.end_process",
        lambda reason, error: ended.set_result((reason, error)),
    )

    def fails(partition: int, now: int) -> Outcome:
        raise ValueError("no such watch")

    engine, agent = Engine(), Agent()
    vars(agent)["tick"] = fails
    runner = OrderedRunner(agent, *engine.parts)
    engine.use(runner)
    await engine.begin()
    running = asyncio.create_task(Timer(engine.acks, engine.process, runner.tick, 0.001).run())
    reason, error = await ended
    assert (reason, str(error)) == (
        "the timer stopped",
        "the timer could not decide for partition 0",
    )
    assert isinstance(error.__cause__, ValueError)
    assert engine.acks.poison_messages._has_let_go, "no event in hand is to blame"
    await running
    await engine.flow.close(1)
