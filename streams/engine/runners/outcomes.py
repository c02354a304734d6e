"""Make outcomes durable: outputs first, tables second; the acknowledgement comes third."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from streams.values.outcome import Outcome, Publish, Put


class TablePartitions(Protocol):
    """A table, by partition."""

    def get(self, partition: int, key: bytes) -> bytes | None:
        """Return a row, encoded."""

    def rows(self, partition: int) -> Iterator[tuple[bytes, bytes]]:
        """Read all rows; drop the iterator soon, for it holds a lock."""

    async def write(self, partition: int, puts: Sequence[Put]) -> None:
        """Return when puts are durable."""


class OutcomeWriter:
    """Writes the outcomes of an agent to where they go: its topics and its tables."""

    def __init__(self, publish: Publish, tables: Mapping[str, TablePartitions]) -> None:
        """``tables`` are by their names; the first is also the one without a name."""
        self._publish = publish
        self._tables = dict(tables)
        if tables:
            self._tables[""] = next(iter(tables.values()))

    async def apply(self, partition: int, outcomes: Sequence[Outcome]) -> None:
        """Return when all outputs and then all puts are durable.

        Tables are written in the order in which the outcomes name them first.
        """
        # Outputs first: a row that says "done" must not outlive a crash that lost the output.
        await self._publish(send for outcome in outcomes for send in outcome.sends)
        puts: defaultdict[str, list[Put]] = defaultdict(list)
        for outcome in outcomes:
            for put in outcome.puts:
                puts[put.table].append(put)
        for table, several in puts.items():
            await self._tables[table].write(partition, several)

    def read(self, partition: int, table: str, key: bytes) -> bytes | None:
        """Return a row of a table, encoded."""
        return self._tables[table].get(partition, key)

    def rows(self, partition: int, table: str = "") -> Iterator[tuple[bytes, bytes]]:
        """Read all rows of a table; an agent without tables has no rows."""
        return self._tables[table].rows(partition) if self._tables else iter(())
