"""Handle a request: forward it to its partition, reject it, or decide it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import structlog

from schemas.codec.json_requests import FaultyRequest
from schemas.records.crawls import MANAGER_IS_FULL, Uncover
from schemas.records.faults import Refusal, refusal_by
from schemas.records.pages import canonical_document, request_key
from schemas.records.requests import ClientRequest, Cover, Expire
from schemas.records.subscription_facts import PageRemoved
from schemas.records.subscriptions import Receiver
from schemas.records.table_rows import Applied
from schemas.records.topic_names import FORWARDED, MOVED
from schemas.records.topics import CRAWLS, SUBSCRIPTION_REQUESTS
from streams.agents.match.outcomes import apply_decision, pass_on_crawl
from streams.agents.match.percolations import Placing
from streams.agents.match.register.cases import Origin, RequestCase, reused_offset
from streams.agents.match.register.coverage import cover, uncover
from streams.agents.match.register.decisions import (
    Decision,
    decide,
    end_by_time,
    expire,
    reject,
)
from streams.agents.match.register.memory import RegisterMemory
from streams.agents.match.register.requests import Rules, check
from streams.agents.match.standing_changes import Language, notify_of_waiting
from streams.values.ids import content_id
from streams.values.outcome import Event, Outcome, Send

log = structlog.get_logger()

_MARK = re.compile(rb"([0-9]{1,6}):([0-9]{1,18}):([0-9]{1,15})")
CLOCK_SKEW_MS = 60_000
"""The most difference between the clocks of two brokers."""
MAX_PARTITIONS = 10_000


class MisplacedError(Exception):
    """A request on a wrong partition although forwarded, or with a forged mark."""


class Forwarding:
    """The partitions of requests, and the places at which forwarded ones were first read."""

    def __init__(self, partition_of: Callable[[str], int], partitions: int) -> None:
        """``partition_of`` returns the partition of a URL; each topic has ``partitions``."""
        self._partition_of = partition_of
        self._partitions = partitions

    def forwarded(self, event: Event, key: str) -> Outcome | None:
        """Forward a request with the key of another partition; None if the partition is right."""
        if self._partition_of(key) == event.partition:
            return None
        # Two processes that disagree about partitions would forward it back and forth.
        # A copy was marked where it was copied to by its key, which anyone may set.
        names = [name for name, _ in event.headers]
        if FORWARDED in names and MOVED not in names:
            raise MisplacedError(
                f"partition {event.partition} is wrong for {key}, although forwarded:"
                " all processes need the same VOKTER_PARTITIONS"
            )
        headers = tuple(each for each in event.headers if each[0] != MOVED)
        if FORWARDED not in names:
            mark = f"{event.partition}:{event.offset}:{event.timestamp}".encode()
            headers = (*headers, (FORWARDED, mark))
        send = Send(SUBSCRIPTION_REQUESTS.name, key, event.value, headers=headers)
        return Outcome(sends=(send,))

    def origin(self, event: Event) -> Origin:
        """Return where a request was first read; raises MisplacedError for an impossible mark.

        Anyone may write the header. A false offset could keep later requests of the partition from
        being decided, a false partition could make rows grow, and a false time would hold for all
        later facts of the URL.
        """
        for name, value in event.headers:
            if name == FORWARDED:
                found = _MARK.fullmatch(value or b"")
                origin = Origin(*map(int, found.groups())) if found else None
                if origin is None or not self._is_possible(origin, event):
                    mark = (value or b"")[:100]
                    raise MisplacedError(f"no forward writes the header {FORWARDED}: {mark!r}")
                return origin
        return Origin(event.partition, event.offset, event.timestamp)

    def _is_possible(self, origin: Origin, event: Event) -> bool:
        is_there = origin.partition < self._partitions
        is_other = origin.partition != event.partition
        if not is_other and any(name == MOVED for name, _ in event.headers):
            is_other = origin.offset < event.offset  # a copy of an earlier message
        return is_there and is_other and origin.timestamp <= event.timestamp + CLOCK_SKEW_MS


class RequestHandler:
    """Answers the requests of clients, and ends subscriptions for other agents."""

    def __init__(
        self, forwarding: Forwarding, rules: Rules, language: Language, placing: Placing
    ) -> None:
        """``rules`` are the limits of this deployment; ``placing`` sends to percolate."""
        self._forwarding = forwarding
        self._rules = rules
        self._language = language
        self._placing = placing

    def answer(
        self, event: Event, request: ClientRequest | FaultyRequest, memory: RegisterMemory
    ) -> Outcome:
        """Forward a request to the partition of its URL, or decide the request here."""
        if isinstance(request, FaultyRequest):  # refused with what is wrong in the rest, too
            known, unread = request.readable, request.faults
        else:
            known, unread = request, ()
        checked = refusal_by(unread) if known is None else check(known, self._rules, unread)
        if isinstance(checked, Refusal):
            url = canonical_document(request.document_url)
        else:
            request, url = checked.request, checked.target.url
        if url is not None:
            key = request_key(url, request.manager, request.receiver)
            if forwarded := self._forwarding.forwarded(event, key):
                return forwarded
        origin = self._forwarding.origin(event)
        if request.request_id is None:
            # The same message gets the same id each time it is read.
            request = replace(request, request_id=content_id(event.value, origin.timestamp))
        if isinstance(checked, Refusal):
            # A URL that is none stands as the text of the request.
            watch, named = memory.of(url or "").watch(), url or request.document_url
            fact = reject(request, checked, named, watch, origin.timestamp)
            return apply_decision(Decision(fact), memory, origin.timestamp)
        assert not isinstance(request, FaultyRequest), "it is refused"
        registrations = memory.of(checked.target.url)
        case = RequestCase(
            request,
            checked.target,
            origin,
            checked.keywords,
            registrations,
            memory.key,
            self._rules.min_interval,
        )
        if (last := reused_offset(case)) is not None:
            _warn_of_reused_offset(case, last)
        return self._applied(decide(case), memory, origin.timestamp)

    def cover(self, event: Event, command: Cover | Uncover, memory: RegisterMemory) -> Outcome:
        """Watch a page for a crawl, or no more."""
        if forwarded := self._forwarding.forwarded(event, command.url):
            return forwarded
        registrations, at = memory.of(command.url), event.timestamp
        if isinstance(command, Uncover):
            return self._applied(uncover(command, registrations, at), memory, at)
        covered = memory.covered(command.subscription.manager)
        decision = cover(command, registrations, self._rules, at, covered)
        outcome, fact = self._applied(decision, memory, at), decision.fact
        if isinstance(fact, PageRemoved) and fact.reason == MANAGER_IS_FULL:
            # Its crawl is to know of a page without room for its manager.
            refused = Send(CRAWLS.name, command.coverage.root, fact)
            return replace(outcome, sends=(refused, *outcome.sends))
        return outcome

    def _applied(self, decision: Decision, memory: RegisterMemory, now: int) -> Outcome:
        """Apply a decision, and let percolate or crawl know of a subscription for several pages.

        Changes no longer awaited by a changed subscription are notified before its row marks the
        request as applied: the request would not be decided again.
        """
        if decision.put is None:
            return apply_decision(decision, memory, now)
        _, row = decision.put
        former, _ = decision.left or decision.put
        before, after = memory.registration(former).subscription, row.subscription
        placements = tuple(self._placing.sends(before, after, row.at))
        crawl = pass_on_crawl(before, after, decision.fact)
        outcome = apply_decision(decision, memory, now)
        sends = [*placements, *crawl, *outcome.sends]
        if before is not None and after is not None:
            parts = notify_of_waiting(before, after, row.at, memory, self._language)
            sends += [send for part in parts for send in part.sends]
        return replace(outcome, sends=tuple(sends))

    def expire(self, event: Event, command: Expire, memory: RegisterMemory) -> Outcome:
        """End a subscription for the command's reason, if still present."""
        key = request_key(command.url, command.manager, command.receiver or Receiver())
        if forwarded := self._forwarding.forwarded(event, key):
            return forwarded
        registrations = memory.of(command.url)
        row = memory.key(command.subscription)
        if row is None or row not in registrations:
            return Outcome()
        fact, after = expire(registrations, row, command.reason, event.timestamp)
        return self._applied(Decision(fact, (row, after)), memory, event.timestamp)

    def end_leases(self, memory: RegisterMemory, now: int) -> Iterator[Outcome]:
        """End the subscriptions without renewal in time, and the stopped, by ``now`` (epoch ms)."""
        while (key := memory.leases.first((now,))) is not None:
            ended = memory.registration(key).subscription
            assert ended is not None, "what has a lease is active"
            fact, after = end_by_time(memory.of(ended.url), key, now)
            yield self._applied(Decision(fact, (key, after)), memory, now)


def _warn_of_reused_offset(case: RequestCase, last: Applied) -> None:
    log.warning(
        "the topic of requests was created again or cut short: a request has a used offset",
        url=case.target.url,
        partition=last.partition,
        offset=case.origin.offset,
        decided=last.offset,
    )
