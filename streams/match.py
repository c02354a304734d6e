"""match: registers subscriptions, and tells each of the changes that concern it.

The only writer of the ``subscriptions`` table. It decides from memory, in the
strict order of a partition, for requests and changes alike.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import structlog

from schemas.facts import (
    ClientRequest,
    DocumentChanged,
    DocumentUnreachable,
    Expire,
    Notification,
    Subscription,
)
from schemas.trail import trail
from schemas.urls import canonical
from streams.core.ids import content_id
from streams.core.matching.matcher import Matcher
from streams.core.matching.notifications import changed, unreachable
from streams.core.outcome import Event, Outcome, Put, Send
from streams.core.register.decisions import (
    Decision,
    Origin,
    RequestCase,
    decide,
    expire,
    reject,
)
from streams.core.register.memory import RegisterMemory
from streams.core.register.requests import Refusal, Rules, check
from streams.core.text.keywords import valid_keywords
from streams.topics import NOTIFICATIONS, SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS

log = structlog.get_logger()

FORWARDED = "vokter-forwarded"
"""Header of a request that was passed on: partition:offset:timestamp of its origin."""
_MARK = re.compile(rb"([0-9]{1,6}):([0-9]{1,18}):([0-9]{1,15})")
MANY = 500
"""Subscriptions that a change may concern from which on they are told one by one."""
SKEW = 60_000
"""Milliseconds that the clocks of two brokers may differ."""
MAX_PARTITIONS = 10_000
MAX_REQUEST = 400_000
"""Bytes of a request: more than any valid one has, and what it brings about fits 1 MB."""


class OversizedRequestError(Exception):
    """A request whose answer or forwarded copy the broker might refuse."""


class MisplacedError(Exception):
    """A request that is on a wrong partition although it was forwarded, or says so falsely."""


class MatchStage:
    """The stage; ``partition_of`` gives the partition of a URL."""

    def __init__(
        self,
        partition_of: Callable[[str], int],
        rules: Rules,
        language: Callable[[str], str] = str,
        partitions: int = MAX_PARTITIONS,
    ) -> None:
        """``language`` takes a document's and gives it with the stemmer of the moment.

        ``partitions`` is how many each topic has.
        """
        self._partition_of = partition_of
        self._rules = rules
        self._language = language
        self._partitions = partitions
        self._registries: dict[int, RegisterMemory] = {}

    def begin(self, partition: int) -> None:
        """Start over with an empty registry."""
        self._registries[partition] = RegisterMemory()

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        """Take one row of the table."""
        self._registries[partition].load(key, value)

    def sizes(self) -> dict[str, int]:
        """Count what is in memory."""
        return {"subscriptions": sum(map(len, self._registries.values()))}

    def decide(self, event: Event) -> Outcome:
        """Answer a request, or notify of a change."""
        registry = self._registries[event.partition]
        if event.topic == SUBSCRIPTION_REQUESTS.name and len(event.value or b"") > MAX_REQUEST:
            raise OversizedRequestError(f"a request may have {MAX_REQUEST} bytes")
        match event.fact:
            case Expire():
                return self._expire(event, event.fact, registry)
            case DocumentChanged():
                language = self._language(event.fact.language)
                return _changed(replace(event.fact, language=language), registry)
            case DocumentUnreachable():
                return _unreachable(event.fact, registry)
        if isinstance(event.fact, ClientRequest):
            return self._request(event, event.fact, registry)
        raise TypeError(f"no such fact is read here: {type(event.fact).__name__}")

    def _request(self, event: Event, request: ClientRequest, registry: RegisterMemory) -> Outcome:
        url = canonical(request.document_url)
        if url is not None and (forward := self._forward(event, url)):
            return forward
        origin = self._origin(event)
        if request.request_id is None:
            name = content_id(event.value, origin.timestamp)
            request = replace(request, request_id=name)
        registrations = registry.of(url or "")
        found = check(request, self._rules, valid_keywords)
        if isinstance(found, Refusal):
            result = registrations.watch()
            where = url or request.document_url
            fact = reject(request.request_id or "", found, where, result, origin.timestamp)
            return _outcome(Decision(fact), registry, origin.timestamp)
        keywords = valid_keywords(getattr(request, "keywords", ()))
        case = RequestCase(request, found, origin, keywords, registrations)
        return _outcome(decide(case), registry, origin.timestamp)

    def _forward(self, event: Event, url: str) -> Outcome | None:
        """Pass a request on to the partition of its URL, once."""
        if self._partition_of(url) == event.partition:
            return None
        if any(name == FORWARDED for name, _ in event.headers):
            raise MisplacedError(f"still on partition {event.partition} after it was forwarded")
        mark = f"{event.partition}:{event.offset}:{event.timestamp}".encode()
        headers = (*event.headers, (FORWARDED, mark))
        send = Send(SUBSCRIPTION_REQUESTS.name, url, event.value, headers=headers)
        return Outcome(sends=(send,))

    def _origin(self, event: Event) -> Origin:
        """Where a request was first seen; its mark must be one that can have been made.

        A false offset could keep later requests of that partition from being decided,
        a false partition make rows grow, a false time hold for all later facts of the URL.
        """
        for name, value in event.headers:
            if name == FORWARDED:
                found = _MARK.fullmatch(value or b"")
                origin = Origin(*map(int, found.groups())) if found else None
                if origin is None or not self._can_be(origin, event):
                    raise MisplacedError(f"no forward leaves such a mark: {(value or b'')[:100]!r}")
                return origin
        return Origin(event.partition, event.offset, event.timestamp)

    def _can_be(self, origin: Origin, event: Event) -> bool:
        other = origin.partition != event.partition and origin.partition < self._partitions
        return other and origin.timestamp <= event.timestamp + SKEW

    def _expire(self, event: Event, command: Expire, registry: RegisterMemory) -> Outcome:
        if forward := self._forward(event, command.url):
            return forward
        registrations = registry.of(command.url)
        key = registry.key(command.subscription)
        if key is None or key not in registrations:
            return Outcome()
        fact, after = expire(registrations, key, command.reason, event.timestamp)
        return _outcome(Decision(fact, (key, after)), registry, event.timestamp)


def _outcome(decision: Decision, registry: RegisterMemory, now: int) -> Outcome:
    """Remember a decision and make it known."""
    puts: list[Put] = []
    if decision.put is not None:
        registry.put(*decision.put)
        puts = [Put(*decision.put), *(Put(key, None) for key in registry.sweep(now))]
    fact = decision.fact
    if fact is not None:
        log.info("decided", answer=type(fact).__name__, url=fact.url, **trail(fact))
    sends = [] if fact is None else [Send(SUBSCRIPTIONS.name, fact.url, fact)]
    if decision.told is not None:
        sends.append(_telling(decision.told))
    return Outcome(sends, tuple(puts))


def _changed(change: DocumentChanged, registry: RegisterMemory) -> Outcome:
    matcher = Matcher(change.hunks, change.language)
    every = registry.concerned(change.url, matcher.words)
    concerned = [each for each in every if each.watch == change.watch and not each.paused]
    told = _notify(concerned, lambda each: changed(each, change, matcher))
    if len(concerned) > MANY:
        log.info("matched", url=change.url, **trail(change), subscriptions=len(concerned))
        return Outcome(told, line=change.url)
    sends = tuple(told)
    log.info("matched", url=change.url, **trail(change), notifications=len(sends))
    return Outcome(sends, line=change.url)


def _unreachable(change: DocumentUnreachable, registry: RegisterMemory) -> Outcome:
    """Tell all subscriptions of this watch, paused ones too, that it timed out, and end them."""
    registrations = registry.of(change.url).copy()
    sends: list[Send] = []
    decisions: list[Decision] = []
    for key, known in list(registrations.items()):
        subscription = known.subscription
        if subscription is None or subscription.watch != change.watch:
            continue
        sends += _notify([subscription], lambda each: unreachable(each, change))
        fact, after = expire(registrations, key, change.reason, change.at)
        registrations.put(key, after)
        decisions.append(Decision(fact, (key, after)))
    # Remembered only when all is decided: an error on the way leaves the memory as it was.
    outcomes = [_outcome(decision, registry, change.at) for decision in decisions]
    facts = [send for outcome in outcomes for send in outcome.sends]
    puts = tuple(put for outcome in outcomes for put in outcome.puts)
    return Outcome(sends + facts, puts, change.url)


def _notify(
    subscriptions: list[Subscription], told: Callable[[Subscription], Notification | None]
) -> Iterator[Send]:
    for subscription in subscriptions:
        notification = told(subscription)
        if notification is not None:
            yield _telling(notification)


def _telling(notification: Notification) -> Send:
    receiver = notification.receiver
    client = receiver.client_url or receiver.session or ""
    return Send(NOTIFICATIONS.name, client, notification)
