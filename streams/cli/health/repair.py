"""``vokter doctor --repair``: has schedule compare all its watches with the register."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from aiokafka import AIOKafkaConsumer, TopicPartition

from connectors.kafka.reading import tail
from connectors.kafka.writing import large_message_producer
from connectors.registry.codec import Codec
from schemas.facts import StateWatches, WatchesStated
from schemas.wire import Undecodable
from streams.cli.health.finding import Finding, Level
from streams.core.url_hashes import LAST_HASH
from streams.settings import Settings
from streams.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from streams.wiring.connections import kafka_access, started_codec

TIMEOUT_S = 60.0
"""How long one partition may take to state its next watches."""
ALL = StateWatches(0, LAST_HASH)


async def repair(settings: Settings) -> Finding:
    """Ask match to state all watches, and count them.

    Schedule follows where it differs: it fetches a document that it did not know of, and
    forgets one that has no subscription. Raises KafkaError or OSError.
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
        return _finding(await _stated(facts, codec))


async def _stated(facts: AIOKafkaConsumer, codec: Codec) -> Mapping[TopicPartition, int | None]:
    """Count the watches of each partition; None for one that was not stated to its end."""
    counts = dict.fromkeys(facts.assignment(), 0)
    done: set[TopicPartition] = set()
    try:
        while len(done) < len(counts):
            async with asyncio.timeout(TIMEOUT_S):
                message = await facts.getone()
            place, fact = TopicPartition(message.topic, message.partition), None
            with suppress(Undecodable):  # it is a dead letter
                await codec.learn(message.value)
                fact = codec.decode(message.value, *SUBSCRIPTIONS.kinds)
            if isinstance(fact, WatchesStated) and place not in done:
                counts[place] += len(fact.watches)
                if fact.last == LAST_HASH:
                    done.add(place)
    except TimeoutError:
        pass
    return {place: count if place in done else None for place, count in counts.items()}


def _finding(counts: Mapping[TopicPartition, int | None]) -> Finding:
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
    text = f"match stated {watches} watches; schedule follows where it differs, and logs each"
    return Finding(Level.OK, "repair", text)
