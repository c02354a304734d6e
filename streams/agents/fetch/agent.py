"""The agent itself: takes commands, keeps the queues of hosts and the cache of documents.

Partitioned by host; one request per host at a time.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from schemas.records.fetches import Due, Forget
from schemas.records.urls import host
from streams.agents.fetch.cache import CachedState, DocumentCache
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.host_queues import HostQueues
from streams.agents.fetch.notes import FetchNotes
from streams.agents.fetch.part_visits import PartVisits
from streams.agents.fetch.postponed import Postponed
from streams.agents.fetch.publishing import publish_records
from streams.agents.fetch.visit import VisitResult, visit
from streams.values.outcome import Event, Lookup, Outcome, Owned
from streams.values.slots import FURTHEST_MS

Visiting = Callable[[Effects, Due, Sequence[CachedState] | None], Awaitable[VisitResult]]

BUSY_HOST_TIMEOUT_S = 10.0
"""Seconds after which a URL counts as handled if its host is busy."""
HOSTS_AT_ONCE = 1000
"""Enough to leave room for others while many hosts use up the whole timeout of a fetch."""


class FetchProcessor:
    """The agent; ``partition_of`` computes the partition of a host."""

    def __init__(
        self,
        effects: Effects,
        partition_of: Callable[[str], int],
        visiting: Visiting = visit,
        hosts_at_once: int = HOSTS_AT_ONCE,
    ) -> None:
        """Use these effects; ``visiting`` is ``visit``, or wraps it."""
        self._effects = effects
        self._visiting = visiting
        self._partition_of = partition_of
        self._cache = DocumentCache()
        self.queues: HostQueues[Due] = HostQueues(
            self._work, hosts_at_once, effects.pause, self.seconds_until_due
        )
        self._forgetting: dict[str, asyncio.Event] = {}
        self.notes = FetchNotes(effects.snapshots, effects.clock)
        self._parts = PartVisits(self.queues, self.notes.left)

    def key(self, event: Event) -> str | None:
        """Let commands run in any order: each host has a queue."""
        return None

    def sizes(self) -> dict[str, int]:
        """Count what is in memory."""
        return {"due": len(self.queues), "documents": len(self._cache)}

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Start with an empty cache, since another worker may have written to the store.

        Publishes what the previous owner stored but did not publish.
        """
        # A stale ETag would hide that a page was changed and changed back meanwhile.
        self._cache.clear()
        owned = {partition.number for partition in partitions}
        self._effects.budgets.partitions = len(owned)
        for left in await self._effects.snapshots.unpublished():
            if self._partition_of(host(left.url)) in owned:
                await publish_records(self._effects, left)

    def released(self) -> None:
        """Stop all visits: their partitions belong to another worker now."""
        self.queues.clear()
        self._parts.clear()
        self._effects.budgets.clear()
        self.notes.clear()

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Fetch everything that is due, or forget a document."""
        if isinstance(event.fact, Forget):
            await self._forget(event.fact)
        else:
            visits = [each for due in event.fact.due for each in self._parts.add(due)]
            for visit in await self.queues.wait(visits, BUSY_HOST_TIMEOUT_S):
                if (wait := self.queues.wait_of(visit)) is not None:
                    self.notes.waits(visit.work, *wait)
        return Outcome()

    async def _forget(self, command: Forget) -> None:
        """Forget a page at once: its host is asked for nothing, and its turn may be far off."""
        url = command.url
        while url in self._forgetting:
            await self._forgotten(url)
        forgotten = self._forgetting[url] = asyncio.Event()
        try:
            await self._parts.drop(url, command.watch)
            self.notes.forgotten(url)
            self._cache.put(url, None)
            self._effects.budgets.ask(url, host(url), None)
            await self._effects.snapshots.forget(url, command.watch)
        finally:
            del self._forgetting[url]
            forgotten.set()

    async def _forgotten(self, url: str) -> None:
        """Wait until a page is forgotten that is being forgotten now."""
        if (forgotten := self._forgetting.get(url)) is not None:
            await forgotten.wait()

    def seconds_until_due(self, due: Due) -> float:
        """Compute the seconds until work is due; 0 if it is more than a tick with its lead.

        The ticker commands nothing that far ahead, so it is this clock that is behind.
        """
        ahead = due.slot - self._effects.clock()
        return ahead / 1000 if 0 < ahead <= FURTHEST_MS else 0.0

    async def _work(self, due: Due) -> float | None:
        """Visit a page for a request part; returns the seconds that its host took, or None.

        Request parts of one URL have one host, so their visits never overlap: what is cached of the
        page in other views is still so when this visit ends.
        """
        # Once: the next Forget waits for this visit.
        await self._forgotten(due.url)
        try:
            states, seconds = await self._visiting(self._effects, due, self._cache.get(due.url))
        except Postponed as error:
            self._cache.put(due.url, error.states)
            self.notes.waits(due, 0.0, str(error))
            raise
        except BaseException:  # after an error, or when cancelled, only the store knows the states
            self._cache.put(due.url, None)
            raise
        self._cache.put(due.url, states)
        if seconds is None:  # the page was left alone
            self.notes.left(due)
        else:
            self.notes.fetched(due)
        return seconds
