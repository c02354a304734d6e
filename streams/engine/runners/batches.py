"""Make outcomes of many events durable at once, in the order in which they were reached."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine

from schemas.codec.wire import encode
from streams.engine.runners.outcomes import OutcomeWriter
from streams.values.outcome import Outcome, Put

Waiting = list[tuple[Outcome, asyncio.Future[None]]]


class Batches:
    """Writes one batch at a time per partition: all outcomes that came during the last one.

    Two writers of one partition could leave a row undone locally though its changelog offset
    counts as done, or write two versions of a row in the wrong order.
    """

    def __init__(
        self, writer: OutcomeWriter, start: Callable[[Coroutine[None, None, None]], None]
    ) -> None:
        """``start`` runs work; an error in it must end the process."""
        self._writer = writer
        self._start = start
        self._waiting: defaultdict[int, Waiting] = defaultdict(list)
        self._busy: set[int] = set()
        self._unwritten: dict[tuple[int, str, bytes], Put] = {}

    async def apply(self, partition: int, outcome: Outcome) -> None:
        """Return when the outcome, and all before it, are durable."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[partition].append((outcome, done))
        # Later events of other keys may read these rows before they are in the table.
        self._unwritten |= {(partition, put.table, put.key): put for put in outcome.puts}
        if partition not in self._busy:
            self._busy.add(partition)
            self._start(self._write(partition))
        await done

    def read(self, partition: int, table: str, key: bytes) -> bytes | None:
        """Return a row, encoded, as it is after all outcomes reached so far."""
        put = self._unwritten.get((partition, table, key))
        if put is None:
            return self._writer.read(partition, table, key)
        return None if put.record is None else encode(put.record)

    def clear(self) -> None:
        """Forget what waits; its events and the writers have been cancelled."""
        self._waiting.clear()
        self._busy.clear()
        self._unwritten.clear()

    async def _write(self, partition: int) -> None:
        while batch := self._waiting.pop(partition, None):
            await self._writer.apply(partition, [outcome for outcome, _ in batch])
            for outcome, done in batch:
                self._forget(partition, outcome)
                # A waiter that was cancelled has a future that is done already.
                if not done.done():
                    done.set_result(None)
        self._busy.discard(partition)

    def _forget(self, partition: int, outcome: Outcome) -> None:
        for put in outcome.puts:
            row = partition, put.table, put.key
            # A newer put of the same row may wait: that one is still to be read from here.
            if self._unwritten.get(row) is put:
                del self._unwritten[row]
