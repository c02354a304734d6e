"""Check dead letters: whether their topics hold the same messages where the letters say."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import zip_longest

from aiokafka import AIOKafkaConsumer, TopicPartition

from connectors.dead_letters.record import DeadLetter, DeadLetterError, LetterRefusal, Origin
from connectors.kafka.access import MAX_MESSAGE_BYTES, Access
from connectors.kafka.reading import Span, groupless_consumer, read_batches

MAX_GAP = 1_000
"""Messages read in vain between two, which takes less than another request."""


class Originals:
    """Reads single messages of topics, named without their ``prefix``."""

    def __init__(self, consumer: AIOKafkaConsumer, prefix: str) -> None:
        """Read with a started consumer without an assignment."""
        self._consumer = consumer
        self._prefix = prefix

    async def compared(self, letters: Iterable[tuple[DeadLetter, Origin]]) -> dict[str, bool]:
        """Return whether letters are equal to the messages in their topics, by their ids.

        A letter is left out if there is no message at its origin. No message is kept.
        """
        wanted: dict[TopicPartition, dict[int, list[DeadLetter]]] = {}
        for letter, (topic, partition, offset) in letters:
            at = TopicPartition(self._prefix + topic, partition)
            wanted.setdefault(at, {}).setdefault(offset, []).append(letter)
        self._consumer.assign(list(wanted))
        firsts = await self._consumer.beginning_offsets(list(wanted))
        ends = await self._consumer.end_offsets(list(wanted))
        there = {at: [n for n in wanted[at] if firsts[at] <= n < ends[at]] for at in wanted}
        found = {}
        # A span of each unfinished partition at a time.
        for rounds in zip_longest(*map(spans_of, there.values())):
            spans = {at: span for at, span in zip(there, rounds, strict=True) if span is not None}
            count = sum(end - begin for begin, end in spans.values())
            async for batch in read_batches(self._consumer, spans, count):
                for message in batch.messages:
                    for letter in wanted[batch.partition].get(message.offset, ()):
                        known = letter.key, letter.value, letter.headers
                        found[letter.id] = known == (message.key, message.value, message.headers)
        return found


def verify(letter: DeadLetter, origin: Origin, is_same: bool | None) -> None:
    """Return if a message is where its dead letter says, and is the same.

    A writer of dead letters can name any origin and content, and a replayed message is obeyed.
    ``is_same`` is None if there is no message. Raises DeadLetterError.
    """
    place = "{} {}:{}".format(*origin)
    if is_same is None:
        raise DeadLetterError(
            f"{letter.id} cannot be checked: {place} holds no message any more, "
            "so nobody can say whether this one was there",
            LetterRefusal.GONE,
        )
    if not is_same:
        raise DeadLetterError(
            f"{letter.id} is not what {place} holds: "
            "it may be forged, or that topic was made again",
            LetterRefusal.OTHER,
        )


def spans_of(offsets: Sequence[int]) -> list[Span]:
    """Return the spans of a partition to read for these offsets.

    >>> spans_of([7, 8, 9_000, 5])
    [(5, 9), (9000, 9001)]
    """
    spans: list[Span] = []
    for offset in sorted(set(offsets)):
        if spans and offset - spans[-1][1] <= MAX_GAP:
            spans[-1] = spans[-1][0], offset + 1
        else:
            spans.append((offset, offset + 1))
    return spans


@asynccontextmanager
async def open_originals(access: Access, prefix: str) -> AsyncIterator[Originals]:
    """Connect an Originals; raises KafkaConnectionError if no broker answers."""
    options = {"max_partition_fetch_bytes": MAX_MESSAGE_BYTES}
    async with groupless_consumer(access, **options) as consumer:
        yield Originals(consumer, prefix)
