"""match: registers subscriptions, and notifies them of changes.

The only writer of the ``subscriptions`` table. The decisions are made from memory, in the strict
order of a partition, for requests (``requests.py``) and changes (``changes.py``) alike.
"""

from collections.abc import Callable
from itertools import starmap

from schemas.codec.json_requests import FaultyRequest
from schemas.records.changes import Change, DocumentChanged
from schemas.records.crawls import LinksFound, Uncover
from schemas.records.failures import DocumentUnreachable
from schemas.records.percolations import Interest, TermFilter
from schemas.records.requests import ClientRequest, Cover, Expire
from schemas.records.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from schemas.records.waiting import DocumentVisited
from schemas.records.watches import StateWatches
from streams.agents.match.changes import end_watch, notify_of_change, notify_of_failure
from streams.agents.match.outcomes import pass_on_links
from streams.agents.match.percolations import Placing
from streams.agents.match.register.memory import RegisterMemory, filter_key
from streams.agents.match.register.reconciliation import stated, statement_due
from streams.agents.match.register.requests import Rules
from streams.agents.match.request_handler import MAX_PARTITIONS, Forwarding, RequestHandler
from streams.agents.match.standing_changes import notify_of_standing
from streams.values.outcome import Event, Outcome, Put, Send

LEASES = "leases"
"""The line of the ends of leases."""
MAX_REQUEST = 400_000
"""Bytes of a request. Valid requests are smaller, and their results fit into 1 MB."""


class OversizedRequestError(Exception):
    """A request too large for its answer or its forwarded copy."""


class MatchProcessor:
    """The agent for requests and changes, for all partitions of a worker."""

    def __init__(
        self,
        *,
        partition_of: Callable[[str], int],
        rules: Rules,
        language: Callable[[str], str] = str,
        partitions: int = MAX_PARTITIONS,
    ) -> None:
        """Build the agent from the facts about its deployment.

        Args:
            partition_of: Returns the partition of a URL.
            rules: What this deployment allows a subscription to ask for.
            language: Takes the code of a document's language and returns it, or the same
                language with a plugged-in stemmer.
            partitions: How many partitions each topic has.
        """
        self._language = language
        self._partitions = partitions
        placing = Placing(partitions, language)
        forwarding = Forwarding(partition_of, partitions)
        self._requests = RequestHandler(forwarding, rules, language, placing)
        self._memories: dict[int, RegisterMemory] = {}
        self._stated: dict[int, StateWatches] = {}

    def begin(self, partition: int) -> None:
        """Start a partition with an empty memory."""
        self._memories[partition] = RegisterMemory()

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        """Load a row of the table into memory."""
        self._memories[partition].load(key, value)

    def released(self) -> None:
        """Drop the memory of all partitions."""
        self._memories.clear()
        self._stated.clear()

    def sizes(self) -> dict[str, int]:
        """Count the items in memory, for the gauges."""
        memories = self._memories.values()
        waiting = sum(len(each.waiting) for each in memories)
        return {"subscriptions": sum(map(len, memories)), "waiting_changes": waiting}

    def tick(self, partition: int, now: int) -> Outcome:
        """End leases over at ``now`` (epoch ms), and state the due watches."""
        memory, due = self._memories[partition], statement_due(now)
        if memory.leases.first((now,)) is not None:
            return Outcome(line=LEASES, rest=self._requests.end_leases(memory, now))
        if self._stated.setdefault(partition, due) == due:
            return Outcome()
        self._stated[partition] = due
        return _statements(due, memory, partition, now)

    def decide(self, event: Event) -> Outcome:
        """Answer a request, or notify the subscriptions of a change."""
        memory = self._memories[event.partition]
        size = len(event.value or b"")
        if event.topic == SUBSCRIPTION_REQUESTS.name and size > MAX_REQUEST:
            raise OversizedRequestError(f"the request has {size} bytes; {MAX_REQUEST} are allowed")
        if isinstance(event.fact, ClientRequest | FaultyRequest):
            return self._requests.answer(event, event.fact, memory)
        if isinstance(event.fact, Change | DocumentVisited):
            return self._notified(event.fact, memory)
        return self._commanded(event, memory)

    def _notified(self, fact: Change | DocumentVisited, memory: RegisterMemory) -> Outcome:
        """Notify the subscriptions of a fact about a page."""
        match fact:
            case DocumentChanged():
                rest = notify_of_change(fact, memory, self._language, self._partitions)
            case DocumentVisited():
                rest = notify_of_standing(fact, memory, self._language)
            case DocumentUnreachable():
                rest = end_watch(fact, memory)
            case _:
                rest = notify_of_failure(fact, memory)
        return Outcome(line=fact.url, rest=rest)

    def _commanded(self, event: Event, memory: RegisterMemory) -> Outcome:
        match event.fact:
            case Expire():
                return self._requests.expire(event, event.fact, memory)
            case Cover() | Uncover():
                return self._requests.cover(event, event.fact, memory)
            case LinksFound():
                return Outcome(line=event.fact.url, rest=pass_on_links(event.fact, memory))
            case StateWatches():
                return _statements(event.fact, memory, event.partition, event.timestamp)
            case Interest():
                return Outcome(puts=tuple(starmap(Put, memory.note_interest(event.fact))))
            case TermFilter():
                memory.interests.put_filter(event.fact)
                return Outcome(puts=(Put(filter_key(event.fact), event.fact),))
        raise TypeError(f"match does not read facts of type {type(event.fact).__name__}")


def _statements(command: StateWatches, memory: RegisterMemory, partition: int, at: int) -> Outcome:
    """State watches at a time (epoch ms); a step without a fact lets others go on."""
    facts = stated(command, memory, at)
    sends = ((Send(SUBSCRIPTIONS.name, None, each, partition),) if each else () for each in facts)
    return Outcome(line=SUBSCRIPTIONS.name, rest=map(Outcome, sends))
