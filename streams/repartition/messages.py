"""Copy the waiting messages to their new partitions."""

from collections.abc import Iterator, Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition

from connectors.kafka.access import Access
from connectors.kafka.groups import all_partitions
from connectors.kafka.reading import groupless_consumer, read_messages
from connectors.registry.codec import Codec
from schemas.codec.wire import Undecodable
from schemas.records.topic_names import FORWARDED, MOVED
from schemas.records.topics import SUBSCRIPTION_REQUESTS, Topic
from streams.repartition.growth import Growth
from streams.repartition.message_moves import PlacedMessage, placed_messages
from streams.repartition.positions import CopyPositions, Offsets
from streams.repartition.sending import OrderedSender

Headers = tuple[tuple[str, bytes], ...]


class MessageMover:
    """Copies the waiting messages of topics, and returns the new begins of each agent."""

    def __init__(
        self, access: Access, producer: AIOKafkaProducer, codec: Codec, growth: Growth, move: int
    ) -> None:
        """``move`` is the id of this addition of partitions."""
        self._access = access
        self._producer = producer
        self._codec = codec
        self._growth = growth
        self._id = str(move).encode()

    async def move(
        self, topic: Topic, name: str, committed: Mapping[str, Offsets]
    ) -> tuple[dict[str, Offsets], int]:
        """Copy the messages not ``committed`` by an agent; return its begins, and the count.

        Copies of an interrupted attempt are left out, and come before the new beginning. Raises
        KafkaError.
        """
        async with groupless_consumer(self._access) as consumer:
            places = all_partitions([name], self._growth.partitions)
            consumer.assign(places)
            ends = await consumer.end_offsets(places)
            positions = CopyPositions(committed, tuple(ends[each] for each in places))
            sender = OrderedSender(self._producer)
            # In this order: what came to a new partition is younger than what waited in its old.
            for place in places:
                begin = (await consumer.beginning_offsets([place]))[place]
                if place.partition < self._growth.former:
                    least = min(offsets[place.partition] for offsets in committed.values())
                    begin = max(begin, least)
                async for message in read_messages(consumer, {place: (begin, ends[place])}):
                    await self._copy(message, topic, sender, positions)
            await sender.flush()
        return positions.begins(), sender.count

    async def _copy(
        self, message: ConsumerRecord, topic: Topic, sender: OrderedSender, positions: CopyPositions
    ) -> None:
        headers: Headers = tuple(message.headers)
        if (MOVED, self._id) in headers:
            return
        origin = message.partition, message.offset
        for each in await self._placed(message, topic):
            value = message.value
            if each.record is not None:
                value = self._codec.encode(topic.name, each.record)
            await sender.send(
                message.topic,
                each.partition,
                message.key,
                value,
                timestamp=message.timestamp,
                headers=self._headers(message, topic, headers),
                note=lambda partition, offset: positions.note(origin, [(partition, offset)]),
            )

    async def _placed(self, message: ConsumerRecord, topic: Topic) -> list[PlacedMessage]:
        fact: Any = None
        if message.key is None:
            try:
                await self._codec.learn(message.value)
                fact = self._codec.decode(message.value, *topic.kinds)
            except Undecodable:
                fact = None  # the agent that reads it makes a dead letter of it
        return list(placed_messages(message.partition, message.key, fact, self._growth))

    def _headers(self, message: ConsumerRecord, topic: Topic, headers: Headers) -> Headers:
        """Mark a copy; a request is known by its first place, also after its decision."""
        kept = tuple(each for each in headers if each[0] != MOVED)
        marks: Iterator[tuple[str, bytes]] = iter([(MOVED, self._id)])
        if topic is SUBSCRIPTION_REQUESTS and FORWARDED not in dict(headers):
            origin = f"{message.partition}:{message.offset}:{message.timestamp}".encode()
            return (*kept, (FORWARDED, origin), *marks)
        return (*kept, *marks)


async def commit_positions(access: Access, group: str, begins: Mapping[str, Offsets]) -> None:
    """Commit the begin of an agent in each topic, by full names; raises KafkaError.

    The broker refuses the commit while a worker of the agent runs.
    """
    consumer = AIOKafkaConsumer(**access.client(), group_id=group, enable_auto_commit=False)
    await consumer.start()
    try:
        offsets = {
            TopicPartition(topic, number): offset
            for topic, found in begins.items()
            for number, offset in enumerate(found)
        }
        consumer.assign(list(offsets))
        await consumer.commit(offsets)
    finally:
        await consumer.stop()
