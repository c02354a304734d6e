"""End a process if its committed offset stands still while messages wait for it.

Faust has faults of this kind: a commit that never ends, a fetcher that takes nothing
more. Its own view of itself looks well then, so the broker is asked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import monotonic

import structlog
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from connectors.kafka.standstill import StandstillClock
from streams.engine.life.loop_watch import ending_on_error

log = structlog.get_logger()

LIMIT_S = 120.0
"""Longer than any event takes that is not being retried."""
INTERVAL_S = 10.0


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


FindPositions = Callable[[], Awaitable[Mapping[TopicPartition, Position]]]
"""Looks up how far each partition is that is watched now; may raise KafkaError or OSError."""
HasMessage = Callable[[TopicPartition], Awaitable[bool]]
"""Whether there really is a message after the committed offset; may raise the same errors."""
Observe = Callable[[float, Mapping[TopicPartition, Position]], None]
"""Takes the time (monotonic, s) and the positions of then."""

End = Callable[[str], Awaitable[None]]
"""Ends the process, for a reason."""


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


async def watch(
    find_positions: FindPositions, has_message: HasMessage, observe: Observe, end: End
) -> None:
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
                positions = await find_positions()
                observe(monotonic(), positions)
                stalls = stalled(clock, monotonic(), positions, LIMIT_S)
                for partition, age in stalls.items():
                    # The lag may be a transaction's end, an offset without a message to handle.
                    if await has_message(partition):
                        where = f"{partition.topic}/{partition.partition}"
                        await end(f"nothing was done for {age:.0f} s on {where}")
            except (KafkaError, OSError) as error:
                log.warning("the broker does not say how far this is", error=repr(error))
                clock.note(monotonic(), {})
