"""fetch: reads documents and publishes what has changed in them.

Partitioned by host; one request per host at a time.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from schemas.facts import Due, FetchDue, Forget
from schemas.urls import host
from streams.core.outcome import Event, Lookup, Outcome, Owned
from streams.core.schedule.due import TICK
from streams.fetch.at_hand import AtHand
from streams.fetch.hosts import Hosts
from streams.fetch.visit import Known, World, publish, visit

__all__ = ["FetchStage", "Visiting", "World"]

Visiting = Callable[[World, Due, Known | None], Awaitable[Known | None]]

PATIENCE = 10.0
"""Seconds after which a URL whose host is not free counts as handled."""
HOSTS_AT_ONCE = 1000
"""So many that hosts which let us wait, each for as long as a fetch may take, leave room."""


class FetchStage:
    """The stage; ``partition_of`` gives the partition of a host."""

    def __init__(
        self, world: World, partition_of: Callable[[str], int], visiting: Visiting = visit
    ) -> None:
        """Take the effects of a fetch; ``visiting`` is ``visit``, or does it and more."""
        self._world = world
        self._visiting = visiting
        self._partition_of = partition_of
        self._at_hand = AtHand()
        self._hosts: Hosts[Due | Forget] = Hosts(self._work, HOSTS_AT_ONCE, world.pause, self.early)
        self._checks: dict[str, tuple[str, str, int]] = {}

    def key(self, event: Event) -> str | None:
        """No order is needed among commands: hosts have lines of their own."""
        return None

    def sizes(self) -> dict[str, int]:
        """Count what is in memory."""
        return {"due": len(self._hosts), "documents": len(self._at_hand)}

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Begin with empty hands, for another worker may have written since.

        What the last owner stored and could not publish any more is published.
        """
        self._at_hand.clear()
        owned = {partition.number for partition in partitions}
        for left in await self._world.store.unpublished():
            if self._partition_of(host(left.url)) in owned:
                await publish(self._world, left.url, left.version, left.records)

    def released(self) -> None:
        """Stop all visits: their partitions are no longer ours."""
        self._hosts.clear()

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Fetch all that is due, or forget a document."""
        fact = event.fact
        works = fact.due if isinstance(fact, FetchDue) else (fact,)
        # A fetch that is left waiting comes again at its next slot, a Forget never does.
        forgets = isinstance(fact, Forget)
        add = self._hosts.add
        visits = [add(host(work.url), work.url, work, first=forgets) for work in works]
        await self._hosts.wait(visits, None if forgets else PATIENCE)
        return Outcome()

    def early(self, work: Due | Forget) -> float:
        """Give the seconds until work is due, none where more than a tick: this clock is behind."""
        ahead = 0 if isinstance(work, Forget) else work.slot - self._world.clock()
        return ahead / 1000 if 0 < ahead <= TICK else 0.0

    async def _work(self, work: Due | Forget) -> None:
        if isinstance(work, Forget):
            self._at_hand.keep(work.url, None)
            await self._world.store.forget(work.url, work.watch)
            return
        kept = None
        try:
            kept = await self._visiting(self._world, work, self._at_hand.get(work.url))
        finally:  # after an error or in the midst of a visit it is the store that knows
            self._at_hand.keep(work.url, kept)
        self._checks[work.url] = (work.url, work.watch, self._world.clock())

    async def note_checks(self, seconds: float) -> None:
        """Note in the store now and then when documents were looked at last, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            checks, self._checks = list(self._checks.values()), {}
            with suppress(OSError):  # only a listing would have shown these times
                await self._world.store.record_checks(checks)
