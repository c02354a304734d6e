"""Work for the workers of an agent: checks of pages that do not change, and changes."""

import random
from dataclasses import replace
from itertools import chain, count
from typing import Protocol

from aiokafka import AIOKafkaProducer

from bench.deployed import Behind, done, filled
from bench.fetching import Watches
from bench.measuring import Say
from bench.race.watched import Watched
from bench.workload import LANGUAGE, change, registered, specific_keyword, subscription, vocabulary
from connectors.kafka.topics import create_topics
from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import Registration
from schemas.records.topics import CHANGES
from streams.agents.match.register.requests import Target
from streams.effects.clock import now
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from streams.settings import Settings

DOCUMENTS, SUBSCRIPTIONS = 500, 10


class Load(Protocol):
    """Work for the workers of an agent."""

    async def prepare(self, settings: Settings) -> None:
        """Create what workers must find when they start."""

    async def acquaint(self, settings: Settings, behind: Behind) -> None:
        """Make workers handle each document once, before anything is measured."""

    async def send(self, settings: Settings) -> None:
        """Send a round's messages."""


class Checks:
    """Pages that do not change."""

    def __init__(self, kafka: AIOKafkaProducer, watched: Watched, say: Say) -> None:
        self._kafka = kafka
        self._watched = watched
        self._say = say
        self._watches: dict[str, Watches] = {}

    async def prepare(self, settings: Settings) -> None:
        """Create the topics."""
        await create_topics(kafka_access(settings), topic_specs(settings))

    async def acquaint(self, settings: Settings, behind: Behind) -> None:
        """Fetch all pages for the first time."""
        watches = Watches(settings, self._kafka, behind, self._watched.pages)
        await watches.read(self._watched, self._say)
        self._watches[settings.topic_prefix] = watches

    async def send(self, settings: Settings) -> None:
        """Check all pages."""
        await self._watches[settings.topic_prefix].command(len(self._watched.pages))


class Changes:
    """Changes, each of a document with ten subscriptions that it concerns."""

    def __init__(self, kafka: AIOKafkaProducer, messages: int, seed: int) -> None:
        self._kafka = kafka
        self._messages = messages
        self._numbers = count()
        chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
        words = vocabulary(chance)
        self._everyone = [_subscribers(n, words, chance) for n in range(DOCUMENTS)]
        self._changes = [_change(each, words, chance) for each in self._everyone]

    async def prepare(self, settings: Settings) -> None:
        """Write the table of subscriptions."""
        everyone = chain.from_iterable(self._everyone)
        await filled(settings, "match", "subscriptions", map(_row, everyone))

    async def acquaint(self, settings: Settings, behind: Behind) -> None:
        """Change each document once."""
        for each in self._changes:
            await self._one(settings, each)
        await done(behind)

    async def send(self, settings: Settings) -> None:
        """Change documents, one after the other."""
        for number in range(self._messages):
            await self._one(settings, self._changes[number % DOCUMENTS])
        await self._kafka.flush()

    async def _one(self, settings: Settings, fact: DocumentChanged) -> None:
        notified = replace(fact, id=f"{next(self._numbers):032x}", slot=now())
        topic = settings.topic_prefix + CHANGES.name
        await self._kafka.send(topic, wire.encode(notified), key=fact.url.encode())


def _subscribers(document: int, words: list[str], chance: random.Random) -> list[Subscription]:
    url = f"http://example.org/{document}"
    numbers = range(document * SUBSCRIPTIONS, (document + 1) * SUBSCRIPTIONS)
    each = (subscription(number, specific_keyword(words, chance), chance) for number in numbers)
    return [replace(one, url=url, document_url=url) for one in each]


def _row(kept: Subscription) -> tuple[str, bytes, Registration]:
    return kept.url, Target("", kept.url, kept.receiver).key, registered(kept)


def _change(
    everyone: list[Subscription], words: list[str], chance: random.Random
) -> DocumentChanged:
    regions = tuple(change(everyone, words, chance))
    first = everyone[0]
    return DocumentChanged("", first.url, first.watch, 0, 0, "text/html", LANGUAGE, regions, 1)
