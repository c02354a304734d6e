"""Outcomes made real: outputs first, tables second, acknowledgement third."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from streams.core.outcome import Outcome, Put
from streams.engine.acks.producer import Producer
from streams.engine.faust.table import Table


class Effects:
    """The places that outcomes go to."""

    def __init__(self, producer: Producer, tables: Mapping[str, Table]) -> None:
        """Take the stage's producer and its tables; the first is the one without a name, too."""
        self.producer = producer
        self.tables = tables
        self._tables = dict(tables)
        if tables:
            self._tables[""] = next(iter(tables.values()))

    async def apply(self, partition: int, outcomes: Sequence[Outcome]) -> None:
        """Return when all outputs and then all puts are durable.

        Tables are written in the order in which the outcomes name them first.
        """
        await self.producer.publish(send for outcome in outcomes for send in outcome.sends)
        puts: defaultdict[str, list[Put]] = defaultdict(list)
        for outcome in outcomes:
            for put in outcome.puts:
                puts[put.table].append(put)
        for table, several in puts.items():
            await self._tables[table].write(partition, several)

    def read(self, partition: int, table: str, key: bytes) -> bytes | None:
        """Read a row of a table."""
        return self._tables[table].get(partition, key)

    def rows(self, partition: int, table: str = "") -> Iterator[tuple[bytes, bytes]]:
        """Go through a table; without a table there are no rows."""
        return self._tables[table].rows(partition) if self._tables else iter(())
