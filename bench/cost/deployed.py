"""A deployment that watches generated pages, registered through Kafka: a hundred times quicker."""

from collections.abc import Sequence
from itertools import product

from aiokafka import AIOKafkaProducer

from bench.measuring import Say
from bench.race.site import Mode
from bench.race.up import Up
from bench.race.watched import Watched
from schemas.codec import wire
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topics import SUBSCRIPTION_REQUESTS
from tests.harness.rest import client

CHUNK = 1_000
"""Pages that are registered, and read, before the next ones are."""
TIMEOUT_S = 900.0
TENTH = 10


async def watch(
    up: Up, watched: Watched, hooks: Sequence[str], words: Sequence[str], interval: int, say: Say
) -> None:
    """Subscribe each receiver to each page, and wait until every page was read."""
    async with client(up.settings.port) as rest:
        kafka = AIOKafkaProducer(bootstrap_servers=(await rest.ready()).body["kafka"])
    await watched.begin(Mode())
    topic = up.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    options = Options(interval=interval)
    async with kafka:
        for start in range(0, len(watched.pages), CHUNK):
            pages = watched.pages[start : start + CHUNK]
            for page, hook in product(pages, hooks):
                request = Subscribe(page, Receiver(hook), keywords=tuple(words), options=options)
                await kafka.send(topic, wire.encode(request), key=page.encode())
            await watched.read(start, TIMEOUT_S)
            if start // CHUNK % TENTH == 0:
                say(f"{start:,} of {len(watched.pages):,} pages are read")
    await watched.read(len(watched.pages), TIMEOUT_S)
