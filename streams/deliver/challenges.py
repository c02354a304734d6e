"""Challenges receivers: none is notified before it has answered a GET by echoing a random word.

Challenges are commanded on their own topic, in the partition of the host, so that one
worker counts all of a host. A challenge is granted by one event and made by the next,
by the worker that granted it. So a crash may repeat a grant, but never a request.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import structlog

from schemas import wire
from schemas.facts import Challenge, Challenged
from schemas.state import ChallengedHost, Proof, Queued
from schemas.urls import hostname
from streams.core.delivery.outbox import Outbox
from streams.core.delivery.proofs import (
    CHALLENGES_PER_HOUR,
    first_proof,
    is_hopeless,
    next_challenge_at,
    proof_after,
)
from streams.core.delivery.queues import PendingNotification
from streams.core.delivery.recipients import Recipient
from streams.core.outcome import Event, Lookup, Outcome, Put, Send
from streams.deliver.active_delivery import give_up, put_row
from streams.deliver.tables import HOSTS, PROOFS
from streams.topics import ATTEMPTS, CHALLENGES

log = structlog.get_logger()

Ask = Callable[[str], Awaitable[str]]
"""Challenges a receiver, by its URL; returns why that failed, or an empty string."""

NONE_LEFT = f"its host is asked at most {CHALLENGES_PER_HOUR} times an hour"


def challenge_command(recipient: Recipient, proof: Proof) -> Send:
    """Return the command for the next challenge of a recipient."""
    command = Challenge(recipient.manager, recipient.client_url, proof.made)
    return Send(CHALLENGES.name, hostname(recipient.client_url), command)


class ChallengeHandler:
    """Grants and makes challenges, and decides what their results mean for what waits."""

    def __init__(
        self, ask: Ask | None, clock: Callable[[], int], schedule: Sequence[float]
    ) -> None:
        """Build it from its effects.

        Args:
            ask: Makes a challenge; None if receivers need not answer one.
            clock: Returns the time in epoch ms.
            schedule: Seconds before each challenge.
        """
        self._ask = ask
        self._clock = clock
        self._schedule = schedule
        self._granted: set[Challenge] = set()

    def released(self) -> None:
        """Drop what was granted: neither this worker nor the next one makes those challenges."""
        self._granted.clear()

    def resume(self, recipient: Recipient, outbox: Outbox) -> None:
        """Plan the challenge of a recipient for which something waits, unless one is planned."""
        if outbox.proofs.lacks(recipient) and outbox.proofs.asked(recipient) is None:
            now = self._clock()
            outbox.proofs.put(recipient, replace(first_proof(now), due=now))

    def hold(self, pending: PendingNotification, queued: Queued, outbox: Outbox) -> Outcome:
        """Queue a notification until its receiver has answered a challenge."""
        recipient = pending.recipient
        outbox.hold_for_proof(pending)
        row = put_row(pending, queued)
        if outbox.proofs.asked(recipient) is not None:
            return Outcome(puts=(row,))
        proof = first_proof(self._clock())
        outbox.proofs.put(recipient, proof)
        command = challenge_command(recipient, proof)
        return Outcome((command,), (row, _put_proof(recipient, proof)))

    async def challenge(self, event: Event, lookup: Lookup) -> Outcome:
        """Grant a challenge if its host may be challenged now, or make one that was granted."""
        command: Challenge = event.fact
        if self._ask is None:
            return Outcome()
        if command.granted:
            return await self._made(command, self._ask)
        host = hostname(command.client_url).encode()
        value, now = lookup(HOSTS, host), self._clock()
        times = () if value is None else wire.decode(value, ChallengedHost).times
        again = next_challenge_at(times)
        if again > now:
            return self._result(command, NONE_LEFT, again)
        granted = replace(command, granted=True)
        self._granted.add(granted)
        # Counted before the request is made: a crash may cost a challenge, but never adds one.
        put = Put(host, ChallengedHost((*times, now)[-CHALLENGES_PER_HOUR:]), HOSTS)
        return Outcome((Send(CHALLENGES.name, host, granted, event.partition),), (put,))

    async def _made(self, granted: Challenge, ask: Ask) -> Outcome:
        if granted not in self._granted:
            return self._result(granted, "the worker that was to ask it has ended")
        self._granted.discard(granted)
        reason = await ask(granted.client_url)
        log.info("challenged", client=granted.client_url, reason=reason)
        return self._result(granted, reason)

    def _result(self, command: Challenge, reason: str, again: int = 0) -> Outcome:
        result = Challenged(
            manager=command.manager,
            client_url=command.client_url,
            made=command.made,
            reason=reason,
            again=again,
            at=self._clock(),
        )
        return Outcome((Send(ATTEMPTS.name, command.client_url, result),))

    def conclude(self, result: Challenged, outbox: Outbox) -> Outcome:
        """Release what waits for a receiver, challenge it again later, or give it up."""
        recipient = Recipient(result.manager, result.client_url)
        known = outbox.proofs.asked(recipient)
        # A late success counts; a late failure is of a challenge that was repeated since.
        if known is None or (result.reason and result.made != known.made):
            return Outcome()
        proof = proof_after(known, result, self._schedule)
        if proof.given:
            outbox.proofs.put(recipient, proof)
            outbox.release(recipient, result.at)
            return Outcome(puts=(_put_proof(recipient, proof),))
        has_refused = outbox.failures.is_gone(recipient) and not result.again
        if has_refused or is_hopeless(proof, self._schedule):
            return self._gave_up(recipient, proof, outbox)
        outbox.proofs.put(recipient, proof)
        return Outcome(puts=(_put_proof(recipient, proof),))

    def _gave_up(self, recipient: Recipient, proof: Proof, outbox: Outbox) -> Outcome:
        reason = f"its receiver has not confirmed that it wants it: {proof.reason}"
        outbox.proofs.drop(recipient)
        ended = give_up(outbox.drop(recipient), reason, self._clock())
        return Outcome(ended.sends, (*ended.puts, Put(recipient.key, None, PROOFS)))


def _put_proof(recipient: Recipient, proof: Proof) -> Put:
    return Put(recipient.key, proof, PROOFS)
