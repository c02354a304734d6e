"""Pictures that come with pages: what is kept of them, and what a change says of them."""

from collections.abc import Sequence

import pytest

from schemas.codec import wire
from schemas.records.answers import Response
from schemas.records.changes import DocumentChanged
from schemas.records.fetches import Due
from streams.agents.fetch import reading_views
from streams.agents.fetch.examining import Work
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.visit import visit
from tests.diff.test_picture_changes import jpeg
from tests.fakes.views import views
from tests.fakes.visiting import MINUTE, URL
from tests.fakes.world import Outcomes, Scene

WHITE, BLACK = jpeg(), jpeg(black=(0, 0, 100, 100))


async def see(scene: Scene, *pages: tuple[str, bytes | None]) -> None:
    """Visit a page that has these texts and pictures, one after another."""
    cached = None
    for text, picture in pages:
        scene.now += MINUTE
        scene.web.pages[URL] = Response(200, text.encode(), "text/plain", picture=picture)
        cached, _ = await visit(scene.effects(), Due(URL, "w", scene.now), cached)


def changes(scene: Scene) -> list[int | None]:
    """What the changes that were published say of their pictures."""
    records = [wire.decode(record, DocumentChanged) for _, _, record in scene.published]
    return [each.picture_change for each in records]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [(WHITE, BLACK, 10_000), (WHITE, WHITE, 0), (WHITE, None, None), (None, BLACK, None)],
)
async def test_a_change_of_the_text_says_how_much_of_the_picture_has_changed(
    before: bytes | None, after: bytes | None, said: int | None
) -> None:
    scene = Scene()
    await see(scene, ("zeus", before), ("hera", after))
    assert changes(scene) == [said]
    (stored,) = scene.store.documents.values()
    assert (stored.picture, stored.earlier_picture) == (after, before)


async def test_a_picture_that_changes_alone_is_no_change() -> None:
    scene = Scene()
    await see(scene, ("zeus", WHITE), ("zeus", BLACK), ("zeus ", WHITE))
    assert changes(scene) == []


async def test_a_picture_that_cannot_be_read_does_not_keep_the_change_back() -> None:
    scene = Scene()
    await see(scene, ("zeus", b"no picture"), ("hera", WHITE))
    assert changes(scene) == [None]


async def test_views_with_large_pictures_are_read_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_views, "MAX_LOADED", 4 * len(WHITE) - 1)
    scene, calls = Scene(), []
    effects = scene.effects()

    async def counted(works: Sequence[Work], fetched: FetchedPage) -> Outcomes:
        calls.append(len(works))
        return await scene._examine(works, fetched)

    object.__setattr__(effects, "examine", counted)
    due, cached = views(*(f"text/{number}" for number in range(8))), None
    for slot, text in enumerate(("zeus", "hera"), 1):
        calls.clear()
        scene.web.pages[URL] = Response(200, text.encode(), "text/plain", picture=WHITE)
        cached, _ = await visit(effects, Due(URL, "w", slot * MINUTE, due), cached)
    assert calls == [3, 3, 2]
