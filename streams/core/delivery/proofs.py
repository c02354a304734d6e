"""Which receivers may be told: those that have answered a challenge once."""

from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush

from schemas.answers import WebhookResponse
from schemas.facts import Challenged
from schemas.state import Proof
from streams.core.delivery.retries import JITTER, pause

CHALLENGES_PER_HOUR = 3
WINDOW = 62 * 60_000
"""Milliseconds: an hour, and the time for which those that were granted may hang."""
LOST = 5 * 60_000
"""Milliseconds after which a challenge is commanded again whose result has not come."""


class Proofs:
    """What is known of the receivers of one partition; ``needed`` as its worker is set."""

    def __init__(self, needed: bool) -> None:
        """Start empty."""
        self.needed = needed
        self._given: set[str] = set()
        self._under_way: dict[str, Proof] = {}
        self._agenda: list[tuple[int, str]] = []

    def lacks(self, client: str) -> bool:
        """Whether a receiver may not be told yet."""
        return self.needed and client not in self._given

    def under_way(self, client: str) -> Proof | None:
        """Give what is known of a receiver that is being asked."""
        return self._under_way.get(client)

    def put(self, client: str, proof: Proof) -> None:
        """Note how far a receiver is."""
        if proof.given:
            self._under_way.pop(client, None)
            self._given.add(client)
        else:
            self._under_way[client] = proof
            heappush(self._agenda, (proof.due, client))

    def drop(self, client: str) -> bool:
        """Forget a receiver; whether anything was known of it."""
        was_given = client in self._given
        self._given.discard(client)
        return self._under_way.pop(client, None) is not None or was_given

    def due(self, now: int) -> list[tuple[str, Proof]]:
        """Give whom to challenge now (epoch ms); again later, should nothing come of it."""
        found = []
        while self._agenda and self._agenda[0][0] <= now:
            due, client = heappop(self._agenda)
            proof = self._under_way.get(client)
            if proof is not None and proof.due == due:
                found.append((client, proof))
                self.put(client, replace(proof, due=now + LOST))
        return found


def first_proof(now: int) -> Proof:
    """Begin to ask a receiver at a time (epoch ms), with a challenge that is commanded at once."""
    return Proof(given=False, since=now, made=0, due=now + LOST, reason="")


def conclude(known: Proof, result: Challenged, schedule: Sequence[float]) -> Proof:
    """Note what came of a challenge; the next is due as a notification's next attempt would be."""
    if not result.reason:
        return replace(known, given=True, reason="")
    if result.again:
        return replace(known, due=result.again, reason=known.reason or result.reason)
    made = known.made + 1
    answer = WebhookResponse(None, result.reason)
    wait = pause(schedule, result.client_url, made, answer) or 0
    return replace(known, made=made, due=result.at + wait, reason=result.reason)


def is_hopeless(known: Proof, schedule: Sequence[float]) -> bool:
    """Whether the next challenge would be made later than a notification is tried."""
    longest = sum(schedule) * 1000 * (1 + JITTER)
    return known.made >= len(schedule) or known.due > known.since + longest


def next_challenge_at(times: Sequence[int]) -> int:
    """Give when (epoch ms) a host may be challenged again, after its last challenges."""
    return times[-CHALLENGES_PER_HOUR] + WINDOW if len(times) >= CHALLENGES_PER_HOUR else 0
