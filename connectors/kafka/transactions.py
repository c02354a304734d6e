"""Open transactions: no later message of a partition is read."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.client import AIOKafkaClient
from aiokafka.errors import LeaderNotAvailableError, for_code
from aiokafka.protocol.offset import OffsetRequest

from connectors.kafka.groups import end_offsets_of

COMMITTED, LATEST, CONSUMER = 1, -1, -1
OPEN_AFTER_S = 10.0
"""A transaction open for longer is a problem of the deployment."""


async def held_up_messages(
    consumer: AIOKafkaConsumer, topics: Iterable[str], partitions: int
) -> dict[TopicPartition, tuple[int, int]]:
    """Return the last stable offset of each partition, and the number of later messages.

    These belong to an open transaction, or come after its first message. Raises KafkaError.
    """
    # The ends come first: a message that comes in between does not count.
    ends = await end_offsets_of(consumer, topics, partitions)
    stable = await _stable_offsets(consumer._client, ends)  # noqa: SLF001 - it asks for the ends only
    return {place: (offset, max(0, ends[place] - offset)) for place, offset in stable.items()}


def open_transactions(ages: Mapping[TopicPartition, float], least_s: float) -> list[str]:
    """Return the findings about topics whose last stable offset stands for ``least_s`` seconds.

    >>> ages = {TopicPartition("changes", 0): 24.0, TopicPartition("crawls", 1): 3.0}
    >>> open_transactions(ages, 10.0)
    ['a transaction on changes is open for 24 s, and holds up all messages after its first one']
    """
    oldest: defaultdict[str, float] = defaultdict(float)
    for place, age in ages.items():
        oldest[place.topic] = max(oldest[place.topic], age)
    return [
        f"a transaction on {topic} is open for {age:.0f} s, and holds up all messages after its "
        "first one"
        for topic, age in sorted(oldest.items())
        if age >= least_s
    ]


async def _stable_offsets(
    client: AIOKafkaClient, places: Iterable[TopicPartition]
) -> dict[TopicPartition, int]:
    by_leader: defaultdict[int, defaultdict[str, list[tuple[int, int]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for place in places:
        leader = client.cluster.leader_for_partition(place)
        if leader is None or leader < 0:
            raise LeaderNotAvailableError(place)
        by_leader[leader][place.topic].append((place.partition, LATEST))
    answers = await asyncio.gather(
        *(
            client.send(leader, OffsetRequest(CONSUMER, COMMITTED, list(asked.items())))
            for leader, asked in by_leader.items()
        )
    )
    found = {}
    for topic, partitions in (each for answer in answers for each in answer.topics):
        for number, error, _, offset in partitions:
            if error:
                raise for_code(error)(topic, number)
            found[TopicPartition(topic, number)] = offset
    return found
