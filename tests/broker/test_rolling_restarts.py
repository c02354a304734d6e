"""Two match workers that end by turns under load: each request is decided once."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle
from pathlib import Path
from signal import SIGKILL, SIGTERM, Signals
from typing import Any, cast

import pytest
from rocksdict import AccessType, Options, Rdict

from connectors.kafka.topics import create_topics
from infra.broker import LocalBroker
from schemas.codec import wire
from schemas.records.subscription_facts import Cancelled, Rejected, Subscribed
from schemas.records.table_rows import Registration
from schemas.records.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from schemas.records.watches import WatchesStated
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from streams.engine.faust.state import PatchedStore
from streams.engine.life.loop_watch import BROKEN
from streams.values.agent import changelog_topic
from tests.harness.facts import Messages, latest, producer, reading
from tests.harness.processes import Deployment
from tests.harness.register_model import Model, requests
from tests.harness.waiting import until

AHEAD = 3_000
"""Requests produced before their answers have been read."""
WORKERS = ("match", "match-2")
READY = re.compile(r"\bready\b.*agent=match .*partitions=(\[.*?\])")


@pytest.fixture
def matchers(broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(broker.bootstrap, tmp_path, is_kept=True) as deployment:
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
            if not isinstance(fact, WatchesStated):  # every ten minutes, whoever asks
                self.of[fact.request_id].add(_meaning(fact))
        return len(self.of)

    async def reach(self, enough: int) -> None:
        """Wait until so many requests are answered."""
        await until(lambda: self.count() >= enough, f"{enough} are answered")


def _meaning(fact: Any) -> tuple[str, int, str]:
    match fact:
        case Subscribed():
            return "subscribed", 0, fact.subscription.id
        case Cancelled():
            return "cancelled", 0, fact.subscription
        case Rejected():
            return "rejected", fact.code, ""
    raise AssertionError(f"no answer: {fact}")


async def produce(deployment: Deployment, count: int, model: Model, answers: Answers) -> None:
    """Produce the whole load, never too far ahead of its answers."""
    topic = deployment.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    async with producer(deployment.settings) as kafka:
        for number, request in enumerate(requests(count, documents=400, clients=3, seed=3)):
            model.apply(request)
            await kafka.send(topic, wire.encode(request), key=request.document_url.encode())
            if number % 500 == 0:
                await answers.reach(len(model.answers) - AHEAD)


async def roll(deployment: Deployment, end: Signals, turns: int, step: int, seen: Answers) -> None:
    """End the workers by turns and start them again, each time ``step`` answers later."""
    known = dict.fromkeys(WORKERS, 0)
    for turn, name in zip(range(1, turns + 1), cycle(WORKERS), strict=False):
        await seen.reach(step * turn)
        if end == SIGTERM:
            await asyncio.to_thread(deployment.stop, name)
        else:
            assert await asyncio.to_thread(deployment[name].send, end) in (-end, BROKEN)
        known[name] = len(assignments(deployment, name))
        deployment[name].start()
    for name in WORKERS:
        await until(lambda: len(assignments(deployment, name)) > known[name], f"{name} is ready")  # noqa: B023 - awaited here


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "end", "turns"),
    [(15_000, SIGTERM, 5), (6_000, SIGKILL, 4)],
    ids=["restarted", "killed"],
)
async def test_each_request_is_answered_once_while_its_workers_come_and_go(
    matchers: Deployment, count: int, end: Signals, turns: int
) -> None:
    settings, model = matchers.settings, Model()
    await create_topics(kafka_access(settings), topic_specs(settings))
    async with reading(settings, SUBSCRIPTIONS) as messages:
        answers = Answers(messages)
        matchers.start(*WORKERS)
        step = count // (turns + 2)
        await asyncio.gather(
            produce(matchers, count, model, answers), roll(matchers, end, turns, step, answers)
        )
        await answers.reach(len(model.answers))
        for name in WORKERS:
            await asyncio.to_thread(matchers.stop, name)
    assert all(len(distinct) == 1 for distinct in answers.of.values()), "no contradiction"
    found = {name: next(iter(distinct)) for name, distinct in answers.of.items()}
    assert {name: code for name, (_, code, _) in found.items()} == model.answers
    await agrees(matchers, model, found)


def assignments(deployment: Deployment, name: str) -> list[list[int]]:
    """The partitions that a worker said it was ready with, each time."""
    return [json.loads(partitions) for partitions in READY.findall(deployment[name].said)]


def owned(deployment: Deployment, name: str) -> Iterator[Path]:
    """The local copies of the partitions that a worker had last."""
    partitions = assignments(deployment, name)[-1]
    for lock in (deployment.settings.data_dir / "state" / "match").glob("*/lock"):
        if lock.read_text().split()[0] == str(deployment[name].pid):
            folders = {folder.parent.name: folder.parent for folder in lock.parent.rglob("CURRENT")}
            yield from (folders[f"subscriptions-{number}.db"] for number in partitions)


def copied(folder: Path) -> dict[bytes, bytes]:
    """The rows of a local copy that nobody holds."""
    options = Options(raw_mode=True)
    with closing(Rdict(str(folder), options, access_type=AccessType.read_only())) as copy:
        rows = cast("dict[bytes, bytes]", dict(copy.items()))
    return {key: row for key, row in rows.items() if key != PatchedStore.offset_key}


async def agrees(
    deployment: Deployment, model: Model, found: dict[str, tuple[str, int, str]]
) -> None:
    """The table and its copies have exactly the model's subscriptions, as they were answered."""
    topic = changelog_topic(deployment.settings.topic_prefix, "match", "subscriptions")
    rows = await latest(deployment.settings, topic)
    copies = [copied(folder) for name in WORKERS for folder in owned(deployment, name)]
    assert {key: row for copy in copies for key, row in copy.items()} == rows
    kept = [wire.decode(row, Registration).subscription for row in rows.values()]
    table = {
        (s.url, s.receiver.client_url, s.name): (s.id, s.keywords, s.paused)
        for s in kept
        if s is not None
    }
    assert table == {
        job: (found[model.began[job]][2], request.keywords, job in model.paused)
        for job, request in model.current.items()
    }
