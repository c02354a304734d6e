"""Put dead letters back on the topics that they came from."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition

from connectors.dead_letters.record import DeadLetter, DeadLetterError
from connectors.kafka.access import MAX_MESSAGE_BYTES, Access
from connectors.kafka.partitioning import partitioned, place_of
from connectors.kafka.reading import groupless_consumer, read_batches
from connectors.kafka.writing import large_message_producer
from schemas.records.claims import Partitioned
from schemas.records.topics import DEPLOYMENT


class Originals:
    """Reads single messages of topics that are named without their ``prefix``."""

    def __init__(self, consumer: AIOKafkaConsumer, prefix: str) -> None:
        """Read with a started consumer without an assignment."""
        self._consumer = consumer
        self._prefix = prefix

    async def verify(self, letter: DeadLetter, origin: tuple[str, int, int]) -> None:
        """Return if a message is where its dead letter says, and is the same.

        A writer of dead letters can name any origin and content, and what is put back is
        obeyed. Raises DeadLetterError.
        """
        place = "{} {}:{}".format(*origin)
        found = await self._message(*origin)
        if found is None:
            raise DeadLetterError(
                f"{letter.id} cannot be checked: {place} holds no message any more, "
                "so nobody can say whether this one was there"
            )
        if (found.key, found.value, found.headers) != (letter.key, letter.value, letter.headers):
            raise DeadLetterError(
                f"{letter.id} is not what {place} holds: "
                "it may be forged, or that topic was made again"
            )

    async def _message(self, topic: str, partition: int, offset: int) -> ConsumerRecord | None:
        at = TopicPartition(self._prefix + topic, partition)
        self._consumer.assign([at])
        first = (await self._consumer.beginning_offsets([at]))[at]
        end = (await self._consumer.end_offsets([at]))[at]
        if not first <= offset < end:
            return None
        async for batch in read_batches(self._consumer, {at: (offset, offset + 1)}, 1):
            for message in batch.messages:
                return message if message.offset == offset else None
        return None


class Replayer:
    """Puts a message back where it came from, with its own bytes, key and headers."""

    def __init__(
        self,
        producer: AIOKafkaProducer,
        originals: Originals,
        prefix: str,
        topics: Collection[str],
        added: Partitioned | None,
    ) -> None:
        """Send with a started producer to these ``topics`` only, named without the ``prefix``.

        ``added`` says whether partitions were added.
        """
        self._producer = producer
        self._originals = originals
        self._prefix = prefix
        self._topics = topics
        self._added = added

    async def replay(self, letter: DeadLetter) -> None:
        """Put one message back; raises DeadLetterError if it cannot go back.

        Only the bytes that its topic holds where the dead letter says are put back.
        """
        if letter.origin is None or letter.origin[0] not in self._topics:
            # The headers are from outside: they must not choose a topic that is not ours.
            raise DeadLetterError(f"{letter.id} says that it came from no topic of Vokter's")
        topic, partition, offset = letter.origin
        if partition not in await self._producer.partitions_for(self._prefix + topic):
            raise DeadLetterError(f"{letter.id}: {topic} has no partition {partition}")
        if not letter.whole:
            raise DeadLetterError(
                f"{letter.id} is not whole and cannot go back; "
                f"the message is at {topic} {partition}:{offset} while that topic keeps it"
            )
        await self._originals.verify(letter, letter.origin)
        await self._producer.send_and_wait(
            self._prefix + topic,
            letter.value,
            key=letter.key,
            partition=self._place(letter, partition),
            headers=list(letter.headers),
        )

    def _place(self, letter: DeadLetter, partition: int) -> int:
        """Return where a message belongs now: partitions may have been added meanwhile."""
        if letter.key is not None:
            return place_of(self._added, partition, letter.key)
        if self._added is not None and letter.at < self._added.begun:
            raise DeadLetterError(
                f"{letter.id} cannot go back: it is for one partition as they were before more "
                "were added"
            )
        return partition


@asynccontextmanager
async def open_replayer(
    access: Access, prefix: str, topics: Collection[str]
) -> AsyncIterator[Replayer]:
    """Connect a Replayer; raises KafkaConnectionError if no broker answers."""
    async with (
        large_message_producer(access) as producer,
        open_originals(access, prefix) as originals,
    ):
        added = await partitioned(access, prefix + DEPLOYMENT.name)
        yield Replayer(producer, originals, prefix, topics, added)


async def replay_all(
    replayer: Replayer, letters: AsyncIterator[DeadLetter]
) -> tuple[int, list[str]]:
    """Put dead letters back; returns how many, and why each of the others could not go back."""
    done, refused = 0, []
    async for letter in letters:
        try:
            await replayer.replay(letter)
        except DeadLetterError as error:
            refused.append(str(error))
        else:
            done += 1
    return done, refused


@asynccontextmanager
async def open_originals(access: Access, prefix: str) -> AsyncIterator[Originals]:
    """Connect an Originals; raises KafkaConnectionError if no broker answers."""
    options = {"max_partition_fetch_bytes": MAX_MESSAGE_BYTES}
    async with groupless_consumer(access, **options) as consumer:
        yield Originals(consumer, prefix)
