"""Visits that crash, and workers that wake up late: nothing is lost, nothing differs."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count, pairwise

import pytest

from schemas.records.answers import Response
from schemas.records.documents import Document
from streams.agents.fetch.publishing import publish_records
from tests.fakes.visiting import MINUTE, URL, Worker, changes, stored
from tests.fakes.world import Scene


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
