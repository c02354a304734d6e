"""The snapshots of a store in memory, with the compare-and-set of the real ones."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from schemas.documents import Document, Unpublished

Step = Callable[[str], Awaitable[None]]


async def nothing_happens(step: str) -> None:
    """Let every step pass."""


class MemorySnapshots:
    """``steps`` names every access; ``step`` is called before and after each and may raise."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.steps: list[str] = []
        self.checks: list[tuple[str, str, int]] = []
        self.step: Step = nothing_happens

    async def document(self, url: str) -> Document | None:
        await self._enter("document")
        found = self.documents.get(url)
        await self.step("document done")
        return found

    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        await self._enter("compare_and_set")
        stored = self.documents.get(document.url)
        matches = (stored.version if stored else 0) == expected_version
        if matches:
            self.documents[document.url] = document
        await self.step("compare_and_set done")
        return matches

    async def clear_unpublished(self, url: str, version: int) -> bool:
        await self._enter("clear_unpublished")
        stored = self.documents.get(url)
        matches = stored is not None and stored.version == version and bool(stored.unpublished)
        if stored is not None and matches:
            self.documents[url] = replace(stored, unpublished=())
        await self.step("clear_unpublished done")
        return matches

    async def unpublished(self) -> list[Unpublished]:
        await self._enter("unpublished")
        stored = sorted(self.documents.values(), key=lambda document: document.url)
        return [Unpublished(d.url, d.version, d.unpublished) for d in stored if d.unpublished]

    async def forget(self, url: str, watch: str) -> None:
        await self._enter("forget")
        stored = self.documents.get(url)
        if stored is not None and stored.watch == watch:
            del self.documents[url]

    async def record_checks(self, checks: Sequence[tuple[str, str, int]]) -> None:
        await self._enter("record_checks")
        self.checks += checks

    async def _enter(self, step: str) -> None:
        self.steps.append(step)
        await self.step(step)
