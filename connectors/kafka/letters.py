"""Dead letters: what no stage could handle, and the way back to where it came from."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition

from connectors.kafka.access import Access
from connectors.kafka.facts import MAX_MESSAGE, tail

ERRORS = "__connect.errors."
"""Header names are those of Kafka Connect's dead letter queues (KIP-298)."""
CUT = "vokter-cut"
"""Header of a letter that is not whole: it has the size of what could not be kept."""

Headers = tuple[tuple[str, bytes | None], ...]


class NoLetter(LookupError):
    """There is no such dead letter any more, or it cannot go back; the text says why."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One dead letter; ``at`` in epoch ms, ``topic`` without the prefix.

    ``key``, ``value`` and ``headers`` are those of the message that it was. ``whole``
    is False where they were too large to be kept, or there was neither key nor value.
    """

    partition: int
    offset: int
    at: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    errors: Mapping[str, str]
    whole: bool

    @classmethod
    def of(cls, message: ConsumerRecord) -> Self:
        """Tell what the stage has added from what was there before."""
        names = [name for name, _ in message.headers]
        first = _last_index(names, f"{ERRORS}topic")
        added, found = message.headers[first:], message.headers[:first]
        errors = {n.removeprefix(ERRORS): (v or b"").decode("utf-8", "replace") for n, v in added}
        whole = not (found and found[-1][0] == CUT)
        return cls(
            message.partition,
            message.offset,
            message.timestamp,
            message.key,
            message.value,
            tuple(found if whole else found[:-1]),
            errors,
            whole,
        )

    @property
    def place(self) -> str:
        """The letter's name: ``PARTITION:OFFSET`` on the topic of dead letters."""
        return f"{self.partition}:{self.offset}"

    @property
    def origin(self) -> tuple[str, int, int] | None:
        """Topic, partition and offset of the message that it was; None where it does not say."""
        try:
            return (
                self.errors["topic"],
                int(self.errors["partition"]),
                int(self.errors["offset"]),
            )
        except (KeyError, ValueError):
            return None

    @property
    def stage(self) -> str:
        """The stage that gave it up."""
        return self.errors.get("stage", "")

    @property
    def reason(self) -> str:
        """Why it was given up."""
        return self.errors.get("exception.message", "")


def _last_index(names: list[str], wanted: str) -> int:
    """Where a name stands last; behind all where it does not."""
    return next((i for i in reversed(range(len(names))) if names[i] == wanted), len(names))


class Letters:
    """The dead letters that there were when ``open_letters`` gave this."""

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        ends: Mapping[TopicPartition, int],
        producer: AIOKafkaProducer,
        prefix: str,
    ) -> None:
        """Take clients that are started; ``prefix`` goes before every topic's name."""
        self._consumer = consumer
        self.ends = ends
        self._producer = producer
        self._prefix = prefix

    async def all(self, since: int = 0) -> AsyncIterator[Letter]:
        """Give all, from a time (epoch ms) on, partition by partition."""
        starts = await self._consumer.offsets_for_times(dict.fromkeys(self.ends, since))
        for place, end in sorted(self.ends.items()):
            if starts[place] is None:
                continue
            self._consumer.seek(place, starts[place].offset)
            while await self._consumer.position(place) < end:
                batch = await self._consumer.getmany(place, timeout_ms=1000)
                for message in batch.get(place, ()):
                    if message.offset < end:
                        yield Letter.of(message)

    async def one(self, partition: int, offset: int) -> Letter:
        """Give one; raises NoLetter."""
        name = f"{partition}:{offset}"
        place = next((place for place in self.ends if place.partition == partition), None)
        if place is None or offset >= self.ends[place]:
            raise NoLetter(f"there is no dead letter {name}")
        first = (await self._consumer.beginning_offsets([place]))[place]
        if offset < first:
            raise NoLetter(f"{name} is kept no longer; the oldest is {partition}:{first}")
        self._consumer.seek(place, offset)
        message = await self._consumer.getone(place)
        return Letter.of(message)

    async def replay(self, letter: Letter) -> None:
        """Put a message back where it came from, as it was; raises NoLetter."""
        if letter.origin is None:
            raise NoLetter(f"{letter.place} does not say where it came from")
        topic, partition, offset = letter.origin
        if partition not in await self._producer.partitions_for(self._prefix + topic):
            raise NoLetter(f"{letter.place}: {topic} has no partition {partition}")
        if not letter.whole:
            raise NoLetter(
                f"{letter.place} is not whole and cannot go back; "
                f"the message is at {topic} {partition}:{offset} while that topic keeps it"
            )
        await self._producer.send_and_wait(
            self._prefix + topic,
            letter.value,
            key=letter.key,
            partition=partition,
            headers=list(letter.headers),
        )


@asynccontextmanager
async def open_letters(
    access: Access, prefix: str, topic: str, ends: Mapping[TopicPartition, int] | None = None
) -> AsyncIterator[Letters]:
    """Connect to the dead letters on ``topic``; those of now, or up to ``ends``.

    Raises KafkaConnectionError where no broker answers, and LookupError where the topic
    is missing.
    """
    producer = AIOKafkaProducer(
        **access.client(), enable_idempotence=True, max_request_size=MAX_MESSAGE
    )
    async with tail(access, prefix + topic) as consumer:
        await producer.start()
        try:
            now = await consumer.end_offsets(consumer.assignment())
            yield Letters(consumer, now if ends is None else ends, producer, prefix)
        finally:
            await producer.stop()
