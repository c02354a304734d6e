"""One visit reads the page in several views: one request, and each view by itself."""

import pytest

from schemas.records.answers import Response
from schemas.records.changes import DocumentChanged
from schemas.records.failures import DocumentUnreachable
from schemas.records.fetches import Due
from schemas.records.subscriptions import Options
from streams.agents.fetch.visit import visit
from tests.fakes.views import views, views_of
from tests.fakes.visiting import MINUTE, URL, Worker, stored
from tests.fakes.world import Scene

PLAIN, HTML = "text/plain", "text/html"
REFUSED = "image/png"
"""A content type that the reader of these tests does not read."""


def watching(*content_types: str | None) -> tuple[Scene, Worker]:
    """A worker that reads a page as these content types; without any, in the default view."""
    scene = Scene()
    return scene, Worker(scene, content_types=content_types or (None,))


async def test_all_views_are_read_from_one_request() -> None:
    scene, worker = watching(None, PLAIN, HTML)
    for slot, text in enumerate(("zeus", "hera"), 1):
        await worker.see(slot, text)
    assert len(scene.web.requests) == 2
    assert {fact.view for fact in scene.facts} == {view.id for view in views(None, PLAIN, HTML)}
    assert len({fact.id for fact in scene.facts}) == 3
    assert [fact.content_type for fact in scene.facts if fact.view] != [PLAIN, PLAIN]


async def test_a_reading_that_fails_counts_against_its_own_view() -> None:
    scene = Scene(max_failures=3)
    worker = Worker(scene, content_types=(None, REFUSED))
    for slot, text in enumerate(("zeus", "zeus", "hera"), 1):
        await worker.see(slot, text)
    assert [type(fact) for fact in scene.facts] == [DocumentChanged, DocumentUnreachable]
    (refused,) = views(REFUSED)
    assert [fact.view for fact in scene.facts] == ["", refused.id]
    assert (stored(scene).failures, stored(scene, REFUSED).failures) == (0, 3)


async def test_a_fetch_that_fails_counts_against_every_view() -> None:
    scene, worker = watching(None, PLAIN)
    await worker.answered(1, Response(500))
    assert (stored(scene).failures, stored(scene, PLAIN).failures) == (1, 1)
    assert len(scene.web.requests) == 1


async def test_a_new_view_gets_a_baseline_and_takes_no_change_from_the_others() -> None:
    scene, worker = watching()
    scene.web.put(URL, "zeus", etag='"1"')
    await worker.visit(1)
    worker.content_types = (None, PLAIN)
    await worker.visit(2)
    assert scene.web.requests[1] == (URL, None, None), "a 304 would have no page for it"
    assert (stored(scene, PLAIN).text, scene.published) == ("zeus", [])
    await worker.visit(3)
    assert scene.web.requests[2] == (URL, '"1"', None), "both have seen this one"
    await worker.see(4, "hera")
    assert len(scene.facts) == 2


async def test_views_that_saw_different_pages_last_are_asked_for_without_validators() -> None:
    scene, worker = watching(None, REFUSED)
    scene.web.put(URL, "zeus", etag='"1"')
    for slot in (1, 2):
        await worker.visit(slot)
    assert [etag for _, etag, _ in scene.web.requests] == [None, None]
    assert stored(scene, REFUSED).failures == 2


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_view_that_nobody_has_any_more_is_forgotten(is_known: bool) -> None:
    scene, worker = watching(None, PLAIN)
    await worker.see(1, "zeus")
    worker.content_types = (None,)
    worker.cached = worker.cached if is_known else None
    await worker.visit(2)
    assert list(scene.store.documents) == [URL]
    worker.content_types = (None, PLAIN)
    await worker.see(3, "hera")
    assert [fact.view for fact in scene.facts] == [""], "it begins with a baseline"


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_command_that_is_read_again_forgets_no_view_that_came_into_use_since(
    is_known: bool,
) -> None:
    scene, worker = watching()
    await worker.see(1, "zeus")
    worker.content_types = (None, PLAIN)
    await worker.see(3, "zeus")
    worker.content_types, before = (None,), dict(scene.store.documents)
    worker.cached = worker.cached if is_known else None
    await worker.visit(2)
    assert scene.store.documents == before
    worker.content_types = (None, PLAIN)
    for slot in (4, 5):
        await worker.see(slot, "hera")
    assert len({fact.id for fact in scene.facts}) == 2


async def test_a_crash_between_two_views_leaves_the_other_to_the_next_worker() -> None:
    scene = Scene()
    types = (None, PLAIN)
    await Worker(scene, content_types=types).see(1, "zeus")
    writes = 0

    async def dies(step: str) -> None:
        nonlocal writes
        writes += step == "compare_and_set"
        if writes == 2:
            raise ConnectionError

    scene.store.step, quiet = dies, scene.store.step
    with pytest.raises(ConnectionError):
        await Worker(scene, content_types=types).see(2, "hera")
    scene.store.step = quiet
    await Worker(scene, content_types=types).visit(2)
    assert sorted(fact.view for fact in scene.facts) == [view.id for view in views(*types)]
    assert len(scene.web.requests) == 3


async def test_a_server_that_asks_for_time_gets_it_for_all_views() -> None:
    scene, worker = watching()
    await worker.answered(1, Response(429, retry_after=120))
    worker.content_types = (None, PLAIN)
    await worker.see(2, "zeus")
    assert len(scene.web.requests) == 1
    scene.now += 120_000
    await worker.see(3, "zeus")
    assert len(scene.web.requests) == 2


async def test_a_status_that_a_view_takes_for_content_is_its_page_and_a_failure_of_others() -> None:
    scene = Scene()
    here, found = views_of(Options(), Options(on_status=(404,)))
    cached = None
    answers = [
        Response(404, b"no such page", "text/plain"),
        Response(200, b"the page", "text/plain", '"1"'),
        Response(404, b"no such page", "text/plain"),
        Response(500, b"error", "text/plain"),
    ]
    for slot, answer in enumerate(answers, 1):
        scene.web.pages[URL] = answer
        due = Due(URL, "w", slot * MINUTE, (here, found))
        cached, _ = await visit(scene.effects(), due, cached)
    assert [(fact.view, region_texts(fact)) for fact in scene.facts] == [
        (found.id, ("no such page", "the page")),
        (found.id, ("the page", "no such page")),
    ]
    failures = {state.view: state.failures for state in cached or ()}
    assert failures == {here.id: 2, found.id: 1}


def region_texts(change: DocumentChanged) -> tuple[str, str]:
    """The whole texts before and after: they are short, so the region has all of them."""
    (region,) = change.regions
    sides = [each.text for each in (region.removed, region.added) if each]
    return sides[0], sides[1]
