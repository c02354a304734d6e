"""A page that says nothing is lost to who asks for notices, and its changes are changes."""

import pytest

from schemas.records.answers import Response
from schemas.records.changes import DocumentChanged
from schemas.records.losses import SelectionFound, SelectionLost
from schemas.records.views import View, WatchedView
from streams.agents.fetch.state.lost_views import bare_reason
from tests.fakes.visiting import MINUTE, Worker, stored
from tests.fakes.world import Scene


def kinds(scene: Scene) -> list[type[object]]:
    return [type(fact) for fact in scene.facts]


async def test_an_empty_page_is_lost_at_once_and_found_when_it_says_something() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "")
    (lost,) = scene.facts
    assert isinstance(lost, SelectionLost)
    assert (lost.reason, stored(scene).missing) == ("the page is empty", "the page is empty")
    for slot in (2, 3):
        await worker.see(slot, "")
    assert kinds(scene) == [SelectionLost]
    await worker.see(4, "zeus")
    assert kinds(scene) == [SelectionLost, SelectionFound, DocumentChanged]
    assert (stored(scene).missing, stored(scene).lost) == (None, "")


async def test_a_page_that_stays_bare_in_other_bytes_is_lost_once_since_the_first() -> None:
    scene = Scene()
    worker = Worker(scene)
    began = scene.now
    for slot in (1, 2, 3):
        scene.now += MINUTE
        await worker.see(slot, " " * slot)
    assert kinds(scene) == [SelectionLost]
    assert stored(scene).missing_since == began + MINUTE


async def test_a_page_that_was_emptied_has_changed_and_is_lost_when_that_is_believed() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    await worker.see(2, "")
    assert kinds(scene) == []
    await worker.see(3, "")
    assert sorted(map(str, kinds(scene))) == sorted(map(str, [DocumentChanged, SelectionLost]))


async def test_visits_of_an_empty_page_are_published_for_who_waits_for_them() -> None:
    scene = Scene()
    waiting = WatchedView(patience_visits=2)
    worker = Worker(scene, watched=(waiting,))
    await worker.see(1, "")
    await worker.see(2, "")
    names = [each.__name__ for each in kinds(scene)]
    assert names.count("DocumentVisited") == 2


async def test_a_page_of_which_all_is_left_out_is_not_bare() -> None:
    scene = Scene()
    worker = Worker(scene, watched=(WatchedView(view=View(ignore=("zeus",))),))
    await worker.answered(1, Response(200, b"", "text/plain"))
    assert scene.facts == []


@pytest.mark.parametrize(
    ("body", "text", "reason"),
    [
        (b" \n", "", "the page is empty"),
        (b"<div id=app></div>", "", "the page shows no text"),
        (b"<script>window.location.href = '/new'</script>", "", "only leads to another"),
        (b"<script>location.replace('/new')</script>Wait", "Wait", "only leads to another"),
        (b"<meta http-equiv='refresh' content='10; url=/new'>Wait", "Wait", "only leads"),
        (
            b"<meta http-equiv='refresh' content='60; url=/'>all systems work",
            "all systems work",
            "",
        ),
        (b"<meta http-equiv='refresh' content='10'>all systems work", "all systems work", ""),
        (b"<a onclick=\"location='/new'\">Argus</a>", "Argus", ""),
        (b"<script>location = '/new'</script>" + b"word " * 500, "word " * 500, ""),
        (b"", "read by a plug-in", ""),
    ],
)
def test_a_page_is_bare_if_it_says_nothing(body: bytes, text: str, reason: str) -> None:
    found = bare_reason(body, text)
    assert reason in found if found else not reason
