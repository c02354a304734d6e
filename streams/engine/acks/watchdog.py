"""End a process if its committed offset stands still while messages wait for it.

Faust has faults of this kind: a commit that never ends, a fetcher that takes nothing
more. Its own view of itself looks well then, so the broker is asked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

import structlog
from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from connectors.kafka.standstill import StandstillClock
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.life.loop_watch import ending_on_error

log = structlog.get_logger()

LIMIT_S = 120.0
"""Longer than any event takes that is not being retried."""
INTERVAL_S = 10.0
MESSAGE_TIMEOUT_S = 5.0
"""Seconds that the broker may take to show a message that exists."""


@dataclass(frozen=True, slots=True)
class Position:
    """The progress of a partition: its ``committed`` offset, and the number of messages after it.

    ``signs`` counts signs of life besides commits: each retry of an event, for a store
    that is away is waited for, however long that takes, by all partitions; each part of a
    long event; and each event of the topic that goes first, for others wait until all of
    them are done.
    """

    committed: int
    lag: int
    signs: int = 0


Observe = Callable[[float, Mapping[TopicPartition, Position]], None]
"""Takes the time (monotonic, s) and the positions of then."""
End = Callable[[str], Awaitable[None]]
"""Ends the process, for a reason."""


class BrokerPositions:
    """Asks the broker, on its own connections, and believes none of Faust's accounting.

    Raises KafkaError or OSError.
    """

    def __init__(
        self,
        admin: AIOKafkaAdminClient,
        group: str,
        acks: Acknowledgements,
        recovered: Callable[[], Mapping[TopicPartition, int | None]],
    ) -> None:
        """``admin`` is started. ``recovered`` returns how far each changelog is, in a recovery."""
        self._admin = admin
        self._group = group
        self._acks = acks
        self._recovered = recovered
        self._done: dict[TopicPartition, int] = {}
        """The committed offsets that the broker has reported; they do not go back."""

    async def positions(self) -> Mapping[TopicPartition, Position]:
        """Return the position of each input partition.

        During a recovery it is the changelogs that must go on. While the agent's memory
        is built from the tables nothing is watched, for that takes as long as it takes.
        """
        if self._acks.capacity.is_open:
            return await self._committed(list(self._acks.ledgers))
        return {tp: Position(offset or 0, lag=1) for tp, offset in self._recovered().items()}

    async def has_message(self, tp: TopicPartition) -> bool:
        """Whether a message waits; a transaction's end is an offset without one."""
        committed = (await self._committed([tp]))[tp].committed
        try:
            async with asyncio.timeout(MESSAGE_TIMEOUT_S):
                await self._acks.log_reader.first_from(tp.topic, tp.partition, committed)
        except TimeoutError:
            return False
        return True

    async def _committed(self, tps: Sequence[TopicPartition]) -> dict[TopicPartition, Position]:
        ends = await self._acks.log_reader.ends(tps)
        # At rest nothing is asked but the ends: all before them was done already.
        if any(self._done.get(tp) != end for tp, end in ends.items()):
            known = await self._admin.list_consumer_group_offsets(self._group)
            bounds = await self._acks.log_reader.all_bounds(tps)
            # What retention deleted before it was read cannot be committed any more.
            self._done = {
                tp: max(first, known[tp].offset if tp in known else 0)
                for tp, (first, _) in bounds.items()
            }
        return {
            tp: Position(
                self._done[tp], max(0, end - self._done[tp]), self._acks.signs[tp.partition]
            )
            for tp, end in ends.items()
        }


def stalled(
    clock: StandstillClock,
    now: float,
    positions: Mapping[TopicPartition, Position],
    limit: float,
) -> dict[TopicPartition, float]:
    """Return for how long (s) each partition has stood still, if for longer than a limit (s).

    Partitions that have no position now start from zero when they are back.
    """
    clock.note(
        now, {tp: ((each.committed, each.signs), each.lag) for tp, each in positions.items()}
    )
    return {partition: age for partition, age in clock.ages(now).items() if age > limit}


async def watch(broker: BrokerPositions, observe: Observe, end: End) -> None:
    """Look up positions until cancelled; ``end`` the process if a partition is stalled.

    ``observe`` gets what each look found. A broker that does not answer is no stall, and
    all counts start from zero then.
    """
    clock = StandstillClock()
    with ending_on_error("the watchdog stopped"):
        while True:
            # Sleep first: right after the start nothing can have stalled.
            await asyncio.sleep(INTERVAL_S)
            try:
                positions = await broker.positions()
                observe(monotonic(), positions)
                stalls = stalled(clock, monotonic(), positions, LIMIT_S)
                for tp, age in stalls.items():
                    # The lag may be a transaction's end, an offset without a message to handle.
                    if await broker.has_message(tp):
                        where = f"{tp.topic}/{tp.partition}"
                        await end(f"nothing was done for {age:.0f} s on {where}")
            except (KafkaError, OSError) as error:
                log.warning("the broker does not say how far this is", error=repr(error))
                clock.note(monotonic(), {})
