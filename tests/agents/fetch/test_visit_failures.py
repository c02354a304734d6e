"""Visits that fail, and servers that are left alone for a while."""

import pytest

from schemas.records.answers import Response
from schemas.records.failures import DocumentUnreachable
from streams.agents.fetch.state import snapshots
from tests.fakes.visiting import URL, Worker, changes, stored
from tests.fakes.world import FetchFailed, Scene


async def test_ten_failures_in_a_row_end_the_watch_once() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    for slot in range(2, 11):
        await worker.answered(slot, Response(500))
        assert scene.published == []
    await worker.answered(11, FetchFailed("no answer"))
    (fact,) = scene.facts
    assert isinstance(fact, DocumentUnreachable)
    assert (fact.url, fact.watch, fact.reason) == (URL, "w", "no answer")
    await worker.visit(11)
    assert len(scene.published) == 1


async def test_a_document_that_was_never_read_ends_its_watch_too() -> None:
    scene = Scene(max_failures=3)
    worker = Worker(scene)
    for slot, body in enumerate((b"unreadable",) * 3, 1):
        await worker.answered(slot, Response(200, body))
    assert [type(fact) for fact in scene.facts] == [DocumentUnreachable]


@pytest.mark.parametrize("etag", [None, '"1"'])
async def test_one_success_resets_the_count_of_failures(etag: str | None) -> None:
    scene = Scene(max_failures=3)
    worker = Worker(scene)
    good = Response(200, b"zeus", "text/plain", etag)
    for slot, answer in enumerate([good, *[Response(404)] * 2, good, *[Response(404)] * 2], 1):
        await worker.answered(slot, answer)
    assert scene.published == []
    assert stored(scene).failures == 2
    assert stored(scene).last_error == "HTTP 404"
    await worker.answered(7, good)
    assert (stored(scene).failures, stored(scene).last_error) == (0, None)


async def test_failures_are_counted_once_a_slot_and_over_restarts() -> None:
    scene = Scene()
    for slot in (1, 1, 2, 2):
        await Worker(scene).answered(slot, Response(500))
    assert stored(scene).failures == 2


async def test_a_failure_keeps_the_last_snapshot_to_compare_with() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    await worker.answered(2, Response(500))
    await worker.see(3, "hera")
    assert changes(scene) == [("zeus", "hera")]


async def test_a_part_of_a_page_is_a_failure_and_no_change() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus and hera")
    await worker.answered(2, Response(206, b"zeus", "text/plain"))
    assert stored(scene).last_error == "HTTP 206 (a part of the page)"
    await worker.see(3, "zeus and hera")
    assert changes(scene) == []


async def test_a_304_without_a_condition_is_a_failure() -> None:
    scene = Scene()
    worker = Worker(scene)
    for slot in (1, 2):
        await worker.answered(slot, Response(304))
    assert stored(scene).failures == 2


async def test_a_page_that_stays_fresh_is_left_alone_as_long() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.answered(1, Response(200, b"zeus", max_age=60))
    scene.now += 59_999
    await worker.see(2, "hera")
    assert len(scene.web.requests) == 1
    scene.now += 1
    await worker.visit(3)
    assert len(scene.web.requests) == 2
    assert changes(scene) == [("zeus", "hera")]


POSTPONED = [Response(429, retry_after=120), Response(503, retry_after=120)]


@pytest.mark.parametrize("answer", POSTPONED)
@pytest.mark.parametrize("is_known", [True, False])
async def test_a_server_that_asks_for_time_is_left_alone_that_long(
    answer: Response, is_known: bool
) -> None:
    scene = Scene(max_failures=1)
    worker = Worker(scene)
    if is_known:
        await worker.see(1, "zeus")
    before = dict(scene.store.documents)
    await worker.answered(2, answer)
    asked = len(scene.web.requests)
    scene.now += 119_999
    await worker.visit(3)
    assert (len(scene.web.requests), scene.published) == (asked, [])
    assert scene.store.documents == before
    scene.now += 1
    await worker.see(4, "hera")
    assert len(scene.web.requests) == asked + 1
    assert changes(scene) == ([("zeus", "hera")] if is_known else [])


async def test_too_many_requests_is_no_failure_even_without_a_time() -> None:
    scene = Scene(max_failures=1)
    await Worker(scene).answered(1, Response(429))
    assert scene.published == []
    assert scene.store.documents == {}


async def test_unavailable_without_a_time_is_a_failure() -> None:
    scene = Scene()
    await Worker(scene).answered(1, Response(503))
    assert stored(scene).failures == 1


async def test_a_text_too_large_for_a_message_is_a_failure() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    await worker.see(2, "é" * (snapshots.MAX_TEXT // 2 + 1))
    assert (stored(scene).text, stored(scene).failures) == ("zeus", 1)


async def failing_slots(scene: Scene, slots: range) -> list[int]:
    """The slots at which a page that answers 500 is requested; the worker restarts each time."""
    found = []
    for slot in slots:
        before = len(scene.web.requests)
        await Worker(scene).answered(slot, Response(500))
        found += [slot] * (len(scene.web.requests) - before)
    return found


async def test_a_failing_page_is_requested_ever_later_over_restarts() -> None:
    scene = Scene(backoff=2)
    assert await failing_slots(scene, range(1, 65)) == [1, 3, 7, 15, 31, 63]
    assert stored(scene).failures == 6


async def test_after_a_success_a_page_is_requested_at_its_interval_again() -> None:
    scene = Scene(backoff=2)
    await failing_slots(scene, range(1, 8))
    worker = Worker(scene)
    for slot in range(8, 18):
        await worker.see(slot, "zeus")
    assert stored(scene).failures == 0
    assert await failing_slots(scene, range(18, 22)) == [18, 20]


async def test_a_resumed_watch_does_not_wait_for_what_failed_before() -> None:
    scene = Scene(backoff=2)
    await failing_slots(scene, range(1, 8))
    before = len(scene.web.requests)
    await Worker(scene, interval=None).visit(8)
    assert len(scene.web.requests) == before + 1
