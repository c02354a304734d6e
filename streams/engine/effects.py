"""Outcomes made real: outputs first, table second, acknowledgement third."""

from collections.abc import Sequence

from streams.core.outcome import Outcome
from streams.engine.producer import Producer
from streams.engine.table import Table


class Effects:
    """The two places that outcomes go to."""

    def __init__(self, producer: Producer, table: Table | None) -> None:
        """Take the stage's producer and its table, if it has one."""
        self.producer = producer
        self.table = table

    async def apply(self, partition: int, outcomes: Sequence[Outcome]) -> None:
        """Return when all outputs and then all puts are durable."""
        await self.producer.publish(send for outcome in outcomes for send in outcome.sends)
        puts = [put for outcome in outcomes for put in outcome.puts]
        if puts:
            assert self.table is not None, "a stage without a table cannot put"
            await self.table.write(partition, puts)

    def read(self, partition: int, key: bytes) -> bytes | None:
        """Read a row of the table; without a table there is none."""
        return None if self.table is None else self.table.get(partition, key)
