"""One worker of judge without Kafka: its topic, tables and model, and crashes."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from schemas.codec import wire
from schemas.records.answers import AskModel, ModelQuery, ModelReply
from schemas.records.changes import Diff
from schemas.records.judgements import Judge, Judging, Suppressed
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver
from streams.agents.judge.agent import JudgeProcessor
from streams.agents.judge.asking import Model
from streams.agents.judge.budgets import ModelLimits
from streams.app import JUDGE
from streams.values.outcome import Event, Outcome, Owned
from tests.fakes.events import event
from tests.fakes.outgoing import CLIENT, PAGE, notification

HOUR_MS = 3_600_000
NOON = 1_700_049_600_000
PASS = '{"verdict": "pass", "because": "It says so."}'  # noqa: S105 - no password
SUPPRESS = '{"verdict": "suppress", "because": "It is about cookies."}'
SUMMARY = '{"summary": "The lamp costs less."}'
AWAY = ModelReply("", 0, "the model is away", is_away=True)


def news(text: str = "a lamp", name: str = "n1", **fields: Any) -> Notification:
    """Build a notification of an edited sentence."""
    diff = Diff("added", "*", text, text, "edited", before="a dear lamp", after=text)
    return replace(notification(name), **{"diffs": (diff,), "title": "Lamps", **fields})


def judging(rule: str = "only lamps", **fields: Any) -> Judging:
    return Judging(rule=rule, **fields)


def judge(
    found: Notification | None = None, wants: Judging | None = None, url: str = PAGE
) -> Judge:
    return Judge(found or news(), url, wants or judging())


@dataclass
class FakeModel:
    """Answers ``answers`` in their order, the last one again and again; ``gate`` holds it up."""

    answers: list[str | ModelReply] = field(default_factory=lambda: [PASS])
    asked: list[ModelQuery] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.gate.set()

    async def ask(self, query: ModelQuery) -> ModelReply:
        self.asked.append(query)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        await self.gate.wait()
        return answer if isinstance(answer, ModelReply) else ModelReply(answer, 100)


class Crash(Exception):
    """The process ends."""


class World:
    """The agent, with what is durable of it."""

    def __init__(
        self,
        model: FakeModel | None = None,
        *,
        calls: int = 1_000,
        tokens: int = 1_000_000,
        partitions: int = 1,
        ask: AskModel | None = None,
        name: str = "m1",
    ) -> None:
        self.model = model or FakeModel()
        self.now = NOON
        self.limits = ModelLimits(calls, tokens)
        self.partitions = partitions
        self.tables: defaultdict[tuple[int, str], dict[bytes, bytes]] = defaultdict(dict)
        self.sent: list[Any] = []
        self.left: list[Any] = []
        self.name = name
        self.ask = ask or self.model.ask
        self.steps_until_crash: int | None = None
        self.agent = self._built()

    def _built(self) -> JudgeProcessor:
        model = Model(self.name, self.ask)
        return JudgeProcessor(
            model=model, limits=self.limits, clock=lambda: self.now, partitions=self.partitions
        )

    async def begin(self, *partitions: int) -> "World":
        """Assign partitions, of which the tables may have rows."""
        owned = [Owned(each, {}, self._rows(each), {}) for each in partitions or (0,)]
        await self.agent.assigned(owned)
        return self

    def _rows(self, partition: int) -> Callable[[str], Iterator[tuple[bytes, bytes]]]:
        return lambda table: iter(list(self.tables[partition, table].items()))

    async def restart(self) -> "World":
        """Crash, and begin with what is durable."""
        self.agent.released()
        self.steps_until_crash = None
        self.agent = self._built()
        return await self.begin()

    async def take(self, fact: Any, *, offset: int | None = None, partition: int = 0) -> Event:
        """Handle a message to its end."""
        taken = event(
            fact, topic="judgements", partition=partition, offset=offset, timestamp=self.now
        )
        await self.handle(taken)
        return taken

    async def handle(self, taken: Event) -> None:
        def lookup(table: str, key: bytes) -> bytes | None:
            return self.tables[taken.partition, table].get(key)

        outcome = await self.agent.handle(taken, lookup)
        for part in (outcome, *(outcome.rest or ())):
            self._apply(part, taken.partition)

    async def pass_time(self, seconds: float) -> None:
        """Let the timer tick, and handle what it commands."""
        self.now += int(seconds * 1000)
        for send in list(self.agent.tick(0, self.now)):
            await self.take(send.record)
        await self.settle()

    async def settle(self) -> None:
        """Handle what the agent has sent to itself."""
        while self.sent:
            await self.take(self.sent.pop(0))

    def _apply(self, part: Outcome, partition: int) -> None:
        for send in part.sends:
            self._step()
            (self.sent if send.topic == "judgements" else self.left).append(send.record)
        for put in part.puts:
            self._step()
            rows = self.tables[partition, put.table or JUDGE.tables[0].name]
            if put.record is None:
                rows.pop(put.key, None)
            else:
                rows[put.key] = wire.encode(put.record)

    def _step(self) -> None:
        if self.steps_until_crash is not None:
            if self.steps_until_crash == 0:
                raise Crash
            self.steps_until_crash -= 1

    @property
    def verdicts(self) -> list[tuple[str, str]]:
        """The ids and verdicts of what left, suppressed or not, in its order."""
        found = [each.notification if isinstance(each, Suppressed) else each for each in self.left]
        return [(each.id, each.verdict) for each in found]


def other_client(found: Notification, client: str) -> Notification:
    return replace(found, receiver=Receiver(f"{CLIENT}/{client}"))
