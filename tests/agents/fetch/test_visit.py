"""One visit to one document: what it stores, what it publishes, and which accesses it saves."""

import pytest

from schemas.records.answers import Response
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Document
from streams.agents.fetch.postponed import Postponed
from streams.agents.fetch.state import changes as parts_of_changes
from tests.fakes.visiting import MINUTE, URL, Worker, changes, stored
from tests.fakes.world import Scene


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
    filler = "\n\n".join(f"word{number}" for number in range(100))
    await worker.see(1, f"zeus\n\n{filler}\n\nares")
    await worker.see(2, f"hera\n\n{filler}\n\ngaia")
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
    assert slots == sorted(set(slots)), "each has its own id"


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


async def test_a_page_that_no_process_was_free_to_read_is_put_off_and_has_not_failed() -> None:
    scene = Scene()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    scene.is_busy = True
    with pytest.raises(Postponed):
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


async def test_what_a_document_holds_unpublished_is_published_first() -> None:
    scene = Scene()
    document = Document(URL, "w", MINUTE, MINUTE, text="zeus", unpublished=(b"one", b"two"))
    scene.store.documents[URL] = document
    await Worker(scene).visit(1)
    assert [value for _, _, value in scene.published] == [b"one", b"two"]
    assert stored(scene).unpublished == ()
    assert scene.web.requests == []
