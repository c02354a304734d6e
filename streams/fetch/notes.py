"""What listings show of fetches: when each was, and what a page that is due waits for."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from schemas.documents import PageWait
from schemas.fetches import Due
from streams.fetch.effects import Snapshots


class FetchNotes:
    """Notes that are written to the store together, every so often."""

    def __init__(self, snapshots: Snapshots, clock: Callable[[], int]) -> None:
        """``clock`` returns epoch ms."""
        self._snapshots = snapshots
        self._clock = clock
        self._checks: dict[str, tuple[str, str, int]] = {}
        self._begun: dict[str, PageWait] = {}
        self._ended: set[str] = set()
        self._waiting: set[str] = set()

    def fetched(self, due: Due) -> None:
        """Note that a page was fetched now, and waits no longer."""
        self._checks[due.url] = (due.url, due.watch, self._clock())
        self._begun.pop(due.url, None)
        self._waiting.discard(due.url)

    def waits(self, due: Due, seconds: float, reason: str) -> None:
        """Note that a page has been waiting for so long, and for what."""
        since = self._clock() - round(seconds * 1000)
        self._begun[due.url] = PageWait(due.url, due.watch, since, reason)
        self._ended.discard(due.url)
        self._waiting.add(due.url)

    def left(self, url: str) -> None:
        """Note that a page waits no longer, though it was not fetched."""
        self._begun.pop(url, None)
        if url in self._waiting:
            self._waiting.discard(url)
            self._ended.add(url)

    def clear(self) -> None:
        """Forget what is not written yet: another worker notes it now."""
        for each in (self._checks, self._begun, self._ended, self._waiting):
            each.clear()

    async def write(self, seconds: float) -> None:
        """Write what was noted to the store every so often, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            checks, begun, ended = self._checks, self._begun, self._ended
            self._checks, self._begun, self._ended = {}, {}, set()
            with suppress(OSError):  # only a listing would have shown it
                await self._snapshots.record_checks(list(checks.values()))
                if begun or ended:
                    await self._snapshots.record_waits(list(begun.values()), list(ended))
