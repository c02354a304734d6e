"""``vokter doctor --repair``: has the ticker compare all its watches with the register."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic

from aiokafka import AIOKafkaConsumer, TopicPartition

from connectors.kafka.reading import tail
from connectors.kafka.writing import large_message_producer
from connectors.registry.codec import Codec
from schemas.codec.wire import Undecodable
from schemas.records.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from schemas.records.watches import StateWatches, WatchesStated
from streams.cli.checks.finding import Finding, Level
from streams.effects.connections import kafka_access, started_codec
from streams.settings import Settings
from streams.values.url_hashes import LAST_HASH

TIMEOUT_S = 60.0
"""Seconds for a partition to state its next watches."""
ALL = StateWatches(0, LAST_HASH)


async def repair(settings: Settings) -> Finding:
    """Ask match to state all watches, and count them.

    The ticker follows each difference, fetches unknown documents, and forgets documents without
    subscriptions. Raises KafkaError or OSError.
    """
    codec = await started_codec(settings)
    access, prefix = kafka_access(settings), settings.topic_prefix
    async with (
        tail(access, prefix + SUBSCRIPTIONS.name) as facts,
        large_message_producer(access) as producer,
    ):
        value = codec.encode(SUBSCRIPTION_REQUESTS.name, ALL)
        requests = prefix + SUBSCRIPTION_REQUESTS.name
        for place in facts.assignment():
            await producer.send_and_wait(requests, value, partition=place.partition)
        counts = await stated_watches(facts, codec, monotonic)
    missing = sorted(place.partition for place, count in counts.items() if count is None)
    if missing:
        return Finding(
            Level.ERROR,
            "repair",
            f"match did not state the watches of partitions {', '.join(map(str, missing))} "
            f"within {TIMEOUT_S:g} s",
            "Start a worker of match (vokter worker match), then run this again.",
        )
    watches = sum(count or 0 for count in counts.values())
    text = f"match stated {watches} watches; the ticker follows where it differs, and logs each"
    return Finding(Level.OK, "repair", text)


async def stated_watches(
    facts: AIOKafkaConsumer, codec: Codec, clock: Callable[[], float]
) -> Mapping[TopicPartition, int | None]:
    """Count the watches of each partition; None for a partition not stated in time.

    ``clock`` is monotonic, in seconds. Other facts, however many come, give nobody more time.
    """
    counts: dict[TopicPartition, int | None] = dict.fromkeys(facts.assignment())
    until = dict.fromkeys(counts, clock() + TIMEOUT_S)
    found: Counter[TopicPartition] = Counter()
    while until := {place: end for place, end in until.items() if end > clock()}:
        fact = None
        with suppress(TimeoutError, Undecodable):  # what is undecodable is a dead letter
            async with asyncio.timeout(min(until.values()) - clock()):
                message = await facts.getone()
            place = TopicPartition(message.topic, message.partition)
            await codec.learn(message.value)
            fact = codec.decode(message.value, *SUBSCRIPTIONS.kinds)
        if isinstance(fact, WatchesStated) and place in until:
            found[place] += len(fact.watches)
            until[place] = clock() + TIMEOUT_S
            if fact.last == LAST_HASH:
                counts[place] = found[place]
                del until[place]
    return counts
