"""States that visits write in the same turn of the event loop share a transaction."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from connectors.stores.sqlite.store import SqliteStore
from schemas.records.documents import Document
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.view_visit import OvertakenError, apply_state
from streams.values.outcome import Send
from tests.fakes.world import Scene

FIRST = [Document(f"http://{host}.test/", "w", slot=1, version=1, text="zeus") for host in "abc"]
SECOND = [
    replace(each, slot=2, version=2, text="hera", unpublished=(each.url.encode(),))
    for each in FIRST
]


class Recording:
    """A store with a page of each host, its transactions, and what was published."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.commits: list[str] = []
        self.published: list[Send] = []
        scene = Scene()
        self.effects = replace(scene.effects(), snapshots=store.snapshots, publish=self._publish)

    async def begin(self) -> None:
        for each in FIRST:
            assert await self.store.snapshots.compare_and_set(each, 0)
        self.store.file._writer._connection.set_trace_callback(self._trace)

    def _trace(self, statement: str) -> None:
        if statement == "COMMIT":
            self.commits.append(statement)

    async def _publish(self, sends: Iterable[Send]) -> None:
        assert len(self.commits) == 1, "what is published is stored before"
        self.published += sends


async def test_n_states_are_written_in_one_transaction_and_only_who_was_overtaken_hears_of_it(
    tmp_path: Path,
) -> None:
    store = SqliteStore.open(tmp_path / "store.db")
    recording = Recording(store)
    await recording.begin()
    overtaken = replace(FIRST[1], version=7)
    known = [FIRST[0], overtaken, FIRST[2]]
    writing = (
        apply_state(recording.effects, before, after)
        for before, after in zip(known, SECOND, strict=True)
    )
    first, second, third = await asyncio.gather(*writing, return_exceptions=True)
    assert len(recording.commits) == 1
    assert isinstance(second, OvertakenError)
    assert [first, third] == [CachedState.of(SECOND[0]), CachedState.of(SECOND[2])]
    assert [each.record for each in recording.published] == [
        SECOND[0].unpublished[0],
        SECOND[2].unpublished[0],
    ]
    await store.snapshots.unpublished()  # writes what was deferred
    found = [await store.snapshots.document(each.url) for each in FIRST]
    assert found == [
        replace(SECOND[0], unpublished=()),
        FIRST[1],
        replace(SECOND[2], unpublished=()),
    ]
    await store.close()
