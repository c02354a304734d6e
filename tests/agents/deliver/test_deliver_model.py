"""Any course of notifications, answers, time and crashes: none lost, none out of order."""

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.answers import WebhookResponse
from schemas.records.deliveries import Delivered, DeliveryFailed, Redeliver
from schemas.records.notifications import Notification
from streams.agents.deliver.outbox.failures import JITTER
from streams.agents.deliver.outbox.in_hand import KindCapacity
from streams.agents.deliver.outbox.queues import SLOTS_PER_RECIPIENT
from streams.agents.deliver.outbox_rows import DELIVERED, OUTBOX
from streams.values.retry_schedule import RETRY_SCHEDULE
from tests.fakes.outgoing import ATTEMPTS, NOTIFICATIONS, REFUSED, TAKEN, Office, notification
from tests.harness.examples import examples

CLIENTS = ("http://a.test/", "http://b.test/")
PAGES = ("http://1.test/", "http://2.test/", "http://3.test/", "http://4.test/", "http://5.test/")
ANSWERS = (
    TAKEN,
    REFUSED,
    WebhookResponse(None, "timed out"),
    WebhookResponse(503, "answered 503", retry_after=20),
    WebhookResponse(429, "answered 429"),
    WebhookResponse(410, "answered 410"),
)
HOUR = 3600.0
MAX_BYTES = 2**30

steps = st.one_of(
    st.tuples(st.just("notify"), st.sampled_from(CLIENTS), st.sampled_from(PAGES)),
    st.tuples(st.just("repeat"), st.integers(0, 20)),
    st.tuples(st.just("again"), st.integers(0, 20)),
    st.tuples(st.just("read"), st.sampled_from((NOTIFICATIONS, ATTEMPTS))),
    st.tuples(st.just("answer"), st.integers(0, 7), st.sampled_from(ANSWERS)),
    st.tuples(st.just("wait"), st.sampled_from((1.0, 5.0, 400.0, 5 * HOUR, 30 * HOUR))),
    st.tuples(st.just("crash"), st.none() | st.integers(0, 4)),
)


@dataclass
class Course:
    """A worker's life, and what its receivers saw."""

    office: Office
    most_in_hand: int
    notified: list[Notification] = field(default_factory=list)
    accepted: Counter[str] = field(default_factory=Counter)
    unsure: Counter[str] = field(default_factory=Counter)  # may be sent so many times more
    asked: set[str] = field(default_factory=set)
    seen: int = 0
    last: dict[str, int] = field(default_factory=dict)

    async def run(self, name: str, *args: object) -> None:
        await getattr(self, name)(*args)
        self.check()

    async def notify(self, client: str, page: str) -> None:
        one = notification(f"n{len(self.notified)}", client, page)
        self.notified.append(one)
        self.office.produce(one)

    async def repeat(self, which: int) -> None:
        if which < len(self.notified):
            self.office.produce(self.notified[which])

    async def again(self, which: int) -> None:
        """Ask for one now that waits, or again that is delivered or given up."""
        rows = {*self.office.rows(DELIVERED), *self.office.rows(OUTBOX)}
        if which < len(self.notified) and self.notified[which].id in rows:
            self.unsure[self.notified[which].id] += 1
            self.asked.add(self.notified[which].id)
            self.office.produce(Redeliver(self.notified[which]), topic=ATTEMPTS)

    async def read(self, topic: str) -> None:
        await self.office.read(topic)

    async def answer(self, which: int, answer: WebhookResponse) -> None:
        if which < len(self.office.pending):
            name = self.office.pending[which].notified.id
            self.accepted[name] += answer.delivered
            await self.office.answer(answer, which)

    async def wait(self, seconds: float) -> None:
        await self.office.tick(seconds)

    async def crash(self, cut: int | None) -> None:
        """Die, perhaps in the middle of making an outcome durable."""
        if cut is not None and self.office.pending:
            self.unsure[self.office.pending[0].notified.id] += 1
            self.office.cut = cut
            await self.answer(0, TAKEN)
        self.check()  # the next of the line may have been sent just before the crash
        await self.office.crash()
        self.last.clear()

    def check(self) -> None:
        """Nobody is asked too much at once, too early, or out of order."""
        lines = Counter((p.client, p.notified.url) for p in self.office.pending)
        clients = Counter(p.client for p in self.office.pending)
        assert max(lines.values(), default=0) <= 1
        assert max(clients.values(), default=0) <= SLOTS_PER_RECIPIENT
        assert len(self.office.pending) <= self.most_in_hand
        for at, name in self.office.posts[self.seen :]:
            self._in_order(name)
            self._in_time(at, name)
            assert self.accepted[name] <= self.unsure[name], "notified again without a crash"
        self.seen = len(self.office.posts)

    def _in_order(self, name: str) -> None:
        failed = {fact.notification for fact in self.office.of(DeliveryFailed)}
        known = next(n for n in self.notified if n.id == name)
        for one in self.notified[: self.notified.index(known)]:
            if (one.receiver, one.url) == (known.receiver, known.url):
                assert self.accepted[one.id] or one.id in failed, f"{name} before {one.id}"

    def _in_time(self, at: int, name: str) -> None:
        if name in self.last and name not in self.asked:
            assert at - self.last[name] >= RETRY_SCHEDULE[1] * 1000 * (1 - JITTER)
        self.last[name] = at

    async def finish(self) -> None:
        """Let every receiver recover, and time go by until nothing is left to do."""
        for _ in range(100 * (len(self.notified) + 1)):
            await self.office.settle()
            self.check()
            while self.office.pending:
                await self.run("answer", 0, TAKEN)
            if not self.office.unread(ATTEMPTS) and not self.office.rows(OUTBOX):
                return
            await self.office.tick(24 * HOUR)
        raise AssertionError(f"still waiting: {self.office.rows(OUTBOX)}")


@given(st.lists(steps, max_size=60), st.sampled_from((0, 3600)), st.sampled_from((1, 6, 5000)))
@examples(600)
def test_whatever_happens_each_is_sent_in_order_until_it_is_accepted_or_given_up(
    course: list[tuple[object, ...]], turn_timeout_s: float, capacity: int
) -> None:
    asyncio.run(_live(course, turn_timeout_s, capacity))


async def _live(course: list[tuple[object, ...]], turn_timeout_s: float, capacity: int) -> None:
    webhooks = KindCapacity(capacity, MAX_BYTES)
    life = Course(
        await Office(turn_timeout_s=turn_timeout_s, webhooks=webhooks).begin(),
        most_in_hand=max(capacity, SLOTS_PER_RECIPIENT),
    )
    for name, *args in course:
        await life.run(str(name), *args)
    await life.finish()
    names = {one.id for one in life.notified}
    office = life.office
    assert set(office.rows(DELIVERED)) == names, "each has its end"
    ends = defaultdict(set)
    for fact in office.of(Delivered) + office.of(DeliveryFailed):
        ends[fact.notification].add(type(fact))
    assert ends.keys() == names, "and a fact that says so"
    assert all(life.accepted[name] for name in names if ends[name] == {Delivered})
    for name in names:
        assert life.accepted[name] <= 1 + life.unsure[name], "once, but for a crash in between"
    assert not len(office.agent._outboxes[0]._queues._recipients), "nothing is kept of what is done"
    assert not len(office.agent._in_hand), "nor has it any part of the capacity"
