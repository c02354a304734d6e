"""Which receivers may be notified: those that have answered a challenge once."""

from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush

from schemas.answers import WebhookResponse
from schemas.facts import Challenged
from schemas.state import Proof
from streams.core.delivery.recipients import Recipient
from streams.core.delivery.retries import JITTER, retry_delay

CHALLENGES_PER_HOUR = 3
"""Challenges that are granted to one host within an hour."""
CHALLENGE_WINDOW_MS = 62 * 60_000
"""An hour, and the time for which granted challenges may wait for their answers."""
RESULT_TIMEOUT_MS = 5 * 60_000
"""A challenge without a result is commanded again after this time."""


class Proofs:
    """What is known of the recipients of one partition; ``needed`` as its worker is set."""

    def __init__(self, needed: bool) -> None:
        """Start empty."""
        self.needed = needed
        self._given: set[Recipient] = set()
        self._asked: dict[Recipient, Proof] = {}
        self._agenda: list[tuple[int, Recipient]] = []

    def lacks(self, recipient: Recipient) -> bool:
        """Whether a recipient may not be notified yet."""
        return self.needed and recipient not in self._given

    def asked(self, recipient: Recipient) -> Proof | None:
        """Return how far a recipient is that is being challenged; None for all others."""
        return self._asked.get(recipient)

    def put(self, recipient: Recipient, proof: Proof) -> None:
        """Note how far a recipient is."""
        if proof.given:
            self._asked.pop(recipient, None)
            self._given.add(recipient)
        else:
            # An older entry of the agenda stays, and is skipped when it is due.
            self._asked[recipient] = proof
            heappush(self._agenda, (proof.due, recipient))

    def drop(self, recipient: Recipient) -> bool:
        """Forget a recipient; returns whether anything was known of it."""
        was_given = recipient in self._given
        self._given.discard(recipient)
        return self._asked.pop(recipient, None) is not None or was_given

    def pop_due(self, now: int) -> list[tuple[Recipient, Proof]]:
        """Return which recipients to challenge now (epoch ms).

        A recipient is due again later in case no result comes.
        """
        found = []
        while self._agenda and self._agenda[0][0] <= now:
            due, recipient = heappop(self._agenda)
            proof = self._asked.get(recipient)
            if proof is not None and proof.due == due:
                found.append((recipient, proof))
                self.put(recipient, replace(proof, due=now + RESULT_TIMEOUT_MS))
        return found


def first_proof(now: int) -> Proof:
    """Return the record of a receiver whose first challenge is commanded now (epoch ms)."""
    return Proof(given=False, since=now, made=0, due=now + RESULT_TIMEOUT_MS, reason="")


def proof_after(known: Proof, result: Challenged, schedule: Sequence[float]) -> Proof:
    """Return a receiver's record after the result of a challenge.

    A failed one is repeated when a notification's next attempt would be, and one that
    was not made when its host may be challenged again.
    """
    if not result.reason:
        return replace(known, given=True, reason="")
    if result.again:
        return replace(known, due=result.again, reason=known.reason or result.reason)
    made = known.made + 1
    answer = WebhookResponse(None, result.reason)
    wait = retry_delay(schedule, result.client_url, made, answer) or 0
    return replace(known, made=made, due=result.at + wait, reason=result.reason)


def is_hopeless(known: Proof, schedule: Sequence[float]) -> bool:
    """Whether the next challenge would come later than a notification's last attempt."""
    longest = sum(schedule) * 1000 * (1 + JITTER)
    return known.made >= len(schedule) or known.due > known.since + longest


def next_challenge_at(times: Sequence[int]) -> int:
    """Return when a host may be challenged again, after challenges at these times (epoch ms)."""
    enough = len(times) >= CHALLENGES_PER_HOUR
    return times[-CHALLENGES_PER_HOUR] + CHALLENGE_WINDOW_MS if enough else 0
