"""A receiver is told nothing until it has answered a challenge: a GET with a random word to echo.

Challenges are commanded on a topic of their own, in the partition of the host, so that
one worker counts those of a host. A challenge is granted by one event and made by the
next, by the worker that granted it: what a crash repeats is granted anew, never made anew.
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
    conclude,
    first_proof,
    is_hopeless,
    next_challenge_at,
)
from streams.core.delivery.queues import PendingNotification
from streams.core.outcome import Event, Lookup, Outcome, Put, Send
from streams.deliver.active_delivery import PROOFS, given_up, keep
from streams.topics import ATTEMPTS, CHALLENGES

log = structlog.get_logger()

Ask = Callable[[str], Awaitable[str]]
"""Challenges a receiver, by its URL; says why that failed, or nothing."""

HOSTS = "hosts"
"""The table of when hosts were challenged."""
NONE_LEFT = f"its host is asked at most {CHALLENGES_PER_HOUR} times an hour"


def command(client: str, proof: Proof) -> Send:
    """Command the next challenge of a receiver."""
    return Send(CHALLENGES.name, hostname(client), Challenge(client, proof.made))


class Challenges:
    """What deliver does about proofs; ``ask`` is None where none are asked for."""

    def __init__(
        self, ask: Ask | None, clock: Callable[[], int], schedule: Sequence[float]
    ) -> None:
        """``clock`` gives epoch ms; ``schedule`` the seconds before each challenge."""
        self._ask = ask
        self._clock = clock
        self._schedule = schedule
        self._granted: set[Challenge] = set()

    def released(self) -> None:
        """Forget what was granted: the next worker makes none of it."""
        self._granted.clear()

    def resume(self, client: str, outbox: Outbox) -> None:
        """Have a receiver asked for whom something waits, if it is not known that it is."""
        if outbox.proofs.lacks(client) and outbox.proofs.under_way(client) is None:
            now = self._clock()
            outbox.proofs.put(client, replace(first_proof(now), due=now))

    def hold(self, entry: PendingNotification, queued: Queued, outbox: Outbox) -> Outcome:
        """Queue a notification until its receiver has proved that it wants it."""
        outbox.hold(entry)
        kept = keep(entry, queued)
        if outbox.proofs.under_way(entry.client) is not None:
            return Outcome(puts=(kept,))
        proof = first_proof(self._clock())
        outbox.proofs.put(entry.client, proof)
        return Outcome((command(entry.client, proof),), (kept, _record(entry.client, proof)))

    async def challenge(self, event: Event, lookup: Lookup) -> Outcome:
        """Grant a challenge if its host may be asked now, or make one that was granted."""
        asked: Challenge = event.fact
        if self._ask is None:
            return Outcome()
        if asked.granted:
            return await self._made(asked, self._ask)
        host = hostname(asked.client_url).encode()
        value, now = lookup(HOSTS, host), self._clock()
        times = () if value is None else wire.decode(value, ChallengedHost).times
        again = next_challenge_at(times)
        if again > now:
            return self._result(asked, NONE_LEFT, again)
        granted = Challenge(asked.client_url, asked.made, granted=True)
        self._granted.add(granted)
        put = Put(host, ChallengedHost((*times, now)[-CHALLENGES_PER_HOUR:]), HOSTS)
        return Outcome((Send(CHALLENGES.name, host, granted, event.partition),), (put,))

    async def _made(self, granted: Challenge, ask: Ask) -> Outcome:
        if granted not in self._granted:
            return self._result(granted, "the worker that was to ask it has ended")
        self._granted.discard(granted)
        reason = await ask(granted.client_url)
        log.info("challenged", client=granted.client_url, reason=reason)
        return self._result(granted, reason)

    def _result(self, asked: Challenge, reason: str, again: int = 0) -> Outcome:
        result = Challenged(asked.client_url, asked.made, reason, again, self._clock())
        return Outcome((Send(ATTEMPTS.name, asked.client_url, result),))

    def concluded(self, result: Challenged, outbox: Outbox) -> Outcome:
        """Have what waits for a receiver told, or asked for again, or given up."""
        client = result.client_url
        known = outbox.proofs.under_way(client)
        if known is None or (result.reason and result.made != known.made):
            return Outcome()
        proof = conclude(known, result, self._schedule)
        if proof.given:
            outbox.proofs.put(client, proof)
            outbox.release(client, result.at)
            return Outcome(puts=(_record(client, proof),))
        failing = outbox.failing.get(client)
        has_refused = failing is not None and failing.gone and not result.again
        if has_refused or is_hopeless(proof, self._schedule):
            return self._refused(client, proof, outbox)
        outbox.proofs.put(client, proof)
        return Outcome(puts=(_record(client, proof),))

    def _refused(self, client: str, proof: Proof, outbox: Outbox) -> Outcome:
        reason = f"its receiver has not confirmed that it wants it: {proof.reason}"
        outbox.proofs.drop(client)
        rest = given_up(outbox.drop(client), reason, self._clock())
        return Outcome(rest.sends, (*rest.puts, Put(client.encode(), None, PROOFS)))


def _record(client: str, proof: Proof) -> Put:
    return Put(client.encode(), proof, PROOFS)
