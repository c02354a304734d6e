"""Grants challenges within their budgets, and makes them.

They are commanded on a topic of their own: first in the partition of the manager, so a single
worker counts all its requests, then in the partition of the address, so a single worker counts all
for a machine, under any name. A challenge is granted by an event and made by the next, by the same
worker. So a crash may repeat a grant, but never a request.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import structlog

from schemas.codec import wire
from schemas.records.answers import LookedUp
from schemas.records.challenges import Challenge, Challenged
from schemas.records.table_rows import GrantedChallenge, GrantedChallenges
from schemas.records.topics import ATTEMPTS, CHALLENGES
from schemas.records.urls import hostname
from streams.agents.deliver.outbox.challenge_budgets import (
    GRANT_MS,
    address_budgets,
    machine,
    manager_budgets,
    recent,
    refusal,
)
from streams.agents.deliver.outbox_rows import GRANTS
from streams.values.ids import content_id
from streams.values.outcome import Event, Lookup, Outcome, Put, Send

log = structlog.get_logger()

Ask = Callable[[str, str], Awaitable[str]]
"""Challenges a client URL at an address; returns the reason of a failure, or an empty string."""
LookUp = Callable[[str, int], Awaitable[LookedUp]]
"""Looks up an address of a client URL, after so many challenges."""


PAUSE_MS = 60_000
"""The pause before a challenge is repeated after a fault of ours."""

# A manager may call itself like an address.
_MANAGER, _ADDRESS = "manager ", "address "


class ChallengeEffects(NamedTuple):
    """Effects for challenging receivers."""

    ask: Ask
    look_up: LookUp


class ChallengeMaker:
    """Grants commanded challenges, and makes its granted challenges."""

    def __init__(self, effects: ChallengeEffects | None, clock: Callable[[], int]) -> None:
        """``effects`` are None if receivers need not answer; ``clock`` returns epoch ms."""
        self._effects = effects
        self._clock = clock
        self._granted: set[Challenge] = set()

    def released(self) -> None:
        """Drop the grants: neither this worker nor the next makes those challenges."""
        self._granted.clear()

    @staticmethod
    def line(command: Challenge) -> str:
        """Return the line of a command: a manager's requests, and challenges of an address."""
        if command.address is None:
            return command.manager
        where = machine(command.address)
        return f"{where} {command.manager}" if command.granted else where

    async def challenge(self, event: Event, lookup: Lookup) -> Outcome:
        """Grant a challenge within the budgets of its manager, then of its address, then ask."""
        command: Challenge = event.fact
        if self._effects is None:
            return Outcome()
        if command.address is None:
            return await self._for_manager(event, command, lookup, self._effects.look_up)
        if self._clock() - command.at > GRANT_MS:
            self._granted.discard(command)
            return self._put_off(command, "it could not be asked in time")
        if command.granted:
            if command not in self._granted:
                return self._put_off(command, "the worker that was to ask it has ended")
            self._granted.discard(command)
            reason = await self._effects.ask(command.client_url, command.address)
            log.info("challenged", client=command.client_url, reason=reason)
            return self._result(command, reason)
        return self._for_address(event, command, lookup)

    async def _for_manager(
        self, event: Event, command: Challenge, lookup: Lookup, look_up: LookUp
    ) -> Outcome:
        host, now = hostname(command.client_url), self._clock()
        granted = _granted(lookup, _MANAGER + command.manager, now)
        refused = refusal(manager_budgets(granted, host), now)
        if refused is not None:
            return self._result(command, *refused)
        found = await look_up(command.client_url, command.made)
        # The same message gets the same id, so a crash here cannot make two challenges of one.
        grant = content_id(event.topic, event.partition, event.offset, event.timestamp)
        put = _put_granted(_MANAGER + command.manager, granted, command, grant, now)
        if found.reason:
            result = self._put_off if found.is_unanswered else self._result
            return Outcome(result(command, found.reason).sends, (put,))
        named = replace(command, address=found.address, id=grant, at=now)
        return Outcome((Send(CHALLENGES.name, machine(found.address), named),), (put,))

    def _for_address(self, event: Event, command: Challenge, lookup: Lookup) -> Outcome:
        where, now = machine(command.address or ""), self._clock()
        granted = _granted(lookup, _ADDRESS + where, now)
        if any(each.id == command.id for each in granted):
            return Outcome()  # read again: what was granted then is on the topic
        refused = refusal(address_budgets(granted, command.manager), now)
        if refused is not None:
            return self._result(command, *refused)
        named = replace(command, granted=True)
        self._granted.add(named)
        # Counted before the request is made: a crash may cost a challenge, but never adds one.
        put = _put_granted(_ADDRESS + where, granted, command, command.id, now)
        return Outcome((Send(CHALLENGES.name, where, named, event.partition),), (put,))

    def _put_off(self, command: Challenge, reason: str) -> Outcome:
        # Our own fault, so it must not count as a challenge that the receiver has failed.
        log.warning(
            "a challenge is put off",
            client=command.client_url,
            reason=reason,
            again_in=PAUSE_MS // 1000,
            once_a_minute=reason,
        )
        return self._result(command, reason, self._clock() + PAUSE_MS)

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


def _granted(lookup: Lookup, who: str, now: int) -> tuple[GrantedChallenge, ...]:
    """Load the recent grants to a manager, or for an address."""
    row = lookup(GRANTS, who.encode())
    return () if row is None else recent(wire.decode(row, GrantedChallenges).granted, now)


def _put_granted(
    who: str, granted: Sequence[GrantedChallenge], command: Challenge, grant: str, now: int
) -> Put:
    added = GrantedChallenge(now, command.manager, hostname(command.client_url), grant)
    return Put(who.encode(), GrantedChallenges((*granted, added)), GRANTS)
