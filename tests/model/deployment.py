"""All agents over one cluster, with what people and the world do to them."""

from collections import defaultdict
from dataclasses import replace
from functools import partial
from typing import Any

from schemas.codec import wire
from schemas.records.deliveries import DeliveryFailed
from schemas.records.documents import Document
from schemas.records.notifications import Notification
from schemas.records.requests import (
    Cancel,
    ClientRequest,
    Expire,
    Pause,
    Rename,
    Resume,
    Subscribe,
    Test,
)
from schemas.records.subscription_facts import Cancelled, Expired
from schemas.records.subscriptions import Receiver
from schemas.records.topic_names import FORWARDED
from schemas.records.topics import (
    ATTEMPTS,
    CHANGES,
    DELIVERIES,
    FETCHES,
    NOTIFICATIONS,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
)
from schemas.records.watches import Watch
from streams.agents.deliver.agent import DeliverProcessor
from streams.agents.deliver.outbox_rows import DELIVERED, OUTBOX
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.fetch.effects import Effects
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.counts import manager_hash
from streams.agents.match.register.requests import Rules
from streams.agents.ticker.agent import TickerProcessor
from streams.matching.change_words import ChangeWords
from streams.values.ids import content_id
from streams.values.outcome import Event, Send
from streams.values.partitions import partition_of
from streams.values.steps import completed
from tests.fakes.linking import linking
from tests.fakes.outgoing import without_digests
from tests.fakes.regions import added
from tests.fakes.snapshots import MemorySnapshots
from tests.fakes.variants import varied
from tests.fakes.world import examining
from tests.harness.register_model import Model
from tests.model.cluster import PARTITIONS, Cluster, Crash
from tests.model.processes import LaneProcess, PoolProcess, Process
from tests.model.reference import Reference
from tests.model.world import WORDS, Receivers, Unreachable, Web, read, read_words

URLS = ("http://one.test/tagged", "http://one.test/plain", "http://two.test/tagged")
CLIENTS = ("http://client.test/1", "http://client.test/2", "http://other.test/")
ON_THE_WAY = ("ticker", "fetch", "match", "deliver")
Adjust = type[Pause | Resume | Test]
ADJUSTING: tuple[Adjust, ...] = (Pause, Resume, Test)
MAX_FAILURES = 3
LONGEST = 2
"""Seconds of the longest interval, and between two attempts."""
RETRIES = (0, 1, 1.5, 1.5)
EVERYTHING = added(" ".join(WORDS))
"""A change that concerns every subscription there can be."""
ROUNDS = 50
"""Attempts that all notifications of an outbox may need together."""

place = partial(partition_of, count=PARTITIONS)


class Store(MemorySnapshots):
    """The store: a process may die at each access to it, and the reference observes it."""

    def __init__(self, cluster: Cluster, reference: Reference) -> None:
        super().__init__()
        self._cluster = cluster
        self._reference = reference
        self.step = self._boundary

    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        before = self.documents.get(document.url)
        try:
            return await super().compare_and_set(document, expected_version)
        finally:
            if self.documents.get(document.url) is document:
                self._reference.stored(before, document, self._cluster.moment)

    async def _boundary(self, _: str) -> None:
        self._cluster.step()


class Deployment:
    """One worker of each agent, and the world around them."""

    def __init__(self) -> None:
        self.cluster = Cluster()
        self.reference = Reference(MAX_FAILURES)
        self.web = Web(URLS)
        self.store = Store(self.cluster, self.reference)
        self.receivers = Receivers(self.cluster)
        self.processes = {process.name: process for process in self._processes()}
        self.cluster.on_put["match"] = lambda key, value: self.reference.registered(
            key, value, self.cluster.moment
        )
        self.cluster.on_send[SUBSCRIPTIONS.name] = lambda fact: self.reference.answered(
            fact, self.cluster.moment
        )
        self._requests: list[tuple[ClientRequest, int]] = []
        self._sent: list[ClientRequest] = []

    async def start(self) -> None:
        """Start all workers."""
        for process in self.processes.values():
            await process.restart()

    # What people do.

    def subscribe(self, url: str, client: str, partition: int | None, **options: Any) -> None:
        """Ask for a subscription."""
        plain = Subscribe(url, Receiver(client), keywords=())
        self._ask(varied(plain, **options), partition)

    def cancel(
        self, url: str, client: str, partition: int | None, name: str = "", *, undo: bool = False
    ) -> None:
        """Ask for the end of a subscription, at once or in a minute."""
        self._ask(Cancel(url, Receiver(client), name=name, undo=undo), partition)

    def adjust(
        self, kind: Adjust, url: str, client: str, partition: int | None, name: str = ""
    ) -> None:
        """Ask for a pause, its end, or a test."""
        self._ask(kind(url, Receiver(client), name=name), partition)

    def rename(self, url: str, client: str, partition: int | None, name: str, new: str) -> None:
        """Ask for another name of a subscription."""
        self._ask(Rename(url, Receiver(client), name=name, new_name=new), partition)

    def repeat(self, back: int) -> None:
        """Send a request once more, as a client does that got no answer."""
        if back < len(self._requests):
            request, partition = self._requests[-1 - back]
            self._send(request, partition)

    def _ask(self, request: ClientRequest, partition: int | None) -> None:
        """Send a request; every other one has no id."""
        number = len(self._requests)
        if number % 2:
            request = replace(request, request_id=f"request-{number}")
        at = place(request.document_url) if partition is None else partition
        self._requests.append((request, at))
        self._send(request, at)

    def _send(self, request: ClientRequest, partition: int) -> None:
        self.cluster.now += 1
        key = request.document_url
        self.cluster.append(Send(SUBSCRIPTION_REQUESTS.name, key, request, partition))
        self._sent.append(named(request, wire.encode(request), self.cluster.clock))
        request_id = self._sent[-1].request_id or ""
        self.reference.sent.setdefault(request_id, self.cluster.moment)
        if isinstance(request, Test):
            self.reference.tests.add(request_id)

    # What happens.

    def tick(self, seconds: int) -> None:
        """Let time pass."""
        self.cluster.now += seconds * 1000
        for process in self.processes.values():
            process.tick()

    def light(self, agent: str, boundaries: int, back: int) -> None:
        """Let a worker die so many boundaries of its effects from now."""
        self.processes[agent].dies_going(boundaries, back)

    async def crash(self, agent: str, back: int) -> None:
        """Let a worker die between two events, with its last acknowledgements uncommitted."""
        await self._restart(self.processes[agent], back)

    async def move(self, agent: str) -> None:
        """Hand the partitions to another worker, in order."""
        await self.processes[agent].move()

    async def work(self, agent: str, turn: int, count: int) -> None:
        """Let an agent handle some events, and restart it if it dies."""
        process = self.processes[agent]
        if process.waiting():
            try:
                await process.work(turn, count)
            except Crash:
                await self._restart(process)

    async def _restart(self, process: Process, back: int | None = None) -> None:
        if process.name == "deliver":
            self._excuse()
        await process.restart(back)

    def _excuse(self) -> None:
        """What was accepted and is not in the table yet will come once more."""
        for post in self.receivers.posts:
            row = self.cluster.tables["deliver", place(post.client), DELIVERED].get(
                post.id.encode()
            )
            if post.taken and row is None:
                self.reference.excused[post.id] = 1 + self.reference.excused[post.id]

    # When all is done.

    async def settle(self) -> None:
        """Wait until everything is handled and delivered, and check that it was."""
        self.receivers.refusals = 0
        await self._finish()
        for number in range(ROUNDS):
            if number >= 2 and not self._outbox():
                break
            self.tick(LONGEST)
            await self._finish()
        assert not self._outbox(), "something waits without end"
        self._check()
        for process in self.processes.values():
            process.commit()
        self.receivers.posts.clear()

    def _outbox(self) -> list[bytes]:
        tables = self.cluster.tables
        return [row for number in range(PARTITIONS) for row in tables["deliver", number, OUTBOX]]

    async def _finish(self) -> None:
        while any(process.waiting() for process in self.processes.values()):
            for name in ON_THE_WAY:
                await self.work(name, 0, 100)

    def _check(self) -> None:
        facts = [fact for _, fact in self.cluster.facts(SUBSCRIPTIONS.name)]
        requests = [fact for _, fact in self.cluster.facts(SUBSCRIPTION_REQUESTS.name)]
        ended = {fact.subscription for fact in facts if isinstance(fact, Cancelled)}
        ended |= {fact.subscription for fact in requests if isinstance(fact, Expire)}
        outcomes = [fact for _, fact in self.cluster.facts(DELIVERIES.name)]
        given_up = {fact.notification for fact in outcomes if isinstance(fact, DeliveryFailed)}
        self.reference.settle(self.receivers.posts, ended, given_up)
        self._check_order()
        for url in URLS:
            self._check_watch(url)
            self._check_memory(url)
        self._check_answers(facts)

    def _check_order(self) -> None:
        """Each receiver gets the notifications of a document in the order of the topic."""
        notified: dict[str, Notification] = {}
        for _, fact in self.cluster.facts(NOTIFICATIONS.name):
            assert isinstance(fact, Notification)
            notified.setdefault(fact.id, fact)
        places = {name: number for number, name in enumerate(notified)}
        last: dict[tuple[str, str], int] = {}
        for name in dict.fromkeys(post.id for post in self.receivers.posts if post.taken):
            line = notified[name].receiver.client_url or "", notified[name].url
            assert places[name] > last.get(line, -1), f"{line} was notified of {name} too late"
            last[line] = places[name]

    def _check_watch(self, url: str) -> None:
        """Register, the ticker and store agree on who is watched how."""
        subscriptions = self.reference.subscriptions(url)
        scheduled = self.processes["ticker"].agent._agendas[place(url)].get(url)
        document = self.store.documents.get(url)
        if not subscriptions:
            assert scheduled is None, f"{url} is scheduled for nobody"
            assert document is None, f"a snapshot of {url} was left behind"
            return
        names = {subscription.watch for subscription in subscriptions}
        assert len(names) == 1, "one watch for all"
        entries = [subscription for subscription in subscriptions if not subscription.paused]
        interval = min(subscription.options.interval for subscription in entries or subscriptions)
        assert scheduled is not None, f"{url} is not scheduled"
        managers = tuple(sorted({manager_hash(entry.manager) for entry in entries}))
        watch = Watch(names.pop(), interval, paused=not entries, managers=managers)
        assert scheduled.watch == watch
        assert document is not None, f"{url} was never fetched"
        assert document.watch == scheduled.watch.id
        assert document.unpublished == ()
        if entries and not self.web.documents[url].fails:
            assert document.text is not None
            assert read_words(document.text) == self.web.documents[url].words

    def _check_memory(self, url: str) -> None:
        """Memory, index and table of the register are one."""
        registry = self.processes["match"].agent._memories[place(url)]
        rows = self.cluster.tables["match", place(url), ""]
        kept = {key: wire.encode(known) for key, known in registry.of(url).items()}
        assert kept == {k: v for k, v in rows.items() if k.startswith(url.encode() + b"\0")}
        index = registry._indexes.get(url)
        if index is not None:
            found = completed(index.find_steps(ChangeWords((EVERYTHING,), "en")))
            names = [each.id for each in found]
            assert sorted(names) == sorted(s.id for s in self.reference.subscriptions(url))
            assert sum(map(len, index._indexes.values())) == len(names)

    def _check_answers(self, facts: list[Any]) -> None:
        """Each request was answered, and as the order of its document's requests demands.

        If a document's subscriptions ended by themselves, that order says too little.
        """
        expired = {fact.url for fact in facts if _ended_by_itself(fact)}
        answers: defaultdict[str, set[int]] = defaultdict(set)
        for fact in facts:
            if not _ended_by_itself(fact):
                answers[fact.request_id].add(getattr(fact, "code", 0))
        model = Model()
        for url in URLS:
            for request in self._decided(url):
                model.apply(request)
        for request in self._sent:
            assert request.request_id in answers, f"never answered: {request}"
            if request.document_url not in expired:
                request_id = request.request_id or ""
                assert answers[request_id] == model.expected(request_id), request

    def _decided(self, url: str) -> list[ClientRequest]:
        """The requests of a document in the order in which they are to be decided.

        A crash may forward a message twice: its second copy is not decided, unlike a request
        that its client sends twice.
        """
        partition, topic = place(url), SUBSCRIPTION_REQUESTS.name
        count = len(self.cluster.topics[topic, partition])
        events = [self.cluster.event(topic, partition, number) for number in range(count)]
        first: dict[tuple[int, int, int], Event] = {}
        for event in events:
            if getattr(event.fact, "document_url", None) == url:
                first.setdefault(_origin(event), event)
        return [
            named(event.fact, event.value or b"", sent_at)
            for (_, _, sent_at), event in first.items()
        ]

    def _processes(self) -> list[Process]:
        cluster = self.cluster
        effects = Effects(
            snapshots=self.store,
            get=self.web.get,
            examine=examining(read),
            links=linking,
            failures=(Unreachable,),
            publish=cluster.publish,
            clock=lambda: cluster.clock,
            pause=lambda _: 0.0,
            max_failures=MAX_FAILURES,
            pause_ms=lambda *_: 0,
        )
        post = self.receivers.post
        return [
            LaneProcess(
                cluster,
                "ticker",
                (SUBSCRIPTIONS,),
                lambda: TickerProcessor(place),
                TickerProcessor.tick,
            ),
            PoolProcess(cluster, "fetch", (FETCHES,), lambda: FetchProcessor(effects, place)),
            LaneProcess(
                cluster,
                "match",
                (SUBSCRIPTION_REQUESTS, CHANGES),
                lambda: MatchProcessor(partition_of=place, rules=Rules(1)),
                first=SUBSCRIPTION_REQUESTS,
            ),
            PoolProcess(
                cluster,
                "deliver",
                (NOTIFICATIONS, ATTEMPTS),
                lambda: DeliverProcessor(
                    effects=without_digests(post),
                    clock=lambda: cluster.now,
                    schedule=RETRIES,
                    turn_timeout_s=0,
                ),
                DeliverProcessor.tick,
            ),
        ]


def named(request: ClientRequest, value: bytes, at: int) -> ClientRequest:
    """Add the id that a request without one gets: from its bytes and its time (epoch ms)."""
    return replace(request, request_id=request.request_id or content_id(value, at))


def _origin(event: Event) -> tuple[int, int, int]:
    """Return where and when (epoch ms) a request was sent, also if it has been forwarded."""
    marks = [value or b"" for name, value in event.headers if name == FORWARDED]
    if not marks:
        return event.partition, event.offset, event.timestamp
    partition, offset, timestamp = map(int, marks[0].split(b":"))
    return partition, offset, timestamp


def _ended_by_itself(fact: Any) -> bool:
    """Whether no request ended a subscription just now: it may have been stopped before."""
    return isinstance(fact, Expired) or (isinstance(fact, Cancelled) and not fact.request_id)
