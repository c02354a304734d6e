"""Notes of fetches for listings: the time of each, and the reason for which a due page waits."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from schemas.records.documents import PageWait
from schemas.records.fetches import Due
from streams.agents.fetch.effects import Snapshots
from streams.agents.fetch.request_parts import part_key


class FetchNotes:
    """Notes that are written to the store together, every so often.

    A page waits as long as one of its request parts does: that it was fetched in another way
    meanwhile is no end of that.
    """

    def __init__(self, snapshots: Snapshots, clock: Callable[[], int]) -> None:
        """``clock`` returns epoch ms."""
        self._snapshots = snapshots
        self._clock = clock
        self._checks: dict[str, tuple[str, str, int]] = {}
        self._waits: dict[str, dict[str, PageWait]] = {}
        """The waits, by URL and request part."""
        self._changed: set[str] = set()
        """URLs of which something else waits than was written."""

    def fetched(self, due: Due) -> None:
        """Note that a page was fetched now, and waits no longer."""
        self._checks[due.url] = (due.url, due.watch, self._clock())
        if due.url in self._waits:
            self._changed.add(due.url)
            self.left(due)

    def waits(self, due: Due, seconds: float, reason: str) -> None:
        """Note that a page has been waiting for so long, and for what."""
        since = self._clock() - round(seconds * 1000)
        wait = PageWait(due.url, due.watch, since, reason)
        self._waits.setdefault(due.url, {})[part_key(due)] = wait
        self._changed.add(due.url)

    def left(self, due: Due) -> None:
        """Note that a page waits no longer, though it was not fetched."""
        waits = self._waits.get(due.url, {})
        if waits.pop(part_key(due), None) is not None:
            self._changed.add(due.url)
        if not waits:
            self._waits.pop(due.url, None)

    def forgotten(self, url: str) -> None:
        """Note that a page waits no longer, in whichever way it is got."""
        if self._waits.pop(url, None) is not None:
            self._changed.add(url)

    def clear(self) -> None:
        """Forget what is not written yet: another worker notes it now."""
        self._checks.clear()
        self._waits.clear()
        self._changed.clear()

    async def write(self, seconds: float) -> None:
        """Write what was noted to the store every so often, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            checks, changed = self._checks, self._changed
            self._checks, self._changed = {}, set()
            waits = [self._waits[url].values() for url in changed if url in self._waits]
            begun = [min(each, key=lambda wait: wait.since) for each in waits]
            ended = [url for url in changed if url not in self._waits]
            with suppress(OSError):  # only a listing would have shown it
                await self._snapshots.record_checks(list(checks.values()))
                if begun or ended:
                    await self._snapshots.record_waits(begun, ended)
