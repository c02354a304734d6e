"""The progress of the agents, by the broker's view of their groups and topics."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.groups import all_partitions, describe_group, lag_of

WINDOW_S = 60.0
"""Seconds of measurement for the throughput, or fewer after a start."""
STALE_S = 300.0
"""Seconds after which a measurement is too old."""
LEAST_SPAN_S = 1.0
MOST_NOTED = 100
TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class AgentProgress:
    """The progress of an agent: workers, their partitions, and the waiting messages.

    ``lag`` counts the messages after the committed offsets, by topic without its prefix.
    """

    state: str
    workers: int
    held: int
    partitions: int
    lag: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PipelineProgress:
    """The progress of all agents, and the messages a second on each topic.

    ``rates`` is empty until there are two measurements to compare.
    """

    agents: Mapping[str, AgentProgress]
    rates: Mapping[str, float]


class Throughput:
    """Computes messages a second from the ends of topics, noted again and again.

    >>> throughput = Throughput()
    >>> throughput.note(0.0, {"changes": 100}), throughput.note(10.0, {"changes": 150})
    ({}, {'changes': 5.0})
    """

    def __init__(self) -> None:
        """Begin without a measurement."""
        self._noted: deque[tuple[float, Mapping[str, int]]] = deque(maxlen=MOST_NOTED)

    def note(self, now: float, ends: Mapping[str, int]) -> dict[str, float]:
        """Note the ends at a time (s), and return the throughput up to now."""
        noted = self._noted
        if noted and now - noted[-1][0] > STALE_S:
            noted.clear()
        while len(noted) > 1 and noted[1][0] <= now - WINDOW_S:
            noted.popleft()
        begun, before = noted[0] if noted else (now, ends)
        noted.append((now, ends))
        if (seconds := now - begun) < LEAST_SPAN_S:
            return {}
        # A topic that was created again ends earlier than before.
        return {name: max(0, end - before.get(name, end)) / seconds for name, end in ends.items()}


class PipelineMeter:
    """Measures all agents with a few requests to the broker."""

    def __init__(
        self,
        admin: AIOKafkaAdminClient,
        consumer: AIOKafkaConsumer,
        groups: Mapping[str, tuple[str, Sequence[str]]],
        partitions: int,
        prefix: str,
        clock: Callable[[], float],
    ) -> None:
        """``groups`` has the consumer group of each agent, and the full names of its topics.

        ``clock`` is monotonic, in seconds.
        """
        self._admin = admin
        self._consumer = consumer
        self._groups = groups
        self._partitions = partitions
        self._prefix = prefix
        self._clock = clock
        self._throughput = Throughput()

    async def measure(self) -> PipelineProgress:
        """Ask the broker; raises KafkaError, or OSError after a timeout."""
        topics = sorted({topic for _, reads in self._groups.values() for topic in reads})
        places = all_partitions(topics, self._partitions)
        async with asyncio.timeout(TIMEOUT_S):
            groups = await asyncio.gather(
                *(describe_group(self._admin, name) for name, _ in self._groups.values())
            )
            begins = await self._consumer.beginning_offsets(places)
            ends = await self._consumer.end_offsets(places)
        agents = {}
        for (agent, (_, reads)), group in zip(self._groups.items(), groups, strict=True):
            mine = {place: end for place, end in ends.items() if place.topic in reads}
            lag: Counter[str] = Counter()
            for place, waiting in lag_of(begins, mine, group.committed).items():
                lag[place.topic.removeprefix(self._prefix)] += waiting
            held = len(group.held & mine.keys())
            agents[agent] = AgentProgress(group.state.lower(), group.members, held, len(mine), lag)
        totals: Counter[str] = Counter()
        for place, end in ends.items():
            totals[place.topic.removeprefix(self._prefix)] += end
        return PipelineProgress(agents, self._throughput.note(self._clock(), totals))
