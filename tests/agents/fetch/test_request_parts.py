"""A document that is got in several ways: one fetch for each and slot, and each by itself."""

import asyncio
from dataclasses import replace

import pytest

from schemas.records.answers import Response
from schemas.records.documents import Document
from schemas.records.fetches import Due, FetchDue, Forget
from schemas.records.page_requests import PLAIN_REQUEST, PageRequest
from schemas.records.views import WatchedView
from streams.agents.fetch import agent as agents
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.fetch.postponed import Postponed
from streams.values.slots import TICK_MS
from tests.fakes.events import event, no_rows, owned
from tests.fakes.snapshots import stored_under
from tests.fakes.views import view_in
from tests.fakes.world import Scene
from tests.harness.virtual_time import in_virtual_time

URL = "http://a.test/"
MINUTE = 60_000
GERMAN, FRENCH = PageRequest(language="de"), PageRequest(language="fr")
PLAIN, CSV = view_in(PLAIN_REQUEST), view_in(PLAIN_REQUEST, content_type="text/csv")
DE, FR = view_in(GERMAN), view_in(FRENCH)


def fetch(scene: Scene) -> FetchProcessor:
    return FetchProcessor(scene.effects(), lambda _: 0)


def due(slot: float, *views: WatchedView, watch: str = "w") -> FetchDue:
    return FetchDue((Due(URL, watch, round(slot * MINUTE), views),))


async def handle(agent: FetchProcessor, *facts: FetchDue | Forget) -> None:
    for fact in facts:
        await agent.handle(event(fact), no_rows)


def put(scene: Scene, request: PageRequest, text: str, etag: str | None = None) -> None:
    scene.web.variants[URL, request] = Response(200, text.encode(), "text/plain", etag)


def both(plain: str, german: str) -> Scene:
    """A page with a text for each request part."""
    scene = Scene()
    put(scene, PLAIN_REQUEST, plain)
    put(scene, GERMAN, german)
    return scene


def stored(scene: Scene, view: WatchedView) -> Document | None:
    return scene.store.documents.get(stored_under(URL, view.id))


async def test_each_request_part_is_fetched_once_a_slot_whatever_number_of_views_it_has() -> None:
    scene = Scene()
    agent = fetch(scene)
    put(scene, PLAIN_REQUEST, "zeus")
    put(scene, GERMAN, "Zeus der Erste")
    reading = [
        view_in(part, content_type=f"text/{number}")
        for number in range(10)
        for part in (PLAIN_REQUEST, GERMAN)
    ]
    for slot in (1, 1, 2):
        await handle(agent, due(slot, *reading))
    assert scene.web.parts == [PLAIN_REQUEST, GERMAN] * 2
    texts = {scene.store.documents[stored_under(URL, view.id)].text for view in reading}
    assert texts == {"zeus", "Zeus der Erste"}


async def test_each_request_part_has_its_own_changes_and_its_own_validators() -> None:
    scene = Scene()
    agent = fetch(scene)
    put(scene, PLAIN_REQUEST, "zeus", '"1"')
    put(scene, GERMAN, "Zeus", '"d1"')
    for slot in (1, 2):
        await handle(agent, due(slot, PLAIN, DE))
    put(scene, GERMAN, "Hera", '"d2"')
    await handle(agent, due(3, PLAIN, DE))
    asked = [etag for _, etag, _ in scene.web.requests]
    assert asked == [None, None, '"1"', '"d1"', '"1"', '"d1"']
    assert [fact.view for fact in scene.facts] == [DE.id]


async def test_a_request_part_that_fails_counts_against_its_own_views() -> None:
    scene = Scene()
    agent = fetch(scene)
    put(scene, PLAIN_REQUEST, "zeus")
    scene.web.variants[URL, GERMAN] = Response(500)
    for slot in (1, 2):
        await handle(agent, due(slot, PLAIN, DE))
    failures = [
        document.failures for document in (stored(scene, PLAIN), stored(scene, DE)) if document
    ]
    assert failures == [0, 2]


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_request_part_that_nobody_has_any_more_is_forgotten(is_known: bool) -> None:
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    await handle(agent, due(1, PLAIN, DE))
    if not is_known:
        await agent.assigned([owned(0)])
    await handle(agent, due(2, PLAIN))
    assert list(scene.store.documents) == [URL]
    put(scene, GERMAN, "Hera")
    await handle(agent, due(3, PLAIN, DE), due(4, PLAIN, DE))
    assert scene.facts == [], "it begins with a baseline"
    assert len(scene.web.requests) == 7


@pytest.mark.parametrize("is_known", [True, False])
async def test_the_plain_view_is_forgotten_when_only_another_request_part_is_left(
    is_known: bool,
) -> None:
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    await handle(agent, due(1, PLAIN, DE))
    if not is_known:
        await agent.assigned([owned(0)])
    await handle(agent, due(2, DE))
    assert [document.view for document in scene.store.documents.values()] == [DE.id]


@pytest.mark.parametrize("order", [(PLAIN, DE), (DE, PLAIN)])
async def test_no_piece_takes_the_views_of_another_for_unused_or_for_never_read(
    order: tuple[WatchedView, ...],
) -> None:
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    for slot in range(1, 5):
        await handle(agent, due(slot, *order))
        await agent.assigned([owned(0)])
    put(scene, PLAIN_REQUEST, "hera")
    put(scene, GERMAN, "Hera")
    await handle(agent, due(5, *order))
    assert sorted(fact.view for fact in scene.facts) == sorted(view.id for view in order)
    assert "forget" not in scene.store.steps


async def test_views_that_another_command_has_are_neither_read_nor_forgotten() -> None:
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    await handle(agent, due(1, PLAIN, DE))
    plain_only = Due(URL, "w", 2 * MINUTE, (PLAIN,), elsewhere=(DE.id,))
    await handle(agent, FetchDue((plain_only,)))
    assert stored(scene, DE) is not None
    assert scene.web.parts == [PLAIN_REQUEST, GERMAN, PLAIN_REQUEST]


async def test_a_crash_between_two_pieces_leaves_the_other_to_the_next_worker() -> None:
    scene = both("zeus", "Zeus")
    await handle(fetch(scene), due(1, PLAIN, DE))
    put(scene, PLAIN_REQUEST, "hera")
    put(scene, GERMAN, "Hera")
    writes = 0

    async def dies(step: str) -> None:
        nonlocal writes
        writes += step == "compare_and_set"
        if writes == 2:
            raise ConnectionError

    scene.store.step, quiet = dies, scene.store.step
    with pytest.raises(ConnectionError):
        await handle(fetch(scene), due(2, PLAIN, DE))
    scene.store.step = quiet
    await handle(fetch(scene), due(2, PLAIN, DE))
    assert sorted(fact.view for fact in scene.facts) == sorted([PLAIN.id, DE.id])
    assert scene.web.parts[4:] == [GERMAN], "the one that was read is not fetched again"


async def test_another_workers_write_in_one_view_costs_the_other_request_part_nothing() -> None:
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    await handle(agent, due(1, PLAIN, DE))
    key = stored_under(URL, DE.id)
    known = scene.store.documents[key]
    scene.store.documents[key] = replace(known, version=known.version + 1)
    put(scene, PLAIN_REQUEST, "hera")
    put(scene, GERMAN, "Hera")
    await handle(agent, due(2, PLAIN, DE))
    assert [fact.view for fact in scene.facts] == [PLAIN.id]
    await handle(agent, due(3, PLAIN, DE))
    assert [fact.view for fact in scene.facts] == [PLAIN.id, DE.id]


async def test_a_forget_ends_all_pieces_of_a_url_that_wait() -> None:
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    await handle(agent, due(1, PLAIN, DE))
    gate = scene.web.gates[URL] = asyncio.Event()
    scene.web.asked.clear()
    visiting = asyncio.create_task(handle(agent, due(2, PLAIN, DE)))
    await scene.web.asked.wait()
    forgetting = asyncio.create_task(handle(agent, Forget(URL, "w")))
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(visiting, forgetting)
    assert scene.store.documents == {}
    assert scene.web.parts == [PLAIN_REQUEST, GERMAN, PLAIN_REQUEST]
    assert agent.sizes()["due"] == 0


def test_a_forget_that_waits_for_a_visit_leaves_the_next_watch_of_its_url_alone() -> None:
    scene = Scene()
    scene.read_in_threads = False
    put(scene, PLAIN_REQUEST, "zeus")
    effects = scene.effects()
    object.__setattr__(effects, "pause", lambda _: 1.0)
    agent = FetchProcessor(effects, lambda _: 0)

    async def run() -> None:
        gate = scene.web.gates[URL] = asyncio.Event()
        visiting = asyncio.create_task(handle(agent, due(1, PLAIN, watch="ended")))
        await scene.web.asked.wait()
        forgetting = asyncio.create_task(handle(agent, Forget(URL, "ended")))
        await asyncio.sleep(0)
        following = asyncio.create_task(handle(agent, due(2, PLAIN, watch="next")))
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(visiting, forgetting, following)

    in_virtual_time(run())
    assert [document.watch for document in scene.store.documents.values()] == ["next"]


async def test_a_piece_that_waits_is_not_visited_when_its_request_part_is_used_no_more() -> None:
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    gate = scene.web.gates[URL] = asyncio.Event()
    first = asyncio.create_task(handle(agent, due(1, PLAIN, DE)))
    await scene.web.asked.wait()
    second = asyncio.create_task(handle(agent, due(2, PLAIN)))
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(first, second)
    assert scene.web.parts == [PLAIN_REQUEST] * 2


async def test_a_command_that_is_handled_again_late_replaces_no_newer_one_that_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agents, "HOSTS_AT_ONCE", 1)
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    gate = scene.web.gates[URL] = asyncio.Event()
    visiting = asyncio.create_task(handle(agent, due(1, PLAIN)))
    await scene.web.asked.wait()
    newer = asyncio.create_task(handle(agent, due(3, PLAIN, CSV, DE)))
    await asyncio.sleep(0)
    again = asyncio.create_task(handle(agent, due(2, PLAIN, DE)))
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(visiting, newer, again)
    slots = {document.view: document.slot for document in scene.store.documents.values()}
    assert slots[CSV.id] == slots[DE.id] == 3 * MINUTE
    assert scene.web.parts == [PLAIN_REQUEST, PLAIN_REQUEST, GERMAN]


async def test_a_command_that_is_read_again_forgets_no_request_part_that_came_since() -> None:
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    await handle(agent, due(1, PLAIN), due(3, PLAIN, DE), due(2, PLAIN))
    assert stored(scene, DE) is not None
    put(scene, GERMAN, "Hera")
    await handle(agent, due(4, PLAIN, DE))
    assert [fact.view for fact in scene.facts] == [DE.id]


async def test_a_server_that_asks_for_time_gets_it_for_all_request_parts() -> None:
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    await handle(agent, due(1, PLAIN, DE))
    scene.web.variants[URL, PLAIN_REQUEST] = Response(429, retry_after=3600)
    await handle(agent, due(2, PLAIN, DE), due(3, PLAIN, DE))
    assert len(scene.web.requests) == 3
    scene.now += 3_600_000
    await handle(agent, due(4, PLAIN, DE))
    assert len(scene.web.requests) == 4


def test_a_piece_that_was_put_off_is_repeated_by_itself_until_its_url_is_forgotten() -> None:
    scene = Scene()
    scene.read_in_threads = False
    put(scene, PLAIN_REQUEST, "zeus")
    agent = fetch(scene)

    async def run() -> None:
        scene.web.variants[URL, GERMAN] = Postponed("our connection is down")
        await handle(agent, due(1, PLAIN, DE))
        await asyncio.sleep(6)
        assert scene.web.parts == [PLAIN_REQUEST, GERMAN, GERMAN]
        await handle(agent, Forget(URL, "w"))
        await asyncio.sleep(400)
        assert scene.web.parts == [PLAIN_REQUEST, GERMAN, GERMAN]

    in_virtual_time(run())
    assert scene.store.documents == {}


def test_the_listing_shows_that_a_page_waits_as_long_as_one_of_its_pieces_does() -> None:
    scene = Scene()
    scene.read_in_threads = False
    put(scene, PLAIN_REQUEST, "zeus")
    put(scene, GERMAN, "Zeus")
    effects = scene.effects()
    loop_clock = scene.now

    async def run() -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        object.__setattr__(
            effects, "clock", lambda: loop_clock + round((loop.time() - begun) * 1000)
        )
        object.__setattr__(effects, "pause", lambda _: 30.0)
        agent = FetchProcessor(effects, lambda _: 0)
        notes = asyncio.create_task(agent.notes.write(1))
        handling = asyncio.create_task(handle(agent, due(1, PLAIN, DE)))
        await asyncio.sleep(12)
        assert [url for url, _, _ in scene.store.checks] == [URL], "it was fetched in one way"
        assert scene.store.waits[URL].since == loop_clock, "and still waits to be in the other"
        await handling
        await asyncio.sleep(30)
        assert len(scene.store.checks) == 2
        assert scene.store.waits == {}
        notes.cancel()

    in_virtual_time(run())
    assert scene.web.parts == [PLAIN_REQUEST, GERMAN]


def test_two_request_parts_of_one_page_are_two_visits_with_the_hosts_pause_between() -> None:
    scene = Scene()
    scene.read_in_threads = False
    put(scene, PLAIN_REQUEST, "zeus")
    put(scene, GERMAN, "Zeus")
    effects, times = scene.effects(), []
    get = effects.get

    async def timed(*arguments: object) -> Response:
        times.append(asyncio.get_running_loop().time())
        return await get(*arguments)  # type: ignore[arg-type]

    object.__setattr__(effects, "get", timed)
    object.__setattr__(effects, "pause", lambda _: 5.0)
    in_virtual_time(handle(FetchProcessor(effects, lambda _: 0), due(1, PLAIN, DE)))
    assert times[1] - times[0] == 5.0


def test_a_hundred_request_parts_of_one_manager_take_no_turns_of_anothers_page() -> None:
    scene = Scene()
    scene.read_in_threads = False
    put(scene, PLAIN_REQUEST, "zeus")
    other = f"{URL}other"
    scene.web.put(other, "hera")
    many = [view_in(PageRequest(language=f"x{number}"), "many") for number in range(100)]
    for view in many:
        put(scene, view.view.request, "zeus")
    shared = view_in(PLAIN_REQUEST, "one")
    effects = scene.effects()
    object.__setattr__(effects, "pause", lambda _: 1.0)
    dues = [
        Due(URL, "w", MINUTE, (*many, shared), ("many", "one")),
        Due(other, "v", MINUTE, managers=("one",)),
    ]
    agent = FetchProcessor(effects, lambda _: 0)

    async def run() -> None:
        handling = asyncio.create_task(handle(agent, FetchDue(tuple(dues))))
        await asyncio.sleep(200)
        await handling

    in_virtual_time(run())
    urls = [url for url, _, _ in scene.web.requests]
    assert len(urls) == 102
    assert urls.index(other) <= 4
    assert scene.web.parts.index(PLAIN_REQUEST) <= 4


@pytest.mark.parametrize("views", [(PLAIN, CSV), (PLAIN, DE), (DE,), (replace(PLAIN, links=1),)])
def test_what_is_added_to_a_watch_while_a_command_waits_for_its_slot_is_read_at_once_and_kept(
    views: tuple[WatchedView, ...],
) -> None:
    scene = both("zeus", "Zeus")
    scene.read_in_threads = False
    agent = fetch(scene)
    lead = Due(URL, "w", scene.now + TICK_MS, (PLAIN,))
    new = Due(URL, "w", scene.now - 10, views, interval=60)

    async def handled() -> None:
        loop = asyncio.get_running_loop()
        waiting = loop.create_task(handle(agent, FetchDue((lead,))))
        await asyncio.sleep(0.1)
        await handle(agent, FetchDue((new,)))
        assert loop.time() < TICK_MS / 1000
        await waiting

    in_virtual_time(handled())
    slots = {document.view: document.slot for document in scene.store.documents.values()}
    assert slots == {view.id: new.slot for view in views}


async def test_a_command_that_waited_for_its_slot_forgets_no_view_that_another_agent_has_read() -> (
    None
):
    scene = both("zeus", "Zeus")
    agent = fetch(scene)
    read = Document(URL, "w", 2 * MINUTE - TICK_MS, 1, view=DE.id, text="Zeus")
    scene.store.documents[stored_under(URL, DE.id)] = read
    await handle(agent, due(2, PLAIN))
    assert stored(scene, DE) is not None
    await agent.assigned([owned(0)])
    await handle(agent, due(3, PLAIN))
    assert stored(scene, DE) is None, "by then all views that it has are known"
