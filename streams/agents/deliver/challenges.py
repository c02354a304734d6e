"""Hold notifications until their receiver has answered a challenge, and conclude from its answer.

A receiver gets no notification before answering a GET by echoing a random word, see ``granting``.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from schemas.records.challenges import Challenge, Challenged
from schemas.records.deliveries import ReceiverAsked, ReceiverConfirmed
from schemas.records.table_rows import Proof, Queued
from schemas.records.topics import CHALLENGES, DELIVERIES
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.proofs import first_proof, is_hopeless, proof_after
from streams.agents.deliver.outbox.queues import PendingNotification
from streams.agents.deliver.outbox.recipients import PROOF, Recipient
from streams.agents.deliver.outbox_rows import RECEIVERS, put_row
from streams.agents.deliver.shipment import give_up
from streams.values.outcome import Outcome, Put, Send


def challenge_command(recipient: Recipient, proof: Proof) -> Send:
    """Return the command for the next challenge of a recipient."""
    command = Challenge(recipient.manager, recipient.client_url, proof.made)
    return Send(CHALLENGES.name, recipient.manager, command)


class ProofHandler:
    """Commands challenges of receivers, and decides about waiting notifications by the results."""

    def __init__(self, clock: Callable[[], int], schedule: Sequence[float]) -> None:
        """``clock`` returns epoch ms; ``schedule`` has the seconds before each challenge."""
        self._clock = clock
        self._schedule = schedule

    def resume(self, recipient: Recipient, outbox: Outbox) -> None:
        """Plan the challenge of a recipient with waiting notifications, unless already planned."""
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
        asked = _asked(recipient, proof, self._clock())
        return Outcome((command, asked), (row, _put_proof(recipient, proof)))

    def renew(self, recipient: Recipient, outbox: Outbox) -> Outcome:
        """Challenge a recipient with an old answer again, notified meanwhile."""
        now = self._clock()
        if not outbox.proofs.is_old(recipient, now):
            return Outcome()
        proof = first_proof(now, outbox.proofs.confirmed(recipient))
        outbox.proofs.put(recipient, proof)
        command = challenge_command(recipient, proof)
        return Outcome((command,), (_put_proof(recipient, proof),))

    def conclude(self, result: Challenged, outbox: Outbox) -> Outcome:
        """Release the notifications for a receiver, challenge again later, or give up."""
        recipient = Recipient(result.manager, result.client_url)
        known = outbox.proofs.asked(recipient)
        # A late success counts; a late failure is of a challenge that was repeated since.
        if known is None or (result.reason and result.made != known.made):
            return Outcome()
        proof = proof_after(known, result, self._schedule)
        if not proof.due:
            outbox.proofs.put(recipient, proof)
            outbox.release(recipient, result.at)
            fact = ReceiverConfirmed(*recipient, result.at)
            sends = () if known.confirmed else (Send(DELIVERIES.name, recipient.client_url, fact),)
            return Outcome(sends, (_put_proof(recipient, proof),))
        has_refused = outbox.failures.is_gone(recipient) and not result.again
        if has_refused or is_hopeless(proof, self._schedule):
            return self._gave_up(recipient, proof, outbox)
        outbox.proofs.put(recipient, proof)
        # Nothing waits for a receiver that has answered before.
        sends = () if known.confirmed else (_asked(recipient, proof, result.at),)
        return Outcome(sends, (_put_proof(recipient, proof),))

    def _gave_up(self, recipient: Recipient, proof: Proof, outbox: Outbox) -> Outcome:
        reason = f"its receiver has not confirmed that it wants it: {proof.reason}"
        outbox.proofs.drop(recipient)
        ended = give_up(outbox.drop(recipient), reason, self._clock())
        return Outcome(ended.sends, (*ended.puts, Put(recipient.key(PROOF), None, RECEIVERS)))


def _asked(recipient: Recipient, proof: Proof, at: int) -> Send:
    fact = ReceiverAsked(*recipient, proof.made, proof.reason, next=proof.due, at=at)
    return Send(DELIVERIES.name, recipient.client_url, fact)


def _put_proof(recipient: Recipient, proof: Proof) -> Put:
    return Put(recipient.key(PROOF), proof, RECEIVERS)
