"""A fetch worker that visits one document."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from schemas.records.answers import Response
from schemas.records.documents import Document
from schemas.records.fetches import Due
from schemas.records.views import WatchedView
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.visit import visit
from tests.fakes.regions import sentences
from tests.fakes.snapshots import stored_under
from tests.fakes.views import views
from tests.fakes.world import Scene

URL = "http://d.test/"
MINUTE = 60_000


@dataclass
class Worker:
    """Visits one document slot by slot, and caches what each visit returns."""

    scene: Scene
    cached: Sequence[CachedState] | None = None
    watch: str = "w"
    content_types: tuple[str | None, ...] = (None,)
    interval: int | None = 60
    longest: int | None = None
    """The longest interval (s), if the page has a pace."""
    watched: tuple[WatchedView, ...] = ()
    """Its views, if they have more to them than content types."""
    links: int = 0
    """Since when a crawl has asked for links."""

    async def visit(self, slot: float) -> None:
        chosen = self.watched or views(*self.content_types)
        read = tuple(replace(each, links=self.links) for each in chosen)
        due = Due(
            URL,
            self.watch,
            int(slot * MINUTE),
            read,
            interval=self.interval,
            max_interval=self.longest,
        )
        cached, self.cached = self.cached, None
        self.cached, _ = await visit(self.scene.effects(), due, cached)

    async def see(self, slot: float, text: str) -> None:
        self.scene.web.put(URL, text)
        await self.visit(slot)

    async def answered(self, slot: int, answer: Response | Exception) -> None:
        self.scene.web.pages[URL] = answer
        await self.visit(slot)


def changes(scene: Scene) -> list[tuple[str, str]]:
    """The texts before and after each published change, its first copy only."""
    first = {fact.id: fact for fact in scene.facts}
    return [sentences(region) for fact in first.values() for region in fact.regions]


def stored(scene: Scene, content_type: str | None = None) -> Document:
    (view,) = views(content_type)
    return scene.store.documents[stored_under(URL, view.id)]
