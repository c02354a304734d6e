"""Whatever comes in whichever order: what is used last is read, once a slot and way, and kept."""

import asyncio
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.answers import Response
from schemas.records.changes import DocumentChanged
from schemas.records.fetches import Due, FetchDue, Forget
from schemas.records.page_requests import PLAIN_REQUEST, PageRequest
from schemas.records.views import WatchedView
from streams.agents.fetch.agent import FetchProcessor
from tests.fakes.events import event, no_rows, owned
from tests.fakes.views import view_in
from tests.fakes.world import Scene
from tests.harness.examples import examples

URL = "http://a.test/"
MINUTE = 60_000
PARTS = [PLAIN_REQUEST, PageRequest(language="de"), PageRequest("POST", body="{}")]
VIEWS = [view_in(part, content_type=kind) for part in PARTS for kind in (None, "text/csv")]


@dataclass(frozen=True)
class Step:
    """Views that are due at the next slot, or another thing that may happen."""

    what: str
    views: tuple[WatchedView, ...] = ()
    answers: tuple[int, ...] = ()


USED = st.lists(st.sampled_from(VIEWS), min_size=1, unique_by=lambda view: view.id).map(tuple)
STATUSES = st.tuples(*(st.sampled_from([200, 200, 200, 500]) for _ in PARTS))
STEPS = st.lists(
    st.one_of(
        st.builds(Step, st.just("due"), USED, STATUSES),
        st.builds(Step, st.sampled_from(["again", "assigned", "crash"])),
    ),
    max_size=12,
)


@examples(100)
@given(STEPS, USED)
def test_what_is_used_last_is_read_once_a_slot_and_nothing_else_is_kept(
    steps: list[Step], used: tuple[WatchedView, ...]
) -> None:
    asyncio.run(_run([*steps, Step("due", used, (200,) * len(PARTS))]))


async def _run(steps: list[Step]) -> None:
    scene = Scene()
    scene.read_in_threads = False
    agent, commands = FetchProcessor(scene.effects(), lambda _: 0), list[FetchDue]()
    read = set[str]()
    for slot, step in enumerate(steps, 1):
        if step.what == "assigned":
            await agent.assigned([owned(0)])
        elif step.what == "crash":
            agent.released()
            agent = FetchProcessor(scene.effects(), lambda _: 0)
            await agent.assigned([owned(0)])
        elif step.what == "again" and commands:
            before = dict(scene.store.documents)
            await agent.handle(event(commands[-1]), no_rows)
            assert scene.store.documents.keys() == before.keys()
        elif step.what == "due":
            commands.append(FetchDue((Due(URL, "w", slot * MINUTE, step.views),)))
            found, changed = await _due(scene, agent, commands[-1], step, slot)
            assert changed == found & read, "what was read before has changed"
            read = {view.id for view in step.views} & (read | found)
    await agent.handle(event(Forget(URL, "w")), no_rows)
    assert scene.store.documents == {}


async def _due(
    scene: Scene, agent: FetchProcessor, command: FetchDue, step: Step, slot: int
) -> tuple[set[str], set[str]]:
    """Fetch what is due, and return the views in which it was read, and those that changed."""
    for part, status in zip(PARTS, step.answers, strict=True):
        text = f"{PARTS.index(part)} at {slot}".encode()
        scene.web.variants[URL, part] = Response(status, text, "text/plain")
    asked, facts = len(scene.web.parts), len(scene.facts)
    await agent.handle(event(command), no_rows)
    parts = {view.view.request for view in step.views}
    made = scene.web.parts[asked:]
    assert len(made) == len(parts)
    assert set(made) == parts
    stored = {document.view: document for document in scene.store.documents.values()}
    assert stored.keys() == {view.id for view in step.views}
    found = set[str]()
    for view in step.views:
        number = PARTS.index(view.view.request)
        is_read = step.answers[number] == 200
        assert (stored[view.id].failures == 0) == is_read
        if is_read:
            assert stored[view.id].text == f"{number} at {slot}"
            found.add(view.id)
    changes = [fact for fact in scene.facts[facts:] if isinstance(fact, DocumentChanged)]
    return found, {fact.view for fact in changes}
