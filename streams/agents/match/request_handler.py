"""What match does with a request: forward it to its partition, reject it, or decide it."""

from collections.abc import Iterator
from dataclasses import replace

import structlog

from schemas.codec.json_requests import InvalidRequest
from schemas.records.crawls import Uncover
from schemas.records.faults import Refusal, refusal_by
from schemas.records.pages import canonical_document, request_key
from schemas.records.requests import ClientRequest, Cover, Expire
from schemas.records.subscriptions import Receiver, Subscription
from streams.agents.match.crawled import pass_on_crawl, pass_on_refusal
from streams.agents.match.forwarding import Forwarding
from streams.agents.match.outcomes import apply_decision
from streams.agents.match.percolations import Placing
from streams.agents.match.register.answers import reused_offset
from streams.agents.match.register.cases import RequestCase
from streams.agents.match.register.coverage import cover, uncover
from streams.agents.match.register.decisions import Decision, decide, expire, reject
from streams.agents.match.register.memory import RegisterMemory
from streams.agents.match.register.requests import CheckedRequest, Rules, check
from streams.agents.match.standing_changes import Language, notify_of_waiting
from streams.values.ids import content_id
from streams.values.outcome import Event, Outcome, Send

log = structlog.get_logger()


class RequestHandler:
    """Answers the requests of clients, and ends subscriptions for other agents."""

    def __init__(
        self, forwarding: Forwarding, rules: Rules, language: Language, placing: Placing
    ) -> None:
        """``rules`` are what this deployment allows; ``placing`` sends to percolate."""
        self._forwarding = forwarding
        self._rules = rules
        self._language = language
        self._placing = placing

    def answer(
        self, event: Event, request: ClientRequest | InvalidRequest, memory: RegisterMemory
    ) -> Outcome:
        """Forward a request to the partition of its URL, or decide it here."""
        checked = self._checked(request)
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
        registrations = memory.of(url or "")
        if isinstance(checked, Refusal):
            document = url or request.document_url
            watch = registrations.watch()
            fact = reject(request, checked, document, watch, origin.timestamp)
            return apply_decision(Decision(fact), memory, origin.timestamp)
        assert not isinstance(request, InvalidRequest), "it is refused"
        case = RequestCase(request, checked.target, origin, checked.keywords, registrations)
        _note_reused_offset(case)
        return self._decided(case, memory)

    def _decided(self, case: RequestCase, memory: RegisterMemory) -> Outcome:
        """Decide a request; what its subscription waits for no longer is notified at once."""
        before, decision = case.known.subscription, decide(case)
        outcome = self._applied(decision, memory, case.origin.timestamp)
        after = None if decision.put is None else decision.put[1].subscription
        return self._with_waiting(outcome, before, after, case.at, memory)

    def _with_waiting(
        self,
        outcome: Outcome,
        before: Subscription | None,
        after: Subscription | None,
        at: int,
        memory: RegisterMemory,
    ) -> Outcome:
        """Add what a changed subscription waits for no longer, ``at`` a time (epoch ms).

        Before the row says that the request is applied: it would not be decided again.
        """
        if before is None or after is None:
            return outcome
        parts = notify_of_waiting(before, after, at, memory, self._language)
        waited = [send for part in parts for send in part.sends]
        return replace(outcome, sends=(*outcome.sends, *waited))

    def _checked(self, request: ClientRequest | InvalidRequest) -> CheckedRequest | Refusal:
        """Check a request; one that could not be read is refused with what is wrong in the rest."""
        if not isinstance(request, InvalidRequest):
            return check(request, self._rules)
        if request.readable is None:
            return refusal_by(request.faults)
        return check(request.readable, self._rules, request.faults)

    def cover(self, event: Event, command: Cover | Uncover, memory: RegisterMemory) -> Outcome:
        """Watch a page for a crawl, or watch it no more."""
        if forwarded := self._forwarding.forwarded(event, command.url):
            return forwarded
        registrations = memory.of(command.url)
        if isinstance(command, Cover):
            covered = memory.covered(command.subscription.manager)
            decision = cover(command, registrations, self._rules, event.timestamp, covered)
        else:
            decision = uncover(command, registrations, event.timestamp)
        before = memory.registration(decision.put[0]).subscription if decision.put else None
        outcome = apply_decision(decision, memory, event.timestamp)
        refused = pass_on_refusal(command, decision.fact)
        outcome = replace(outcome, sends=(*refused, *outcome.sends))
        if decision.put is None:
            return outcome
        _, after = decision.put
        return self._with_waiting(outcome, before, after.subscription, after.at, memory)

    def _applied(self, decision: Decision, memory: RegisterMemory, now: int) -> Outcome:
        """Apply a decision, and let percolate or crawl know of a subscription for several pages."""
        passed_on: tuple[Send, ...] = ()
        if decision.put is not None:
            key, after = decision.put
            before = memory.registration(key).subscription
            placements = self._placing.sends(before, after.subscription, after.at)
            crawl = pass_on_crawl(before, after.subscription, decision.fact)
            passed_on = (*placements, *crawl)
        outcome = apply_decision(decision, memory, now)
        return replace(outcome, sends=(*passed_on, *outcome.sends))

    def expire(self, event: Event, command: Expire, memory: RegisterMemory) -> Outcome:
        """End one subscription for the reason that the command has, if there still is one."""
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
        """End the subscriptions that were not asked for again in time, by ``now`` (epoch ms)."""
        while (key := memory.lease_ended(now)) is not None:
            ended = memory.registration(key).subscription
            assert ended is not None, "what has a lease is active"
            reason = f"it was not asked for again within {ended.options.lease} s"
            fact, after = expire(memory.of(ended.url), key, reason, now)
            yield self._applied(Decision(fact, (key, after)), memory, now)


def _note_reused_offset(case: RequestCase) -> None:
    last = reused_offset(case.known, case.origin)
    if last is not None:
        log.warning(
            "the topic of requests was created again or cut short: a request has a used offset",
            url=case.target.url,
            partition=last.partition,
            offset=case.origin.offset,
            decided=last.offset,
        )
