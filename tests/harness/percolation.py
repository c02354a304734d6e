"""Match and percolate with all their partitions, topics between them, and no broker."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from schemas.codec import wire
from schemas.records.notifications import Notification
from schemas.records.pages import canonical_document, request_key
from schemas.records.requests import ClientRequest
from schemas.records.topics import (
    INTERESTS,
    JUDGEMENTS,
    NOTIFICATIONS,
    PERCOLATIONS,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
)
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.requests import Rules
from streams.agents.percolate.agent import PercolateProcessor
from streams.values.outcome import Event, Outcome, Send
from streams.values.partitions import partition_of
from tests.fakes.events import event

PARTITIONS = 3
READS = {
    "match": {SUBSCRIPTION_REQUESTS.name, "changes", INTERESTS.name},
    "percolate": {PERCOLATIONS.name},
}


@dataclass
class Percolation:
    """A deployment of the two agents; ``notifications`` and ``answers`` are what came out."""

    notifications: list[Notification] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    judgements: list[Any] = field(default_factory=list)
    sent: list[Send] = field(default_factory=list)
    waiting: deque[tuple[str, Event]] = field(default_factory=deque)
    language: Callable[[str], str] = str
    rows: dict[tuple[str, int], dict[bytes, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Build the memory of all partitions from their tables, as after a crash."""
        match = MatchProcessor(
            partition_of=lambda key: partition_of(key, PARTITIONS),
            rules=Rules(60),
            language=self.language,
            partitions=PARTITIONS,
        )
        self.agents: dict[str, Any] = {
            "match": match,
            "percolate": PercolateProcessor(partitions=PARTITIONS, language=self.language),
        }
        for name, agent in self.agents.items():
            for number in range(PARTITIONS):
                agent.begin(number)
                for key, row in self.rows.get((name, number), {}).items():
                    agent.load(number, key, wire.encode(row))

    def ask(self, request: ClientRequest) -> Any:
        """Ask the register, let all that follows happen, and return the answer."""
        document = canonical_document(request.document_url) or request.document_url
        key = request_key(document, request.manager, request.receiver)
        self.put(SUBSCRIPTION_REQUESTS.name, request, partition_of(key, PARTITIONS))
        self.run()
        return self.answers[-1]

    def change(self, fact: Any) -> list[Notification]:
        """Publish a change, let all that follows happen, and return the notifications."""
        before = len(self.notifications)
        self.put("changes", fact, partition_of(fact.url, PARTITIONS))
        self.run()
        return self.notifications[before:]

    def put(self, topic: str, record: Any, partition: int) -> None:
        """Put a message on a topic."""
        copy = wire.decode(wire.encode(record), type(record))
        for agent, reads in READS.items():
            if topic in reads:
                self.waiting.append((agent, event(copy, topic=topic, partition=partition)))

    def run(self) -> None:
        """Handle all messages, and those that follow from them."""
        while self.waiting:
            agent, each = self.waiting.popleft()
            for outcome in self.outcomes(agent, each):
                self.publish(outcome)
                self.store(agent, each.partition, outcome)

    def outcomes(self, agent: str, each: Event) -> list[Outcome]:
        """Return all that an agent makes of an event."""
        outcome = self.agents[agent].decide(each)
        return [outcome, *(outcome.rest or ())]

    def publish(self, outcome: Outcome) -> None:
        """Send what an outcome has."""
        for send in outcome.sends:
            self.sent.append(send)
            if send.topic == NOTIFICATIONS.name:
                assert isinstance(send.record, Notification)
                self.notifications.append(send.record)
            elif send.topic == JUDGEMENTS.name:
                self.judgements.append(send)
            elif send.topic == SUBSCRIPTIONS.name:
                self.answers.append(send.record)
            else:
                assert send.partition is not None
                self.put(send.topic, send.record, send.partition)

    def store(self, agent: str, partition: int, outcome: Outcome) -> None:
        """Write the rows of an outcome."""
        rows = self.rows.setdefault((agent, partition), {})
        for put in outcome.puts:
            if put.record is None:
                rows.pop(put.key, None)
            else:
                rows[put.key] = put.record
