"""A process that is stopped in the middle of a fetch, with nothing but the store to protect it."""

import asyncio
import multiprocessing
import os
from collections.abc import Iterable
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import ClientSession

from connectors.stores.opening import Store, open_store
from schemas.codec.versions import KINDS
from schemas.codec.wire import decode
from schemas.records.answers import PageQuery, Reading, Response
from schemas.records.fetches import Due, FetchDue
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.fetch.effects import Effects
from streams.values.outcome import Send
from tests.fakes.events import event, no_rows
from tests.fakes.linking import linking
from tests.fakes.world import examining
from tests.harness.held import held_page
from tests.harness.stores import Place, mongodb_is_slow
from tests.harness.waiting import TIMEOUT_S, until


async def fetch(store: Store, url: str, topic: Path, *slots: int) -> None:
    """Be a worker that begins with nothing in memory; publish each record as a file."""

    async def get(query: PageQuery) -> Response:
        async with ClientSession() as http, http.get(query.url) as answer:
            return Response(answer.status, await answer.read(), "text/plain")

    async def publish(sends: Iterable[Send]) -> None:
        for send in sends:
            assert isinstance(send.record, bytes)
            (topic / uuid4().hex).write_bytes(send.record)

    effects = Effects(
        snapshots=store.snapshots,
        get=get,
        examine=examining(lambda body, header, chosen: Reading(body.decode(), "text/plain")),
        links=linking,
        failures=(),
        publish=publish,
        clock=lambda: 1_000_000,
        max_failures=10,
        pause_ms=lambda *_: 0,
        pause=lambda _: 0.0,
    )
    worker = FetchProcessor(effects, lambda host: 0)
    for slot in slots:
        await worker.handle(event(FetchDue((Due(url, "w", slot),))), no_rows)


def late(store_url: str, url: str, topic: Path) -> None:
    """Be the process that is stopped."""

    async def run() -> None:
        store = await open_store(store_url)
        await fetch(store, url, topic, 2)
        await store.close()

    asyncio.run(run())


@pytest.mark.long
@mongodb_is_slow
async def test_a_stopped_process_that_goes_on_late_writes_and_publishes_nothing(
    place: Place, tmp_path: Path
) -> None:
    topic = tmp_path / "topic"
    topic.mkdir()
    store = await open_store(place.url)
    async with held_page() as page:
        await fetch(store, page.url, topic, 1)
        arguments = place.url, page.url, topic
        process = multiprocessing.get_context("spawn").Process(target=late, args=arguments)
        process.start()
        assert process.pid is not None
        await until(lambda: page.is_held, "the process waits for its answer")
        os.kill(process.pid, SIGSTOP)
        page.text = "hera"
        await fetch(store, page.url, topic, 2)
        page.text = "gaia"
        await fetch(store, page.url, topic, 3)
        kept = await store.snapshots.document(page.url)
        page.gate.set()
        os.kill(process.pid, SIGCONT)
        await asyncio.to_thread(process.join, TIMEOUT_S)
        assert process.exitcode == 0
        assert await store.snapshots.document(page.url) == kept
    facts: list[Any] = [decode(file.read_bytes(), *KINDS) for file in topic.iterdir()]
    assert sorted(r.added.text for fact in facts for r in fact.regions) == ["gaia", "hera"]
    assert await store.snapshots.unpublished() == []
    await store.close()
