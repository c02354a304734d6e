"""One visit to one document: what it stores, what it publishes, and which accesses it saves."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count, pairwise

import pytest

from schemas.answers import Response
from schemas.documents import Document
from schemas.facts import DocumentChanged, DocumentUnreachable, Due
from streams.core.fetching import changes as parts_of_changes
from streams.core.fetching import snapshots
from streams.fetch.cache import CachedState
from streams.fetch.visit import publish_records, visit
from tests.fakes.world import FetchFailed, Scene

URL = "http://d.test/"
MINUTE = 60_000


@dataclass
class Worker:
    """Visits one document slot by slot, and caches what each visit returns."""

    scene: Scene
    cached: CachedState | None = None
    watch: str = "w"
    content_type: str | None = None

    async def visit(self, slot: float) -> None:
        due = Due(URL, self.watch, int(slot * MINUTE), self.content_type)
        cached, self.cached = self.cached, None
        self.cached = await visit(self.scene.effects(), due, cached)

    async def see(self, slot: float, text: str) -> None:
        self.scene.web.put(URL, text)
        await self.visit(slot)

    async def answered(self, slot: int, answer: Response | Exception) -> None:
        self.scene.web.pages[URL] = answer
        await self.visit(slot)


def changes(scene: Scene) -> list[tuple[str, str]]:
    """The texts before and after each published change, its first copy only."""
    first = {fact.id: fact for fact in scene.facts}
    return [(hunk.removed.text, hunk.added.text) for fact in first.values() for hunk in fact.hunks]


def stored(scene: Scene) -> Document:
    return scene.store.documents[URL]


async def test_the_first_snapshot_notifies_nobody() -> None:
    scene = Scene()
    await Worker(scene).see(1, "zeus")
    assert scene.published == []
    assert (stored(scene).text, stored(scene).watch, stored(scene).slot) == ("zeus", "w", MINUTE)


async def test_a_change_is_published_once_under_the_documents_key() -> None:
    scene = Scene()
    worker = Worker(scene)
    for slot, text in enumerate(("zeus", "hera", "hera"), 1):
        await worker.see(slot, text)
    ((topic, key, _),) = scene.published
    (fact,) = scene.facts
    assert (topic, key) == ("changes", URL)
    assert isinstance(fact, DocumentChanged)
    assert (fact.url, fact.watch, fact.slot, fact.part) == (URL, "w", 2 * MINUTE, 0)
    assert fact.content_type == "text/plain"
    assert changes(scene) == [("zeus", "hera")]
    assert stored(scene).unpublished == ()


async def test_there_and_back_again_is_two_changes() -> None:
    scene = Scene()
    worker = Worker(scene)
    for slot, text in enumerate(("zeus", "hera", "zeus"), 1):
        await worker.see(slot, text)
    assert changes(scene) == [("zeus", "hera"), ("hera", "zeus")]
    assert len({fact.id for fact in scene.facts}) == 2


async def test_the_id_of_a_change_is_that_of_its_url_and_slot() -> None:
    ids = []
    for words in (("zeus", "hera"), ("ares", "gaia")):
        scene = Scene()
        worker = Worker(scene)
        await worker.see(1, words[0])
        await worker.see(2, words[1])
        ids.append(scene.facts[0].id)
    assert ids[0] == ids[1]


async def test_a_large_change_comes_in_parts_with_different_ids(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parts_of_changes, "MAX_PART", 1)
    scene = Scene()
    worker = Worker(scene)
    filler = " ".join(f"word{number}" for number in range(50))
    await worker.see(1, f"zeus {filler} ares")
    await worker.see(2, f"hera {filler} gaia")
    assert [fact.part for fact in scene.facts] == [0, 1]
    assert len({fact.id for fact in scene.facts}) == 2
    assert changes(scene) == [("zeus", "hera"), ("ares", "gaia")]


async def test_a_slot_that_was_handled_is_not_fetched_again() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(2, "zeus")
    for slot in (2, 1):
        await worker.visit(slot)
        await Worker(scene).visit(slot)
    assert len(scene.web.requests) == 1


async def test_a_document_that_was_read_while_the_clock_was_ahead_is_still_read() -> None:
    scene = Scene()
    worker, years = Worker(scene), 10**7
    await worker.see(1, "zeus")
    await worker.see(years, "hera")
    await worker.see(2, "ares")
    await Worker(scene).see(3, "gaia")
    assert changes(scene) == [("zeus", "hera"), ("hera", "ares"), ("ares", "gaia")]
    slots = [fact.slot for fact in scene.facts]
    assert slots == sorted(set(slots)), "each has an id of its own"


async def test_a_late_command_of_a_watch_that_ended_leaves_the_next_ones_baseline() -> None:
    scene = Scene()
    ended, watch = Worker(scene, watch="ended"), Worker(scene)
    await ended.see(1, "zeus")
    await watch.see(3, "hera")
    ended.cached = None
    await ended.see(2, "ares")
    await watch.see(4, "ares")
    assert changes(scene) == [("hera", "ares")]


async def test_a_watch_that_began_by_a_clock_that_is_behind_is_read_at_once() -> None:
    scene = Scene()
    await Worker(scene, watch="ended").see(3, "zeus")
    await Worker(scene).see(2.5, "hera")
    assert (stored(scene).watch, stored(scene).text) == ("w", "hera")
    assert scene.published == []


async def test_an_unchanged_page_touches_no_store_once_it_is_known() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    scene.store.steps.clear()
    await worker.see(2, "zeus")
    scene.web.put(URL, "zeus", etag='"1"')
    await worker.visit(3)
    assert scene.store.steps == []
    assert len(scene.web.requests) == 3


async def test_new_validators_of_the_same_bytes_are_those_asked_with() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    scene.web.put(URL, "zeus", etag='"2"')
    await worker.visit(2)
    await worker.visit(3)
    assert [etag for _, etag, _ in scene.web.requests] == [None, None, '"2"']


async def test_a_page_that_was_not_modified_touches_no_store_once_it_is_known() -> None:
    scene = Scene()
    worker = Worker(scene)
    scene.web.put(URL, "zeus", etag='"1"')
    await worker.visit(1)
    scene.store.steps.clear()
    await worker.visit(2)
    assert scene.web.requests == [(URL, None, None), (URL, '"1"', None)]
    assert scene.store.steps == []


async def test_a_fresh_worker_asks_with_the_validators_of_the_store() -> None:
    scene = Scene()
    scene.web.put(URL, "zeus", etag='"1"')
    await Worker(scene).visit(1)
    await Worker(scene).visit(2)
    assert scene.web.requests[1] == (URL, '"1"', None)


async def test_other_bytes_with_the_same_text_are_no_change() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    await worker.answered(2, Response(200, b"zeus", "text/plain", '"2"'))
    await worker.see(3, "zeus ")
    assert scene.published == []


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


async def test_a_page_that_no_process_was_free_to_read_is_read_at_the_next_slot() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    scene.is_busy = True
    await worker.see(2, "hera")
    assert (stored(scene).text, stored(scene).failures) == ("zeus", 0)
    scene.is_busy = False
    await worker.see(3, "hera")
    assert changes(scene) == [("zeus", "hera")]


async def test_the_snapshot_of_another_watch_counts_as_none() -> None:
    scene = Scene()
    await Worker(scene).answered(1, Response(200, b"zeus", "text/plain", '"1"'))
    other = Worker(scene, watch="v")
    await other.see(2, "hera")
    assert scene.web.requests[-1] == (URL, None, None)
    assert scene.published == []
    await other.see(3, "gaia")
    assert changes(scene) == [("hera", "gaia")]


async def test_a_snapshot_by_another_reader_counts_as_none() -> None:
    scene = Scene()
    await Worker(scene).see(1, "zeus")
    other = Worker(scene, content_type="text/x-other")
    await other.see(2, "hera")
    assert scene.published == []
    await other.see(3, "gaia")
    assert changes(scene) == [("hera", "gaia")]


async def test_what_a_document_holds_unpublished_is_published_first() -> None:
    scene = Scene()
    document = Document(URL, "w", MINUTE, MINUTE, text="zeus", unpublished=(b"one", b"two"))
    scene.store.documents[URL] = document
    await Worker(scene).visit(1)
    assert [value for _, _, value in scene.published] == [b"one", b"two"]
    assert stored(scene).unpublished == ()
    assert scene.web.requests == []


class Crash(Exception):
    """The process ends here."""


@dataclass
class Fuse:
    """Raises after so many steps, once."""

    left: int
    blown: bool = False

    async def step(self, name: str) -> None:
        self.left -= 1
        if self.left == -1:
            self.blown = True
            raise Crash(name)


async def with_crash(scene: Scene, at: int, texts: list[str], again: str | None) -> bool:
    """Visit slot by slot; after a crash a fresh worker starts, perhaps on another page."""
    fuse = Fuse(at)
    scene.step = scene.store.step = fuse.step
    worker = Worker(scene)
    for slot, text in enumerate(texts, 1):
        try:
            await worker.see(slot, text)
        except Crash:
            worker = Worker(scene)
            for left in await scene.store.unpublished():
                await publish_records(scene.effects(), left)
            await worker.see(slot, again or text)
    await worker.see(len(texts) + 1, texts[-1])
    return fuse.blown


def assert_whole(scene: Scene, texts: list[str]) -> None:
    """Every id has one content, and the changes lead from a baseline to the last text."""
    values: dict[str, set[bytes]] = {}
    for fact, (_, _, value) in zip(scene.facts, scene.published, strict=True):
        values.setdefault(fact.id, set()).add(value)
    assert all(len(several) == 1 for several in values.values())
    chain = changes(scene)
    assert all(one[1] == two[0] for one, two in pairwise(chain))
    assert stored(scene).text == texts[-1] == chain[-1][1]
    assert stored(scene).unpublished == ()


@pytest.mark.parametrize("again", [None, "eros"])
async def test_a_crash_at_any_step_neither_loses_a_change_nor_publishes_another(
    again: str | None,
) -> None:
    texts = ["zeus", "hera", "gaia", "gaia", "ares"]
    for at in count():
        scene = Scene()
        blown = await with_crash(scene, at, texts, again)
        assert_whole(scene, texts)
        first = changes(scene)[0][0]
        assert first == "zeus" or (again == first and at < 8)
        if not blown:
            assert len(scene.published) == 3
            break
    assert at > 20


async def test_failures_are_neither_lost_nor_counted_twice_by_a_crash() -> None:
    for at in count():
        scene = Scene(max_failures=3)
        fuse = Fuse(at)
        scene.step = scene.store.step = fuse.step
        worker = Worker(scene)
        for slot in (1, 2, 3):
            try:
                await worker.answered(slot, Response(500))
            except Crash:
                worker = Worker(scene)
                await worker.answered(slot, Response(500))
        assert {fact.id for fact in scene.facts} == {scene.facts[0].id}
        assert len({value for _, _, value in scene.published}) == 1
        assert stored(scene).failures == 3
        if not fuse.blown:
            break
    assert at > 10


async def paused(
    scene: Scene, worker: Worker, slot: int, text: str, meanwhile: Callable[[], Awaitable[None]]
) -> None:
    """Let a worker fetch a page, freeze while others work, and wake up late."""
    scene.web.put(URL, text)
    gate = scene.web.gates[URL] = asyncio.Event()
    scene.web.asked.clear()
    late = asyncio.create_task(worker.visit(slot))
    await scene.web.asked.wait()
    del scene.web.gates[URL]
    await meanwhile()
    gate.set()
    await late


@pytest.mark.parametrize("slots", [(2,), (2, 3), (3,)])
async def test_a_worker_that_wakes_up_late_writes_and_publishes_nothing(
    slots: tuple[int, ...],
) -> None:
    scene = Scene()
    late = Worker(scene)
    await late.see(1, "zeus")

    async def meanwhile() -> None:
        fresh = Worker(scene)
        for slot in slots:
            await fresh.see(slot, f"hera{slot}")

    await paused(scene, late, 2, "old", meanwhile)
    assert stored(scene).text == f"hera{slots[-1]}"
    assert len(scene.published) == len(slots)
    assert late.cached is None


async def test_a_failure_that_arrives_late_is_not_counted() -> None:
    scene = Scene()
    late = Worker(scene)
    await late.see(1, "zeus")
    await paused(scene, late, 2, "unreadable", lambda: Worker(scene).see(2, "hera"))
    assert (stored(scene).text, stored(scene).failures) == ("hera", 0)


async def test_a_late_worker_does_not_drop_what_another_has_yet_to_publish() -> None:
    scene = Scene()
    late = Worker(scene)
    await late.see(1, "zeus")

    async def meanwhile() -> None:
        scene.step = Fuse(0).step
        with pytest.raises(Crash):
            await Worker(scene).see(2, "hera")

    await paused(scene, late, 3, "gaia", meanwhile)
    assert len(stored(scene).unpublished) == 1
    await late.see(4, "gaia")
    assert changes(scene) == [("zeus", "hera"), ("hera", "gaia")]


async def test_a_state_is_only_written_over_the_one_it_was_made_of() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    newer = Document(URL, "w", 3 * MINUTE, 3 * MINUTE, text="newer")

    async def another_writes(step: str) -> None:
        if step == "document done":
            scene.store.documents[URL] = newer

    scene.store.step = another_writes
    await worker.see(2, "hera")
    assert (stored(scene), scene.published, worker.cached) == (newer, [], None)


async def test_of_a_first_snapshot_taken_twice_one_is_kept() -> None:
    scene = Scene()
    await paused(scene, Worker(scene), 1, "old", lambda: Worker(scene).see(1, "new"))
    assert stored(scene).text == "new"
    assert scene.published == []


async def test_a_document_forgotten_during_a_visit_stays_forgotten() -> None:
    scene = Scene()
    late = Worker(scene)
    await late.see(1, "zeus")
    await paused(scene, late, 2, "hera", lambda: scene.store.forget(URL, "w"))
    assert scene.store.documents == {}
    assert scene.published == []
