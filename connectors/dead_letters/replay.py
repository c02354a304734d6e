"""Put dead letters back on their topics."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiokafka import AIOKafkaProducer

from connectors.dead_letters.originals import Originals, open_originals, verify
from connectors.dead_letters.record import DeadLetter, DeadLetterError, LetterRefusal, Origin
from connectors.kafka.access import Access
from connectors.kafka.partitioning import partitioned, place_of
from connectors.kafka.writing import large_message_producer
from schemas.records.claims import Partitioned
from schemas.records.topics import DEPLOYMENT

BATCH, BATCH_BYTES = 5_000, 4_000_000
"""Messages, and bytes of them, put back at a time."""
SHOWN = 3
"""The most refusals shown of each cause."""


class Replayer:
    """Puts a message back on its topic, with its own bytes, key and headers."""

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
        """Put a message back; raises DeadLetterError if not possible."""
        for error in await self.replay_batch([letter]):
            raise error

    async def replay_batch(self, letters: Sequence[DeadLetter]) -> list[DeadLetterError]:
        """Put messages back in their order; return why some cannot go back.

        Only bytes equal to the topic's, at the offset in the dead letter, are put back.
        """
        refused: list[DeadLetterError] = []
        known: list[tuple[DeadLetter, Origin]] = []
        for letter in letters:
            try:
                known.append((letter, await self._origin(letter)))
            except DeadLetterError as error:
                refused.append(error)
        compared = await self._originals.compared(known) if known else {}
        sent = []
        for letter, origin in known:
            try:
                verify(letter, origin, compared.get(letter.id))
                place = self._place(letter, origin[1])
            except DeadLetterError as error:
                refused.append(error)
            else:
                sent.append(await self._send(letter, origin[0], place))
        await asyncio.gather(*sent)
        return refused

    async def _origin(self, letter: DeadLetter) -> Origin:
        """Return the origin of a message, if the message can go back there."""
        if letter.origin is None or letter.origin[0] not in self._topics:
            # The headers are from outside: they must not choose a topic that is not ours.
            raise DeadLetterError(
                f"{letter.id} says that it came from no topic of Vokter's", LetterRefusal.FOREIGN
            )
        topic, partition, offset = letter.origin
        if partition not in await self._producer.partitions_for(self._prefix + topic):
            raise DeadLetterError(
                f"{letter.id}: {topic} has no partition {partition}", LetterRefusal.NO_PARTITION
            )
        if not letter.whole:
            raise DeadLetterError(
                f"{letter.id} is not whole and cannot go back; "
                f"the message is at {topic} {partition}:{offset} while that topic keeps it",
                LetterRefusal.CUT,
            )
        return letter.origin

    async def _send(self, letter: DeadLetter, topic: str, partition: int) -> Awaitable[object]:
        sent: Awaitable[object] = await self._producer.send(
            self._prefix + topic,
            letter.value,
            key=letter.key,
            partition=partition,
            headers=list(letter.headers),
        )
        return sent

    def _place(self, letter: DeadLetter, partition: int) -> int:
        """Return where a message belongs now: partitions may have been added meanwhile."""
        if letter.key is not None:
            return place_of(self._added, partition, letter.key)
        if self._added is not None and letter.at < self._added.begun:
            raise DeadLetterError(
                f"{letter.id} cannot go back: it is for one partition as they were before more "
                "were added",
                LetterRefusal.FORMER_PARTITION,
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


@dataclass(frozen=True, slots=True)
class Replayed:
    """The number of dead letters put back so far, and the reasons for the others.

    ``refused`` are how many by their causes, ``reasons`` the texts of the first of each cause.
    """

    done: int = 0
    refused: Mapping[LetterRefusal | None, int] = field(default_factory=dict)
    reasons: Mapping[LetterRefusal | None, Sequence[str]] = field(default_factory=dict)

    def after(self, count: int, errors: Sequence[DeadLetterError]) -> "Replayed":
        """Return the same after a batch of ``count``, of which some were refused."""
        refused = Counter(self.refused) + Counter(each.cause for each in errors)
        reasons = {
            cause: [
                *self.reasons.get(cause, ()),
                *(str(each) for each in errors if each.cause is cause),
            ][:SHOWN]
            for cause in refused
        }
        return Replayed(self.done + count - len(errors), refused, reasons)

    def summary(self) -> str:
        """Return why some are not put back, a few of each cause."""
        parts: list[str] = []
        for cause, count in self.refused.items():
            parts += self.reasons[cause]
            if count > SHOWN:
                parts.append(f"and {count - SHOWN} more for the same cause")
        return "; ".join(parts)


async def replay_all(
    replayer: Replayer, letters: AsyncIterator[DeadLetter]
) -> AsyncIterator[Replayed]:
    """Put dead letters back in batches; yields the progress after each of them."""
    replayed = Replayed()
    async for batch in _batches(letters):
        replayed = replayed.after(len(batch), await replayer.replay_batch(batch))
        yield replayed


async def _batches(letters: AsyncIterator[DeadLetter]) -> AsyncIterator[list[DeadLetter]]:
    batch: list[DeadLetter] = []
    size = 0
    async for letter in letters:
        batch.append(letter)
        size += letter.size
        if len(batch) == BATCH or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
