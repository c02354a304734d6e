"""The snapshots of a store in memory, with the compare-and-set of the real ones."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from schemas.records.documents import Document, PageWait, Unpublished

Step = Callable[[str], Awaitable[None]]


async def nothing_happens(step: str) -> None:
    """Let every step pass."""


class MemorySnapshots:
    """``steps`` names every access; ``step`` is called before and after each and may raise."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        """By URL; in a view that is not the default one, by URL and view."""
        self.steps: list[str] = []
        self.checks: list[tuple[str, str, int]] = []
        self.waits: dict[str, PageWait] = {}
        self.step: Step = nothing_happens

    async def slots(self, url: str, watch: str) -> dict[str, int]:
        await self._enter("slots")
        every = self.documents.values()
        return {each.view: each.slot for each in every if (each.url, each.watch) == (url, watch)}

    async def document(self, url: str, view: str = "") -> Document | None:
        await self._enter("document")
        found = self.documents.get(stored_under(url, view))
        await self.step("document done")
        return found

    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        await self._enter("compare_and_set")
        key = stored_under(document.url, document.view)
        stored = self.documents.get(key)
        matches = (stored.version if stored else 0) == expected_version
        if matches:
            self.documents[key] = document
        await self.step("compare_and_set done")
        return matches

    async def clear_unpublished(self, url: str, version: int, view: str = "") -> None:
        await self._enter("clear_unpublished")
        key = stored_under(url, view)
        stored = self.documents.get(key)
        if stored is not None and stored.version == version:
            self.documents[key] = replace(stored, unpublished=())
        await self.step("clear_unpublished done")

    async def unpublished(self) -> list[Unpublished]:
        await self._enter("unpublished")
        stored = sorted(self.documents.values(), key=lambda document: (document.url, document.view))
        return [
            Unpublished(d.url, d.version, d.unpublished, d.view) for d in stored if d.unpublished
        ]

    async def forget(
        self, url: str, watch: str, view: str | None = None, before: int | None = None
    ) -> None:
        await self._enter("forget")
        for key, stored in list(self.documents.items()):
            is_asked = view in (None, stored.view) and (before is None or stored.slot < before)
            if (stored.url, stored.watch) == (url, watch) and is_asked:
                del self.documents[key]

    async def record_checks(self, checks: Sequence[tuple[str, str, int]]) -> None:
        await self._enter("record_checks")
        self.checks += checks
        for url, _, _ in checks:
            self.waits.pop(url, None)

    async def record_waits(self, begun: Sequence[PageWait], ended: Sequence[str]) -> None:
        await self._enter("record_waits")
        self.waits = {url: wait for url, wait in self.waits.items() if url not in ended}
        for wait in begun:
            known = self.waits.get(wait.url, wait)
            self.waits[wait.url] = replace(wait, since=min(wait.since, known.since))

    async def _enter(self, step: str) -> None:
        self.steps.append(step)
        await self.step(step)


def stored_under(url: str, view: str) -> str:
    return f"{url} {view}".rstrip()
