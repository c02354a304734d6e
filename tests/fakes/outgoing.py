"""One partition of deliver without Kafka: its topics, tables and receivers, and crashes."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from schemas.codec import wire
from schemas.records.answers import LookedUp, WebhookResponse
from schemas.records.channels import Digest
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver
from schemas.records.urls import hostname
from streams.agents.deliver.agent import DeliverProcessor
from streams.agents.deliver.granting import ChallengeEffects
from streams.agents.deliver.outbox.in_hand import CHANNELS, WEBHOOKS, KindCapacity
from streams.agents.deliver.outbox_rows import RECEIVERS
from streams.agents.deliver.sending import DeliveryEffects, ReceiverEffects
from streams.engine.acks.ledger import Ledger
from streams.values.outcome import Outcome, Owned, Put, Send
from streams.values.retry_schedule import RETRY_SCHEDULE
from tests.fakes.events import event

NOTIFICATIONS, ATTEMPTS, CHALLENGES = "notifications", "attempts", "challenges"
TOPICS = (NOTIFICATIONS, ATTEMPTS, CHALLENGES)
CLIENT = "http://client.test/hook"
PAGE = "http://document.test/"
MAX_DIGEST = 1_000_000
TAKEN = WebhookResponse(204)
REFUSED = WebhookResponse(500, "answered 500")


def notification(
    name: str, client: str | None = CLIENT, url: str = PAGE, manager: str = "m"
) -> Notification:
    """Build a notification; without a client it is for a session."""
    return Notification(
        id=name,
        change="c",
        subscription=f"of {name}",
        manager=manager,
        receiver=Receiver(client, None if client else "me"),
        status="ok",
        url=url,
        content_type="text/html",
        diffs=(),
        truncated=False,
        at=1,
        rotation=0,
        rotated=0,
        watch="w",
        test=False,
    )


async def _no_digest(*_: str) -> None:
    return None


def without_digests(post: Any) -> ReceiverEffects:
    """Return effects of receivers without digests; ``post`` gets one notification."""

    async def send(
        _: str, client: str, notified: Sequence[Notification], _is_digest: bool
    ) -> WebhookResponse:
        (single,) = notified
        answer: WebhookResponse = await post(client, single)
        return answer

    effects = DeliveryEffects(send, _no_digest, lambda row, _: len(row), MAX_DIGEST)
    return ReceiverEffects(effects, effects)


@dataclass
class Pending:
    """A POST that waits for its answer."""

    client: str
    notified: Notification
    answer: "asyncio.Future[WebhookResponse]"
    digest: tuple[str, ...] = ()
    kind: str = ""


@dataclass
class Asked:
    """A challenge that waits for its end."""

    client: str
    reason: "asyncio.Future[str]"


@dataclass
class Partition:
    """The durable things: topics, tables, committed offsets; and what was published."""

    topics: dict[str, list[Any]] = field(default_factory=lambda: {topic: [] for topic in TOPICS})
    rows: defaultdict[str, dict[bytes, bytes]] = field(default_factory=lambda: defaultdict(dict))
    committed: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TOPICS, 0))
    facts: list[Any] = field(default_factory=list)


class Office:
    """A worker of that partition; after ``crash`` another one begins on what is durable.

    If it ``asks``, receivers have to answer a challenge first. ``digests`` are by client URL.
    """

    def __init__(
        self,
        schedule: Sequence[float] = RETRY_SCHEDULE,
        now: int = 1_000_000,
        asks: bool = False,
        turn_timeout_s: float = 0,
        webhooks: KindCapacity = WEBHOOKS,
        channels: KindCapacity = CHANNELS,
        digests: dict[str, Digest] | None = None,
    ) -> None:
        self.digests = digests
        self.kept = Partition()
        self.now = now
        self.asks = asks
        self.asking: list[Asked] = []
        self.asked: list[tuple[int, str]] = []
        self.pending: list[Pending] = []
        self.posts: list[tuple[int, str]] = []
        self.cut: int | None = None
        self.addresses: dict[str, str] = {}
        self.has_name_server = True
        self.is_out_of_order = False
        self._schedule = schedule
        self._turn_timeout_s = turn_timeout_s
        self._capacities = webhooks, channels

    async def begin(self) -> "Office":
        """Start a worker on what is durable."""
        challenges = ChallengeEffects(self._ask, self._look_up) if self.asks else None
        self.agent = DeliverProcessor(
            effects=ReceiverEffects(self._effects("webhooks"), self._effects("channels")),
            clock=lambda: self.now,
            schedule=self._schedule,
            challenges=challenges,
            turn_timeout_s=self._turn_timeout_s,
            webhooks=self._capacities[0],
            channels=self._capacities[1],
        )
        self._read = dict(self.kept.committed)
        self._ledgers = {topic: Ledger(at) for topic, at in self.kept.committed.items()}
        self._tasks: set[asyncio.Task[None]] = set()
        rows = self.kept.rows
        await self.agent.assigned(
            [
                Owned(
                    0,
                    dict(self.kept.committed),
                    lambda table: iter(list(rows[table].items())),
                    {topic: len(facts) for topic, facts in self.kept.topics.items()},
                )
            ]
        )
        return self

    async def crash(self) -> None:
        """Lose all that is not durable, and start over."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.pending.clear()
        self.asking.clear()
        self.agent.released()
        await self.begin()

    def produce(self, *facts: Any, topic: str = NOTIFICATIONS) -> None:
        """Put facts on a topic."""
        self.kept.topics[topic] += facts

    def unread(self, topic: str) -> int:
        """Count what the worker has not read yet."""
        return len(self.kept.topics[topic]) - self._read[topic]

    async def read(self, topic: str) -> None:
        """Read one event, if there is one."""
        if not self.unread(topic):
            return
        offset = self._read[topic]
        self._read[topic] += 1
        self._ledgers[topic].take(offset)
        task = asyncio.create_task(self._handle(topic, offset))
        self._tasks.add(task)
        await self.breathe()

    async def notify(self, *facts: Notification) -> None:
        """Produce notifications and read them, and all attempts that result."""
        self.produce(*facts)
        await self.settle()

    async def settle(self) -> None:
        """Read all there is."""
        while any(self.unread(topic) for topic in TOPICS):
            for topic in TOPICS:
                await self.read(topic)

    async def tick(self, seconds: float = 0) -> None:
        """Let time pass, and command what is due."""
        self.now += round(seconds * 1000)
        for send in self.agent.tick(0, self.now):
            self.produce(send.record, topic=send.topic)

    async def answer(self, answer: WebhookResponse | Exception, which: int = 0) -> None:
        """Answer a POST."""
        pending = self.pending.pop(which)
        if isinstance(answer, Exception):
            pending.answer.set_exception(answer)
        else:
            pending.answer.set_result(answer)
        await self.breathe()

    async def reply(self, reason: str = "", which: int = 0) -> None:
        """End a challenge, with success or a reason, and read all that results."""
        self.asking.pop(which).reason.set_result(reason)
        await self.breathe()
        await self.settle()

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, and read all that is due then."""
        await self.tick(seconds)
        await self.settle()

    @property
    def notified(self) -> list[str]:
        """The ids that wait for an answer."""
        return [pending.notified.id for pending in self.pending]

    def digest(self) -> tuple[str, ...]:
        """The ids of the notifications in the only digest that waits for an answer."""
        (pending,) = self.pending
        return pending.digest

    def rows(self, table: str) -> list[str]:
        """The keys of a table."""
        return [key.decode() for key in self.kept.rows[table]]

    def known(self, kind: str) -> list[str]:
        """Of the table of receivers the keys of a kind, without that."""
        keys = (key.partition(" ") for key in self.rows(RECEIVERS))
        return [key for of, _, key in keys if of == kind]

    def of(self, kind: type[Any]) -> list[Any]:
        """The published facts of one kind."""
        return [fact for fact in self.kept.facts if isinstance(fact, kind)]

    async def breathe(self) -> None:
        """Let all tasks come to their next wait."""
        for _ in range(5):
            await asyncio.sleep(0)

    def _effects(self, kind: str) -> DeliveryEffects:
        send = partial(self._send, kind)
        return DeliveryEffects(send, self._load, lambda row, _: len(row), MAX_DIGEST)

    async def _load(self, _: str, client: str) -> Digest | None:
        if self.is_out_of_order:
            raise OSError("the store is locked")
        return (self.digests or {}).get(client)

    async def _send(
        self, kind: str, _: str, client: str, notified: Sequence[Notification], is_digest: bool
    ) -> WebhookResponse:
        answer: asyncio.Future[WebhookResponse] = asyncio.get_running_loop().create_future()
        ids = tuple(each.id for each in notified)
        if not is_digest:
            self.posts.append((self.now, ids[0]))
        self.pending.append(Pending(client, notified[0], answer, ids if is_digest else (), kind))
        return await answer

    async def _look_up(self, client: str, made: int) -> LookedUp:
        if not self.has_name_server:
            return LookedUp("", "host name look-up failed", is_unanswered=True)
        host = hostname(client)
        address = self.addresses.get(host, host)
        return LookedUp(address, "" if address else "host name look-up failed")

    async def _ask(self, client: str, address: str) -> str:
        self.asked.append((self.now, client))
        reason: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.asking.append(Asked(client, reason))
        return await reason

    async def _handle(self, topic: str, offset: int) -> None:
        outcome = await self.agent.handle(
            event(self.kept.topics[topic][offset], topic=topic, offset=offset), self._lookup
        )
        if self._apply(outcome):
            ledger = self._ledgers[topic]
            ledger.done(offset)
            self.kept.committed[topic] = ledger.position or 0

    def _lookup(self, table: str, key: bytes) -> bytes | None:
        return self.kept.rows[table].get(key)

    def _apply(self, outcome: Outcome) -> bool:
        """Make an outcome durable; ``cut`` lets the worker die after so many steps of it."""
        # As the engine does: tables in the order in which they are named first.
        tables = list(dict.fromkeys(put.table for put in outcome.puts))
        puts = sorted(outcome.puts, key=lambda put: tables.index(put.table))
        steps: list[Send | Put] = [*outcome.sends, *puts]
        cut, self.cut = self.cut, None
        for step in steps[:cut]:
            if isinstance(step, Put):
                self._put(step)
            elif step.topic in (ATTEMPTS, CHALLENGES):
                self.produce(step.record, topic=step.topic)
            else:
                self.kept.facts.append(step.record)
        return cut is None

    def _put(self, put: Put) -> None:
        if put.record is None:
            self.kept.rows[put.table].pop(put.key, None)
        else:
            self.kept.rows[put.table][put.key] = wire.encode(put.record)
