"""The timer of an agent: it ticks for each partition, at whole seconds of the clock."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from itertools import chain
from time import time

from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.process_agents import ProcessAgents
from streams.values.outcome import Publish, Send

Tick = Callable[[Collection[int], int], Awaitable[Collection[int]]]
"""Lets an agent decide for partitions at a time (epoch ms); returns those that it decided for."""


class Timer:
    """Ticks for the partitions of an agent, and notes when it did so last."""

    def __init__(
        self, acks: Acknowledgements, process: ProcessAgents, tick: Tick, every_s: float
    ) -> None:
        """Call ``tick`` for the partitions in which ``acks`` let the timer decide."""
        self._every_s = every_s
        self._acks = acks
        self._process = process
        self._tick = tick
        self._decided: dict[int, int] = {}

    @property
    def oldest_s(self) -> float | None:
        """The time (epoch s) of the last decision for the partition that waits longest.

        A partition that has just been assigned waits since then. None without partitions.
        """
        return min(self._decided.values()) / 1000 if self._decided else None

    async def run(self) -> None:
        """Tick until cancelled; any error ends the process."""
        async with self._process.ending(self._acks, "the timer stopped"):
            while True:
                # At whole multiples in the clock, however long the last round took.
                due = (time() // self._every_s + 1) * self._every_s
                await asyncio.sleep(due - time())
                # Another worker may soon own our partitions, and decide in our place.
                await self._acks.membership.may_decide()
                # A loop may wake up a little early, which would still be the second before: its
                # tick is past already, and that of this second would come a second late.
                now = int(max(due, time()) * 1000)
                decided = await self._tick(self._acks.timed, now)
                self._decided = {
                    partition: now if partition in decided else self._decided.get(partition, now)
                    for partition in self._acks.partitions
                }


def sending(timer: Callable[[int, int], Iterable[Send]], publish: Publish) -> Tick:
    """Return a tick that publishes what a timer yields for a partition at a time (epoch ms)."""

    async def tick(partitions: Collection[int], now: int) -> Collection[int]:
        await publish(chain.from_iterable(timer(partition, now) for partition in partitions))
        return partitions

    return tick
