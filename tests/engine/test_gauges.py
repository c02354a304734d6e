"""What a scrape reports of a worker's partitions and memory."""

from collections.abc import Callable
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry

from connectors.metrics.counters import DEAD_LETTER, HANDLED, RETRIED, AgentMetrics
from connectors.metrics.gauges import Gauges
from streams.engine.acks.watchdog import Position
from streams.engine.gauges import AgentGauges
from streams.engine.runners.ordered import OrderedRunner
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from tests.fakes.engine import INPUT, OTHER, Agent, Engine, Message, tick

PLACE = {"agent": "test", "topic": "in", "partition": "0"}

POOL = partial(PoolRunner, throttle=Throttle(1000))


class Scraped:
    """An agent with its metrics, at a time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.registry, self.agent = CollectorRegistry(), Agent()
        self.engine = Engine(count=partial(AgentMetrics(self.registry).event, "test"))
        sized: Any = type("Table", (), {"size": 4096})()
        self.gauges = AgentGauges(
            self.engine.acks, {"rows": sized}, lambda: {"watches": 3}, lambda: self.now
        )
        gauges = Gauges()
        gauges.add("test", self.gauges.values)
        self.registry.register(gauges)

    def value(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(name, {"agent": "test", **labels})

    def age(self) -> float | None:
        return self.value("vokter_commit_age_seconds", **PLACE)

    def look(self, now: float, committed: int, behind: int) -> None:
        self.now = now
        self.gauges.note(now, {INPUT: Position(committed, behind), OTHER: Position(0, 1)})

    def events(self, outcome: str) -> float | None:
        return self.value("vokter_events_total", topic="in", outcome=outcome)


async def scraped(kind: Callable[..., OrderedRunner | PoolRunner]) -> Scraped:
    found = Scraped()
    engine = found.engine
    engine.use(kind(found.agent, *engine.parts))
    await engine.begin()
    return found


async def test_lag_and_age_of_a_commit_are_those_of_the_last_look() -> None:
    seen = await scraped(OrderedRunner)
    seen.look(10, committed=5, behind=3)
    seen.look(20, committed=5, behind=4)
    seen.now = 25
    assert (seen.value("vokter_lag_messages", **PLACE), seen.age()) == (4, 15)
    seen.look(30, committed=6, behind=4)
    assert seen.age() == 0
    seen.look(40, committed=6, behind=0)
    seen.now = 99
    assert (seen.value("vokter_lag_messages", **PLACE), seen.age()) == (0, 0)


async def test_partitions_that_are_not_ours_or_of_a_changelog_are_not_reported() -> None:
    seen = await scraped(OrderedRunner)
    seen.look(10, committed=5, behind=3)
    assert seen.value("vokter_lag_messages", agent="test", topic="other", partition="0") is None
    seen.gauges.note(20, {})
    assert seen.value("vokter_lag_messages", **PLACE) is None


async def test_what_is_in_memory_on_the_disk_and_in_flight_is_looked_up() -> None:
    seen = await scraped(POOL)
    assert seen.value("vokter_memory_entries", kind="watches") == 3
    assert seen.value("vokter_table_bytes", table="rows") == 4096
    seen.engine.durable.gate.clear()
    await seen.engine.flow.take(tick(0))
    assert seen.value("vokter_in_flight_messages") == 1
    seen.engine.durable.gate.set()
    await seen.engine.settle()
    assert seen.value("vokter_in_flight_messages") == 0


async def test_each_event_counts_once_by_how_it_ended() -> None:
    for kind in (OrderedRunner, POOL):
        seen = await scraped(kind)
        seen.agent.poison.add(1)
        for offset in range(2):
            await seen.engine.flow.take(tick(offset))
        await seen.engine.flow.take(Message(2, b"rubbish"))
        await seen.engine.settle()
        assert (seen.events(HANDLED), seen.events(DEAD_LETTER)) == (1, 2)


async def test_a_retried_event_counts_as_often_as_it_is_retried(monkeypatch: Any) -> None:
    async def at_once(_: float) -> None:
        return

    seen = await scraped(POOL)
    monkeypatch.setattr("streams.engine.runners.pool.asyncio.sleep", at_once)
    seen.agent.broken[0] = 2
    await seen.engine.flow.take(tick(0))
    await seen.engine.settle()
    assert (seen.events(RETRIED), seen.events(HANDLED)) == (2, 1)


def test_agents_of_one_process_have_one_family_of_each_gauge() -> None:
    registry, gauges = CollectorRegistry(), Gauges()
    registry.register(gauges)
    for agent, watches in (("ticker", 3), ("match", 4)):
        sizes = partial(dict[str, int], watches=watches)
        gauges.add(agent, AgentGauges(Engine().acks, {}, sizes).values)
    families = [family for family in registry.collect() if family.name == "vokter_memory_entries"]
    assert [
        [(sample.labels["agent"], sample.value) for sample in family.samples] for family in families
    ] == [[("ticker", 3), ("match", 4)]]
