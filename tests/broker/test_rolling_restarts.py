"""Two match workers restarted by turns under load: each request is decided once."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from signal import SIGTERM
from typing import Any

import pytest

from connectors.kafka.topics import create_topics
from infra.broker import LocalBroker
from schemas import wire
from schemas.facts import Cancelled, Rejected, Subscribed
from schemas.state import Registration
from streams.engine.worker import changelog_topic
from streams.pipeline import topic_specs
from streams.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from tests.harness.facts import Messages, latest, producer, reading
from tests.harness.processes import Deployment
from tests.harness.register_model import Model, requests
from tests.harness.waiting import until

REQUESTS = 15_000
RESTARTS = 5
AHEAD = 3_000
"""Requests produced before their answers have been read."""
WORKERS = ("match", "match-2")


@pytest.fixture
def matchers(broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(broker.bootstrap, tmp_path) as deployment:
        yield deployment


class Answers:
    """Request id → every distinct answer that was read: kind, code, subscription."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self._read = 0
        self.of: defaultdict[str, set[tuple[str, int, str]]] = defaultdict(set)

    def count(self) -> int:
        """Take in what has come since and count the requests that were answered."""
        facts = self._messages.facts[self._read :]
        self._read += len(facts)
        for fact in facts:
            self.of[fact.request_id].add(_meaning(fact))
        return len(self.of)

    async def reach(self, enough: int) -> None:
        """Wait until so many requests are answered."""
        await until(lambda: self.count() >= enough, f"{enough} are answered", patience=90)


def _meaning(fact: Any) -> tuple[str, int, str]:
    match fact:
        case Subscribed():
            return "subscribed", 0, fact.subscription.id
        case Cancelled():
            return "cancelled", 0, fact.subscription
        case Rejected():
            return "rejected", fact.code, ""
    raise AssertionError(f"no answer: {fact}")


async def produce(deployment: Deployment, model: Model, answers: Answers) -> None:
    """Produce the whole load, never too far ahead of its answers."""
    topic = deployment.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    async with producer(deployment.settings) as kafka:
        for request in requests(REQUESTS, documents=400, clients=3, seed=3):
            model.apply(request)
            await kafka.send(topic, wire.encode(request), key=request.document_url.encode())
            if len(model.answers) % 500 == 0:
                await answers.reach(len(model.answers) - AHEAD)


async def roll(deployment: Deployment, answers: Answers) -> None:
    """Restart the workers by turns, each time when a good deal more was answered."""
    for number, name in zip(range(1, RESTARTS + 1), cycle(WORKERS), strict=False):
        await answers.reach(REQUESTS * number // (RESTARTS + 2))
        assert await asyncio.to_thread(deployment[name].send, SIGTERM) == 0
        deployment[name].start()


async def test_each_of_15000_requests_is_answered_once_through_five_rolling_restarts(
    matchers: Deployment,
) -> None:
    settings, model = matchers.settings, Model()
    await create_topics(settings.kafka or "", topic_specs(settings))
    async with reading(settings, SUBSCRIPTIONS) as messages:
        answers = Answers(messages)
        matchers.start(*WORKERS)
        await asyncio.gather(produce(matchers, model, answers), roll(matchers, answers))
        await answers.reach(len(model.answers))
        for name in WORKERS:
            assert await asyncio.to_thread(matchers[name].send, SIGTERM) == 0
    assert all(len(distinct) == 1 for distinct in answers.of.values()), "no contradiction"
    found = {name: next(iter(distinct)) for name, distinct in answers.of.items()}
    assert {name: code for name, (_, code, _) in found.items()} == model.answers
    await agrees(matchers, model, found)


async def agrees(
    deployment: Deployment, model: Model, found: dict[str, tuple[str, int, str]]
) -> None:
    """The table has exactly the subscriptions of the model, as they were answered."""
    topic = changelog_topic(deployment.settings.topic_prefix, "match", "subscriptions")
    rows = (await latest(deployment.settings, topic)).values()
    kept = [wire.decode(row, Registration).subscription for row in rows]
    table = {(s.url, s.client_url): (s.id, s.keywords) for s in kept if s is not None}
    assert table == {
        job: (found[model.began[job]][2], request.keywords)
        for job, request in model.current.items()
    }
