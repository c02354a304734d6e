"""Make outcomes durable: outputs first, tables second; the acknowledgement comes third."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from schemas.codec.wire import encode
from streams.values.outcome import Outcome, Publish, Put

ENOUGH = 10
"""Outcomes that wait for no others to be made durable with them."""

Waiting = tuple[Sequence[Outcome], asyncio.Future[None]]
"""Outcomes of a partition, and the future that is done once they are durable."""


class TablePartitions(Protocol):
    """A table, by partition."""

    def get(self, partition: int, key: bytes) -> bytes | None:
        """Return a row, encoded."""

    def rows(self, partition: int) -> Iterator[tuple[bytes, bytes]]:
        """Read all rows; drop the iterator soon, for it holds a lock."""

    async def write(self, puts: Mapping[int, Sequence[Put]]) -> None:
        """Return when the puts of all partitions are durable."""


class OutcomeWriter:
    """Writes the outcomes of an agent to where they go: its topics and its tables.

    All that was reached in one turn of the event loop is one group, whatever partitions it is of:
    one publish and one write of each table, which cost little more than those of one event. A few
    outcomes wait for others for ``linger_s`` first.

    A partition is in one group at a time, and what comes meanwhile is in its next one: two
    writers of one partition could leave a row undone locally though its changelog offset counts
    as done, or write two versions of a row in the wrong order.
    """

    def __init__(
        self, publish: Publish, tables: Mapping[str, TablePartitions], linger_s: float = 0.0
    ) -> None:
        """``tables`` are by their names; the first is also the one without a name."""
        self._publish = publish
        self._linger_s = linger_s
        self._tables = dict(tables)
        if tables:
            self._tables[""] = next(iter(tables.values()))
        self._waiting: defaultdict[int, list[Waiting]] = defaultdict(list)
        self._busy: set[int] = set()
        self._unwritten: dict[tuple[int, str, bytes], Put] = {}
        self._groups: set[asyncio.Task[None]] = set()
        self._is_due = False
        """Whether the next turn of the loop begins a group."""
        self._lingering: asyncio.TimerHandle | None = None

    async def apply(
        self, partition: int, outcomes: Sequence[Outcome], *, is_long: bool = False
    ) -> None:
        """Return when all outputs and then all puts are durable, and all before of the partition.

        Tables are written in the order in which the outcomes name them first. No other partition
        waits for outcomes that are ``is_long``.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[partition].append((outcomes, done))
        # Later events of other keys may read these rows before they are in the table.
        self._unwritten |= {
            (partition, put.table, put.key): put for _, put in _puts({partition: outcomes})
        }
        if is_long and partition not in self._busy:
            self._begin([partition])
        else:
            self._begin_soon()
        await done

    def read(self, partition: int, table: str, key: bytes) -> bytes | None:
        """Return a row of a table, encoded, as it is after all outcomes reached so far."""
        put = self._unwritten.get((partition, table, key))
        if put is None:
            return self._tables[table].get(partition, key)
        return None if put.record is None else encode(put.record)

    def rows(self, partition: int, table: str = "") -> Iterator[tuple[bytes, bytes]]:
        """Read all rows of a table; an agent without tables has no rows."""
        return self._tables[table].rows(partition) if self._tables else iter(())

    def stop(self) -> None:
        """Cancel all that is not durable: its events are read again by the next owner."""
        for group in self._groups:
            group.cancel()
        self._waiting.clear()
        self._busy.clear()
        self._unwritten.clear()

    def _begin_soon(self) -> None:
        if self._is_due:
            return
        loop = asyncio.get_running_loop()
        if not self._linger_s or sum(map(len, self._waiting.values())) >= ENOUGH:
            self._is_due = True
            loop.call_soon(self._begin_due)
        elif self._lingering is None:
            self._lingering = loop.call_later(self._linger_s, self._begin_due)

    def _begin_due(self) -> None:
        self._is_due = False
        if self._lingering is not None:
            self._lingering.cancel()
            self._lingering = None
        free = [partition for partition in self._waiting if partition not in self._busy]
        if free:
            self._begin(free)

    def _begin(self, partitions: Collection[int]) -> None:
        self._busy.update(partitions)
        group = {partition: self._waiting.pop(partition) for partition in partitions}
        task = asyncio.create_task(self._finish(group))
        self._groups.add(task)
        task.add_done_callback(self._groups.discard)

    async def _finish(self, group: Mapping[int, Sequence[Waiting]]) -> None:
        outcomes = {
            partition: [each for several, _ in waiting for each in several]
            for partition, waiting in group.items()
        }
        error: Exception | None = None
        try:
            await self._write(outcomes)
        except Exception as raised:  # noqa: BLE001 - all who wait for it raise it
            error = raised
        for partition, put in _puts(outcomes):
            row = partition, put.table, put.key
            # A newer put of the same row may wait: that one is still to be read from here.
            if self._unwritten.get(row) is put:
                del self._unwritten[row]
        self._busy.difference_update(group)
        for _, done in (each for waiting in group.values() for each in waiting):
            if done.done():  # who waited for it was cancelled
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)
        if self._waiting:
            self._begin_soon()

    async def _write(self, outcomes: Mapping[int, Sequence[Outcome]]) -> None:
        # Outputs first: a row that says "done" must not outlive a crash that lost the output.
        every = [each for several in outcomes.values() for each in several]
        await self._publish(send for outcome in every for send in outcome.sends)
        tables: dict[str, dict[int, list[Put]]] = {}
        for partition, put in _puts(outcomes):
            tables.setdefault(put.table, {}).setdefault(partition, []).append(put)
        for table, puts in tables.items():
            await self._tables[table].write(puts)


def _puts(outcomes: Mapping[int, Sequence[Outcome]]) -> Iterator[tuple[int, Put]]:
    """Return the puts of outcomes, in their order, each with its partition."""
    for partition, several in outcomes.items():
        for outcome in several:
            for put in outcome.puts:
                yield partition, put
