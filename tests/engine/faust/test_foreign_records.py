"""Late records of an earlier owner of a changelog are in no copy that is built from it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import faust
import pytest
from aiokafka import TopicPartition
from aiokafka.errors import KafkaConnectionError
from hypothesis import given
from hypothesis import strategies as st

from connectors.kafka.reading import Span
from schemas.records.table_rows import TickedThrough
from streams.engine.faust import foreign_records
from streams.engine.faust.changelog import ChangelogRow, foreign_spans
from streams.engine.faust.foreign_records import ChangelogWatch
from streams.engine.faust.state import PatchedTable
from streams.engine.faust.table import ChangelogTable
from streams.engine.runners.outcomes import OutcomeWriter
from streams.values.outcome import Put
from tests.harness.examples import examples
from tests.harness.waiting import TIMEOUT_S

KEYS = st.sampled_from([b"a", b"b", b"c"])
LATE = b"an old row"


class Changelog:
    """A changelog with one partition: its own producer, and what is read of it.

    ``late`` lands before the next record that is sent.
    """

    def __init__(self) -> None:
        self.records: list[ChangelogRow] = []
        self.late: list[ChangelogRow] = []
        self.read: list[Span] = []
        self.is_away = False

    async def send_raw(
        self, topic: str, key: bytes, value: bytes | None, partition: int
    ) -> asyncio.Future[Any]:
        self.land()
        sent = asyncio.get_running_loop().create_future()
        sent.set_result(SimpleNamespace(offset=len(self.records)))
        self.records.append((key, value))
        return sent

    def land(self) -> None:
        self.records += self.late
        self.late.clear()

    async def keys(self, place: TopicPartition, span: Span) -> AsyncGenerator[set[bytes], None]:
        self.read.append(span)
        for key, _ in self.records[slice(*span)]:
            yield {key}

    async def ends(self, places: Sequence[TopicPartition]) -> Mapping[TopicPartition, int]:
        if self.is_away:
            raise KafkaConnectionError
        return dict.fromkeys(places, len(self.records))

    @property
    def copy(self) -> dict[bytes, bytes]:
        """The rows that a worker finds there that has no copy yet."""
        rows = dict(self.records)
        return {key: value for key, value in rows.items() if value is not None}


class Owner:
    """A table of the owner of partition 0."""

    def __init__(self, home: Path) -> None:
        self.changelog = Changelog()
        log: Any = self.changelog
        app = faust.App("test", store="rocksdb://", datadir=str(home), Table=PatchedTable)
        self.table = ChangelogTable(app, "rows", 1, log, log)
        self.owned = SimpleNamespace(partitions=frozenset({0}), log_reader=log)
        acks: Any = self.owned
        tables = {"rows": self.table}
        writer = OutcomeWriter(self._publish, tables)
        self.watch = ChangelogWatch(tables, acks, writer.apply)

    async def _publish(self, sends: object) -> None:
        assert not list(sends)  # type: ignore[call-overload]

    async def put(self, *rows: tuple[bytes, int | None]) -> None:
        await self.table.write(
            {0: [Put(key, None if at is None else TickedThrough(at)) for key, at in rows]}
        )

    @property
    def rows(self) -> dict[bytes, bytes]:
        return dict(self.table.rows(0))


@given(st.integers(-1, 50), st.lists(st.booleans(), min_size=1))
def test_spans_are_the_offsets_that_were_not_acknowledged(last: int, are_own: list[bool]) -> None:
    own = [last + 1 + number for number, is_own in enumerate(are_own) if is_own]
    foreign = {
        last + 1 + number
        for number, is_own in enumerate(are_own)
        if not is_own and last + 1 + number < max(own, default=-1)
    }
    spans = foreign_spans(last, own[::-1])
    assert [offset for begin, end in spans for offset in range(begin, end)] == sorted(foreign)


def test_a_log_that_was_cut_short_has_no_foreign_records() -> None:
    assert foreign_spans(100, [3, 4, 5]) == []


Steps = list[tuple[str, bytes, int | None]]


@examples(50)
@given(
    st.lists(
        st.tuples(st.sampled_from(["own", "late"]), KEYS, st.none() | st.integers(0, 9)),
        max_size=12,
    )
)
def test_a_copy_that_is_built_later_has_the_rows_of_the_owner(steps: Steps) -> None:
    async def run() -> None:
        with TemporaryDirectory() as home:
            owner = Owner(Path(home))
            for whose, key, at in steps:
                if whose == "own":
                    await owner.put((key, at))
                else:
                    owner.changelog.late.append((key, None if at is None else LATE))
            owner.changelog.land()
            await owner.watch.look()
            await owner.watch.look()
            assert owner.changelog.copy == owner.rows
            assert LATE not in owner.rows.values()

    asyncio.run(run())


async def test_a_late_record_between_two_of_one_write_is_put_right(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    await owner.put((b"a", 1), (b"b", 1))
    owner.changelog.late = [(b"a", LATE), (b"gone", LATE)]
    await owner.put((b"c", 1), (b"b", 2))
    assert owner.changelog.copy == owner.rows
    assert dict(owner.changelog.records)[b"gone"] is None, "a row that is not there is deleted"
    assert owner.changelog.read == [(2, 4)]


async def test_nothing_is_read_while_only_the_owner_writes(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    for at in range(3):
        await owner.put((b"a", at), (b"b", at))
        await owner.watch.look()
    assert owner.changelog.read == []
    assert len(owner.changelog.records) == 6


async def test_what_the_owner_has_read_before_it_wrote_is_its_own(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.changelog.records = [(b"a", b"1"), (b"b", b"2")]
    owner.table._store.write(0, owner.changelog.records, 1)
    await owner.put((b"a", 3))
    assert owner.changelog.read == []


async def test_a_partition_that_is_not_owned_is_left_alone(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    await owner.put((b"a", 1))
    owner.changelog.late = [(b"a", LATE)]
    owner.changelog.land()
    await owner.watch.look()
    owner.owned.partitions = frozenset()
    await owner.watch.look()
    assert len(owner.changelog.records) == 2


async def test_a_broker_that_is_away_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_records, "LOOK_EVERY_S", 0)
    owner = Owner(tmp_path)
    await owner.put((b"a", 1))
    owner.changelog.late, owner.changelog.is_away = [(b"a", LATE)], True
    owner.changelog.land()
    watching = asyncio.create_task(owner.watch.run())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    owner.changelog.is_away = False
    async with asyncio.timeout(TIMEOUT_S):
        while owner.changelog.copy != owner.rows:
            await asyncio.sleep(0)
            assert not watching.done()
    watching.cancel()
