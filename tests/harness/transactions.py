"""Offsets that transactions use besides those of their messages."""

from connectors.kafka.access import Access
from connectors.kafka.log_reader import LogReader
from tests.harness.waiting import eventually


async def log_ends_at(end: int, access: Access, topic: str) -> None:
    """Wait until the log of partition 0 ends at an offset for who reads committed messages only.

    A broker answers that a transaction has ended before it writes the marker of its end, so
    another producer's message may come in between.
    """
    log_reader = LogReader(access)

    async def is_at_end() -> bool:
        return await log_reader.bounds(topic, 0) == (0, end)

    await eventually(is_at_end, f"{topic} ends at {end}")
    await log_reader.stop()
