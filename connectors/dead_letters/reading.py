"""Read the dead letters on the topic."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, TopicPartition

from connectors.dead_letters.record import DeadLetter, DeadLetterError
from connectors.kafka.access import Access
from connectors.kafka.reading import read_messages, tail

Ends = Mapping[TopicPartition, int]
"""The offset before which the reading of each partition stops."""


class DeadLetterReader:
    """Reads dead letters before the ``ends``; later letters are not seen."""

    def __init__(self, consumer: AIOKafkaConsumer, ends: Ends) -> None:
        """Read with a consumer of all partitions."""
        self._consumer = consumer
        self.ends = ends

    async def all(self, since: int = 0) -> AsyncIterator[DeadLetter]:
        """Read all dead letters, from a time (epoch ms) on, partition by partition."""
        starts = await self._consumer.offsets_for_times(dict.fromkeys(self.ends, since))
        spans = {tp: (at.offset, self.ends[tp]) for tp, at in starts.items() if at is not None}
        async for message in read_messages(self._consumer, spans):
            yield DeadLetter.of(message)

    async def newest(self, most: int) -> AsyncIterator[DeadLetter]:
        """Read the last offsets of each partition, ``most`` of each, partition by partition."""
        spans = {tp: (max(0, end - most), end) for tp, end in self.ends.items()}
        async for message in read_messages(self._consumer, spans):
            yield DeadLetter.of(message)

    async def count(self) -> int:
        """Count the offsets on the topic: its dead letters."""
        begins = await self._consumer.beginning_offsets(list(self.ends))
        return sum(end - begins[tp] for tp, end in self.ends.items())

    async def one(self, letter_id: str) -> DeadLetter:
        """Read a dead letter by its id, ``PARTITION:OFFSET``; raises DeadLetterError."""
        partition, offset = parse_id(letter_id)
        place = next((place for place in self.ends if place.partition == partition), None)
        if place is None or offset >= self.ends[place]:
            raise DeadLetterError(f"there is no dead letter {letter_id}")
        first = (await self._consumer.beginning_offsets([place]))[place]
        if offset < first:
            raise DeadLetterError(
                f"{letter_id} is kept no longer; the oldest is {partition}:{first}"
            )
        self._consumer.seek(place, offset)
        return DeadLetter.of(await self._consumer.getone(place))


@asynccontextmanager
async def open_dead_letters(
    access: Access, topic: str, ends: Ends | None = None
) -> AsyncIterator[DeadLetterReader]:
    """Connect to a topic of dead letters by its full name; reads up to ``ends``, or up to now.

    Raises KafkaConnectionError if no broker answers, and LookupError if the topic is
    missing.
    """
    async with tail(access, topic) as consumer:
        now = await consumer.end_offsets(consumer.assignment())
        yield DeadLetterReader(consumer, now if ends is None else ends)


def parse_id(text: str) -> tuple[int, int]:
    """Parse ``PARTITION:OFFSET``; raises DeadLetterError.

    Example:
        >>> parse_id("3:42")
        (3, 42)
    """
    found = re.fullmatch(r"(\d{1,9}):(\d{1,18})", text)
    if found is None:
        raise DeadLetterError(f"{text!r} is no dead letter: its id is PARTITION:OFFSET, as in 3:42")
    return int(found[1]), int(found[2])
