"""Find records in changelogs that the owner of their partition has not written.

A worker that is cut off in the middle of a write may leave a record on the network. It lands
after those of the next owner, and a copy that is built from the changelog has an old row. A
table finds such records among its own as it writes; here it is made to write if they are the last.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.faust.table import ChangelogTable
from streams.values.outcome import Outcome, Put

LOOK_EVERY_S = 5.0
WRITE_TIMEOUT_S = 60.0
"""A write that a release of the partition has cancelled is never done."""
NO_ROW = b"\0"
"""The key of no row: its deletion is written, and changes nothing."""

Apply = Callable[[int, Sequence[Outcome]], Awaitable[None]]
"""Makes outcomes of a partition durable, in their order."""


class ChangelogWatch:
    """Compares the ends of an agent's changelogs with the offsets of its tables."""

    def __init__(
        self, tables: Mapping[str, ChangelogTable], acks: Acknowledgements, apply: Apply
    ) -> None:
        self._tables = tables
        self._acks = acks
        self._apply = apply
        self._ends = dict[TopicPartition, int]()

    async def run(self) -> None:
        """Look until cancelled; a write that failed is repeated at the next look."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            with suppress(KafkaError, OSError):  # the watchdog, which asks the same broker, says so
                await self.look()

    async def look(self) -> None:
        """Write to the tables that have not come to the ends of the last look.

        All that was being written then has its offset by now.
        """
        owned, writes = self._acks.partitions, []
        for number in owned:
            late = [
                Put(NO_ROW, None, name)
                for name, table in self._tables.items()
                if table.offset(number) + 1 < self._ends.get(table.place(number), 0)
            ]
            if late:
                writes.append(self._apply(number, [Outcome(puts=tuple(late))]))
        async with asyncio.timeout(WRITE_TIMEOUT_S):
            await asyncio.gather(*writes)
        self._ends = await self._acks.log_reader.ends(
            [table.place(number) for table in self._tables.values() for number in owned]
        )
