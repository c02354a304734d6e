"""A page that is read by a reader of which there are several versions."""

from collections.abc import Sequence
from dataclasses import replace

from schemas.records.answers import Reading
from schemas.records.views import View
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.examining import Read, Work, examine
from streams.agents.fetch.fetched_page import FetchedPage
from tests.fakes.world import Outcomes, Scene


def reader(version: int) -> Read:
    """A reader of which the later versions read what the first one does not."""

    def read(
        body: bytes, header: str | None, views: Sequence[View], _: str
    ) -> Sequence[Reading | Exception]:
        text = body.decode() + f"\n\nread by {version}" * (version > 1)
        return [Reading(text, header or "text/plain", reader=f"plain {version}") for _ in views]

    return read


class Upgraded(Scene):
    """A scene with a reader that gets other versions."""

    def __init__(self, keep_bodies: int = 0) -> None:
        super().__init__()
        self.version = 1
        self.keep_bodies = keep_bodies

    def effects(self) -> Effects:
        own = f"plain {self.version}"
        return replace(
            super().effects(),
            is_outdated=lambda name: name not in ("", own),
            keep_bodies=self.keep_bodies,
        )

    async def _examine(self, works: Sequence[Work], fetched: FetchedPage) -> Outcomes:
        return examine(reader(self.version), works, fetched)
