"""Remember the receivers ready for notifications: with a recent answer to a challenge."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf

from schemas.records.answers import WebhookResponse
from schemas.records.challenges import Challenged
from schemas.records.table_rows import Proof
from streams.agents.deliver.outbox.failures import DAY_MS, JITTER, retry_delay
from streams.agents.deliver.outbox.recipients import Recipient, pop_oldest
from streams.values.ranked_keys import RankedKeys

RESULT_TIMEOUT_MS = 5 * 60_000
"""A challenge without a result is commanded again after this time."""
RENEWED_AFTER_MS = 14 * DAY_MS
"""A recipient is asked again with its next notification when its answer is so old."""
FORGOTTEN_AFTER_MS = 28 * DAY_MS
"""A proof is dropped when nothing was sent to its recipient for so long."""
MOST_PUT_OFF_MS = 28 * DAY_MS
"""The most time of our own postponements left out of a recipient's time."""
MOST_PROOFS = 100_000
"""Answers of a partition remembered; with more, the oldest is dropped."""


class Proofs:
    """The proofs of the recipients of a partition; ``needed`` by its worker's setting."""

    def __init__(self, needed: bool, most: int = MOST_PROOFS) -> None:
        """Start empty; remember the answers of ``most`` recipients."""
        self.needed = needed
        self._most = most
        # When (epoch ms) each has answered last, oldest first.
        self._confirmed: dict[Recipient, int] = {}
        self._asked: dict[Recipient, Proof] = {}
        # With ``since``: of those that are due together, who has waited longest is next.
        self._agenda = RankedKeys[Recipient]()

    def __len__(self) -> int:
        """Count the recipients of which anything is known."""
        return len(self._confirmed.keys() | self._asked.keys())

    @property
    def unconfirmed(self) -> int:
        """The number of recipients under challenge without any answer yet."""
        return sum(not proof.confirmed for proof in self._asked.values())

    def lacks(self, recipient: Recipient) -> bool:
        """Whether a recipient may not be notified yet; a channel, which is its manager's, may."""
        return self.needed and not recipient.is_channel and recipient not in self._confirmed

    def is_old(self, recipient: Recipient, now: int) -> bool:
        """Whether a recipient has to confirm an earlier answer at ``now`` (epoch ms)."""
        if not self.needed or recipient in self._asked:
            return False
        return self._confirmed.get(recipient, now) <= now - RENEWED_AFTER_MS

    def confirmed(self, recipient: Recipient) -> int:
        """Return the time (epoch ms) of a recipient's last answer, 0 if never."""
        return self._confirmed.get(recipient, 0)

    def asked(self, recipient: Recipient) -> Proof | None:
        """Return the progress of a recipient under challenge; None for all others."""
        return self._asked.get(recipient)

    def load(self, rows: Iterable[tuple[Recipient, Proof]]) -> None:
        """Load all rows, in any order."""
        for recipient, proof in sorted(rows, key=lambda row: row[1].confirmed):
            self.put(recipient, proof)

    def put(self, recipient: Recipient, proof: Proof) -> None:
        """Note how far a recipient is."""
        if proof.confirmed != self.confirmed(recipient):
            self._confirmed.pop(recipient, None)
            self._confirmed[recipient] = proof.confirmed
        if not proof.due:
            self._asked.pop(recipient, None)
            self._agenda.drop(recipient)
            return
        self._asked[recipient] = proof
        self._agenda.put(recipient, (proof.due, proof.since))

    def drop(self, recipient: Recipient) -> bool:
        """Forget a recipient; returns whether anything was known."""
        self._agenda.drop(recipient)
        was_confirmed = self._confirmed.pop(recipient, None) is not None
        return self._asked.pop(recipient, None) is not None or was_confirmed

    def forget(self, now: int) -> Recipient | None:
        """Drop the oldest answer if too old at ``now`` (epoch ms), or beyond the limit."""
        last = now - FORGOTTEN_AFTER_MS
        oldest = pop_oldest(self._confirmed, self._most, lambda at: at <= last)
        if oldest in self._asked:  # it is being asked again, and its turn comes after the others
            self._confirmed[oldest] = self._asked[oldest].confirmed
            return None
        return oldest

    def pop_due(self, now: int) -> list[tuple[Recipient, Proof]]:
        """Return which recipients to challenge now (epoch ms).

        A recipient is due again later in case no result comes.
        """
        found = []
        while (recipient := self._agenda.first(most=(now, inf))) is not None:
            proof = self._asked[recipient]
            found.append((recipient, proof))
            self.put(recipient, replace(proof, due=now + RESULT_TIMEOUT_MS))
        return found


def first_proof(now: int, confirmed: int = 0) -> Proof:
    """Return the record of a recipient when its first challenge is commanded (``now`` in epoch ms).

    ``confirmed`` is the time of an earlier answer, 0 if never.
    """
    due = now + RESULT_TIMEOUT_MS
    return Proof(confirmed=confirmed, since=now, made=0, put_off=0, due=due, reason="")


def proof_after(known: Proof, result: Challenged, schedule: Sequence[float]) -> Proof:
    """Return a recipient's record after the result of a challenge.

    A failed challenge is repeated at the time of a notification's next attempt, and a postponed
    challenge when its host is free again.
    """
    if not result.reason:
        return Proof(confirmed=result.at, since=result.at, made=0, put_off=0, due=0, reason="")
    if result.again:
        put_off = known.put_off + max(result.again - result.at, 0)
        reason = known.reason or result.reason
        return replace(known, put_off=put_off, due=result.again, reason=reason)
    made = known.made + 1
    answer = WebhookResponse(None, result.reason)
    wait = retry_delay(schedule, result.client_url, made, answer) or 0
    return replace(known, made=made, due=result.at + wait, reason=result.reason)


def is_hopeless(known: Proof, schedule: Sequence[float]) -> bool:
    """Whether the next challenge would come later than a notification's last attempt.

    Time for which we put challenges off does not count, up to ``MOST_PUT_OFF_MS``. Nothing waits
    for a recipient with an earlier answer: such a recipient is asked until all attempts are made.
    """
    longest = sum(schedule) * 1000 * (1 + JITTER) + min(known.put_off, MOST_PUT_OFF_MS)
    is_late = not known.confirmed and known.due > known.since + longest
    return known.made >= len(schedule) or is_late
