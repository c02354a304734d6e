"""A fetch worker that stands still past its session and wakes up late, on both stores."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest

from connectors.stores.opening import open_store
from infra.broker import LocalBroker
from schemas.records.changes import DocumentChanged
from schemas.records.topics import CHANGES
from streams.engine.life.loop_watch import BROKEN
from tests.harness.facts import command_fetch, reading
from tests.harness.held import HeldPage, held_page
from tests.harness.processes import Deployment
from tests.harness.stores import Place, mongodb_is_slow
from tests.harness.waiting import eventually, until


@pytest.fixture
async def page() -> AsyncIterator[HeldPage]:
    async with held_page() as page:
        yield page


@pytest.fixture
def fetchers(broker: LocalBroker, place: Place, tmp_path: Path) -> Iterator[Deployment]:
    """Fetch workers only; the test itself commands what is due."""
    folder = tmp_path / "fetchers"
    with Deployment(broker.bootstrap, folder, is_kept=True, store=place.url) as deployment:
        deployment.start("fetch")
        yield deployment
        deployment["fetch"].signal(SIGCONT)


@mongodb_is_slow
@pytest.mark.slow  # tests/agents/test_crashes.py has the same
async def test_a_worker_stopped_past_its_session_writes_and_publishes_nothing_that_differs(
    fetchers: Deployment, page: HeldPage, place: Place
) -> None:
    store, settings = await open_store(place.url), fetchers.settings

    async def has(text: str) -> bool:
        document = await store.snapshots.document(page.url)
        return document is not None and document.text == text

    await until(lambda: "ready" in fetchers["fetch"].said, "the worker is ready")
    await command_fetch(settings, page.url, 1000)
    await eventually(lambda: has("zeus"), "the baseline is kept")
    async with reading(settings, CHANGES) as changes:
        await command_fetch(settings, page.url, 2000)
        await until(lambda: page.is_held, "the worker waits for its answer")
        fetchers["fetch"].signal(SIGSTOP)
        page.text = "hera"
        fetchers.start("fetch-2")
        await until(lambda: changes.of(DocumentChanged, slot=2000), "another one took over")
        page.text = "gaia"
        await command_fetch(settings, page.url, 3000)
        await until(lambda: changes.of(DocumentChanged, slot=3000), "and went on")
        page.gate.set()
        fetchers["fetch"].signal(SIGCONT)
        assert await asyncio.to_thread(fetchers["fetch"].ended) == BROKEN
        assert await has("gaia")
        page.text = "ares"
        await command_fetch(settings, page.url, 4000)
        await until(lambda: changes.of(DocumentChanged, slot=4000), "the other is undisturbed")
        contents = {message.value for message in changes.seen}
        facts: dict[str, Any] = {fact.id: fact for fact in changes.of(DocumentChanged)}
    assert len(contents) == len(facts), "an id has one content"
    texts = [(r.removed.text, r.added.text) for f in facts.values() for r in f.regions]
    assert texts == [("zeus", "hera"), ("hera", "gaia"), ("gaia", "ares")]

    async def is_cleared() -> bool:
        return await store.snapshots.unpublished() == []

    await eventually(is_cleared, "nothing is left to be published")
    await store.close()
