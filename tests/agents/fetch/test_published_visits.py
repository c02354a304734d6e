"""The visits that fetch publishes, because subscriptions wait for changes to stand."""

from schemas.records.answers import Response
from schemas.records.changes import DocumentChanged
from schemas.records.views import WatchedView
from schemas.records.waiting import DocumentVisited
from tests.fakes.visiting import MINUTE, Worker
from tests.fakes.world import Scene


def patient(scene: Scene, *, patience: int = 0, visits: int = 0) -> Worker:
    view = WatchedView(patience=patience, patience_visits=visits)
    return Worker(scene, watched=(view,))


def kinds(scene: Scene) -> list[str]:
    return [type(fact).__name__ for fact in scene.facts]


async def test_without_patience_an_unchanged_page_publishes_nothing() -> None:
    scene = Scene()
    worker = Worker(scene)
    for slot in range(1, 6):
        await worker.see(slot, "zeus")
    assert scene.published == []


async def test_three_visits_of_each_text_are_published_after_its_change() -> None:
    scene = Scene()
    worker = patient(scene, visits=3)
    for slot in range(1, 6):
        scene.now = slot * MINUTE
        await worker.see(slot, "zeus")
    assert kinds(scene) == ["DocumentVisited"] * 3
    for slot in range(6, 12):
        scene.now = slot * MINUTE
        await worker.see(slot, "hera")
    assert kinds(scene)[3:] == ["DocumentChanged", *["DocumentVisited"] * 3]
    changed, *visits = scene.facts[3:]
    assert isinstance(changed, DocumentChanged)
    assert [visit.slot for visit in visits] == [6 * MINUTE, 7 * MINUTE, 8 * MINUTE]
    assert len({visit.id for visit in visits}) == 3


async def test_a_day_is_over_with_the_first_visit_after_it() -> None:
    scene = Scene()
    worker = patient(scene, patience=3 * 60)
    for slot in range(2, 12):
        scene.now = slot * MINUTE
        await worker.see(slot, "hera")
    visits = [fact.slot for fact in scene.facts if isinstance(fact, DocumentVisited)]
    assert visits == [slot * MINUTE for slot in range(2, 6)]


async def test_a_visit_that_failed_is_none() -> None:
    scene = Scene()
    worker = patient(scene, visits=9)
    await worker.see(1, "zeus")
    await worker.answered(2, Response(500))
    assert kinds(scene) == ["DocumentVisited"]
