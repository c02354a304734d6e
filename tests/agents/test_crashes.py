"""A fetch worker crashes before or after every step, on the real stores."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.stores.opening import Store, open_store
from schemas.records.fetches import Due, FetchDue
from streams.agents.fetch.state import changes
from tests.fakes.events import event, no_rows, owned
from tests.fakes.fuses import MAX_FAILURES, Agent, Crash, Fuse
from tests.harness.examples import examples
from tests.harness.stores import Place, mongodb_is_slow

pytestmark = pytest.mark.long

URL = "http://d.test/"
WORDS = [f"word{number}" for number in range(100)]
STEPS = {
    f"{when} {what}"
    for when in ("before", "after")
    for what in ("get", "read", "document", "compare_and_set", "publish", "clear_unpublished")
}
EXAMPLES = {"sqlite": 60, "mongodb": 25}


def page(first: str, last: str = "end") -> str:
    """A text that has two regions when it changes: one at each end."""
    return "\n\n".join((first, *WORDS, last))


PAGES = [
    page("zeus"),
    page("hera"),
    page("gaia", "eros"),
    page("gaia", "eros"),
    page("ares"),
    page("zeus"),
]


@pytest.fixture(autouse=True)
def _each_region_is_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MAX_PART", 1)


@asynccontextmanager
async def opened(place: Place) -> AsyncIterator[Store]:
    store = await open_store(place.url)
    try:
        yield store
    finally:
        await store.snapshots.forget(URL, "w")
        await store.close()


def command(slot: int) -> FetchDue:
    return FetchDue((Due(URL, "w", slot * 60_000),))


async def lived(
    store: Store, pages: list[str | None], *distances: int, replayed: bool = True
) -> Agent:
    """Fetch page after page, each at another slot.

    After a crash a fresh worker takes over. It is commanded the same slot, or
    only the next one when the command counted as handled.
    """
    await store.snapshots.forget(URL, "w")
    agent = Agent(store.snapshots, Fuse(iter(distances)))
    slots = count(1)
    worker = agent.worker()
    for text in pages:
        agent.page = text
        slot, is_done, is_fresh = next(slots), False, False
        while not is_done:
            try:
                if is_fresh:
                    await worker.assigned([owned(0)])
                    is_fresh = False
                await worker.handle(event(command(slot)), no_rows)
                is_done = True
            except Crash:
                worker.released()
                worker, is_fresh = agent.worker(), True
                slot = slot if replayed else next(slots)
    return agent


async def assert_at_rest(store: Store, pages: list[str | None]) -> None:
    document = await store.snapshots.document(URL)
    assert document is not None
    assert document.text == next((text for text in reversed(pages) if text), None)
    assert await store.snapshots.unpublished() == []


@mongodb_is_slow
async def test_a_crash_at_any_step_changes_nothing_of_what_is_published(place: Place) -> None:
    seen: set[str] = set()
    async with opened(place) as store:
        expected = (await lived(store, [*PAGES])).changes()
        assert len(expected) == 6, "four pages differ from the last, two of them at both ends"
        for at in count():
            agent = await lived(store, [*PAGES], at)
            assert agent.changes() == expected, agent.fuse.blown
            await assert_at_rest(store, [*PAGES])
            seen.update(agent.fuse.blown)
            if not agent.fuse.blown:
                break
    assert seen >= STEPS


@mongodb_is_slow
async def test_a_slot_that_is_lost_in_a_crash_loses_no_change(place: Place) -> None:
    async with opened(place) as store:
        expected = (await lived(store, [*PAGES])).texts()
        for at in count():
            agent = await lived(store, [*PAGES], at, replayed=False)
            assert agent.texts() == expected, agent.fuse.blown
            await assert_at_rest(store, [*PAGES])
            if not agent.fuse.blown:
                break


@mongodb_is_slow
@pytest.mark.parametrize("slots", [(2, 3), (3,)])
async def test_a_worker_that_stands_still_at_any_step_writes_and_publishes_nothing_that_differs(
    place: Place, slots: tuple[int, ...]
) -> None:
    async with opened(place) as store:
        for at in count():
            agent = await overtaken(store, at, slots)
            chain = agent.texts()
            assert all(one[1] == two[0] for one, two in pairwise(chain)), agent.fuse.blown
            assert (chain[0][0], chain[-1][1]) == ("zeus", "ares"), agent.fuse.blown
            await assert_at_rest(store, [page("ares")])
            if not agent.fuse.blown:
                break
    assert at > len(STEPS)


async def overtaken(store: Store, at: int, slots: tuple[int, ...]) -> Agent:
    """Let a worker stand still at a step while another one sees other pages, and go on then."""
    await store.snapshots.forget(URL, "w")
    agent = Agent(store.snapshots, Fuse(iter(())), page("zeus"))
    late, other = agent.worker(), agent.worker()
    await late.handle(event(command(1)), no_rows)

    async def another_works(step: str) -> None:
        await other.assigned([owned(0)])
        for slot in slots:
            agent.page = page(f"gaia{slot}")
            await other.handle(event(command(slot)), no_rows)

    agent.fuse = Fuse(iter([at]), another_works)
    late, agent.page = agent.worker(), page("hera")
    await late.handle(event(command(2)), no_rows)
    agent.fuse.remove()
    agent.page = page("ares")
    await other.handle(event(command(4)), no_rows)
    await late.handle(event(command(4)), no_rows)
    return agent


TEXTS = st.lists(
    st.one_of(st.none(), st.builds(page, *[st.sampled_from(["zeus", "hera", "ares"])] * 2)),
    min_size=1,
    max_size=6,
).filter(lambda pages: sum(text is None for text in pages) <= MAX_FAILURES)
CRASHES = st.lists(st.integers(0, 25), max_size=4)


@mongodb_is_slow
def test_any_crashes_in_any_history_change_nothing_of_what_is_published(place: Place) -> None:
    @examples(EXAMPLES[place.kind])
    @given(TEXTS, CRASHES)
    def holds(pages: list[str | None], distances: list[int]) -> None:
        asyncio.run(lives_of(pages, distances))

    async def lives_of(pages: list[str | None], distances: list[int]) -> None:
        async with opened(place) as store:
            expected = (await lived(store, pages)).changes()
            agent = await lived(store, pages, *distances)
            assert agent.changes() == expected, agent.fuse.blown
            await assert_at_rest(store, pages)

    holds()
