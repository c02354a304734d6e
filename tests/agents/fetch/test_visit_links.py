"""What a visit publishes of the links of its page, for crawls."""

from typing import Any

from schemas.records.answers import Response
from schemas.records.crawls import LinksFound
from tests.fakes.visiting import URL, Worker
from tests.fakes.world import Scene

PAGE = "<p>the gods <a href='a'>1</a>"


def found(scene: Scene) -> list[tuple[str, ...]]:
    return [fact.links for fact in scene.facts if isinstance(fact, LinksFound)]


class Visited:
    """A page with an ETag, and its visits; a crawl asks for links since a time."""

    def __init__(self) -> None:
        self.scene = Scene()
        self.worker = Worker(self.scene)
        self.slot = 0

    async def see(self, markup: str, since: int, **more: Any) -> None:
        self.slot += 1
        etag = f'"{hash(markup)}"'
        page = Response(200, markup.encode(), "text/html", etag, **more)
        self.scene.web.pages[URL] = page
        self.worker.links = since
        await self.worker.visit(self.slot)


async def test_links_are_published_if_a_crawl_asks_and_again_when_they_differ() -> None:
    visited = Visited()
    await visited.see(PAGE, 0)
    assert found(visited.scene) == []

    await visited.see(PAGE, 7)
    await visited.see(PAGE, 7)
    await visited.see(f"{PAGE} sleep", 7)
    await visited.see(f"{PAGE}<a href='b'>2</a>", 7)

    base = URL.rpartition("/")[0]
    assert found(visited.scene) == [(f"{base}/a",), (f"{base}/a", f"{base}/b")]


async def test_a_further_crawl_has_the_page_read_once_more_though_it_is_the_same() -> None:
    visited = Visited()
    for since in (7, 7, 8, 8):
        await visited.see(PAGE, since)

    assert len(found(visited.scene)) == 2
    conditions = [etag is not None for _, etag, _ in visited.scene.web.requests]
    assert conditions == [False, True, False, True]


async def test_a_page_that_is_not_believed_says_nothing_of_links() -> None:
    visited = Visited()
    await visited.see(f"{PAGE}{'<p>argus sleeps' * 99}", 7)
    await visited.see("<p>", 7)

    assert len(found(visited.scene)) == 1


async def test_a_page_that_seldom_changes_is_visited_for_its_links_at_once() -> None:
    visited = Visited()
    visited.worker.longest = 24 * 3600
    requests = visited.scene.web.requests
    for _ in range(9):
        await visited.see(PAGE, 7)
    before = len(requests)
    assert before < 9, "visits are left out"

    await visited.see(PAGE, 8)

    assert len(requests) == before + 1
    assert len(found(visited.scene)) == 2
