"""A digest that is being sent, and what follows from its end: a fact and a row for each of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from schemas.codec.versions import Record
from schemas.records.answers import WebhookResponse
from schemas.records.deliveries import AttemptFailed, ClientGone, Delivered, DeliveryFailed
from schemas.records.notifications import Notification
from schemas.records.table_rows import Queued
from streams.agents.deliver.active_delivery import give_up, put_row, row_key
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.queues import PendingNotification
from streams.agents.deliver.outbox.recipients import Recipient
from streams.agents.deliver.tables import CLIENTS, DELIVERED, OUTBOX, PROOFS
from streams.values.outcome import Outcome, Put, Send
from streams.values.topics import DELIVERIES


@dataclass(frozen=True, slots=True)
class ActiveDigest:
    """Notifications of one recipient that are being sent together, with their rows, in order."""

    outbox: Outbox
    rows: tuple[tuple[PendingNotification, Queued], ...]

    @property
    def members(self) -> list[PendingNotification]:
        """What memory keeps of its notifications."""
        return [pending for pending, _ in self.rows]

    @property
    def notifications(self) -> list[Notification]:
        """Its notifications."""
        return [queued.notification for _, queued in self.rows]

    @property
    def recipient(self) -> Recipient:
        """Who gets it."""
        return self.rows[0][0].recipient

    def count_attempt(self, answer: WebhookResponse) -> None:
        """Count one more attempt for each of it, and how it was answered."""
        for pending in self.members:
            pending.attempts += 1
            pending.status = answer.status

    def delivered(self, answer: WebhookResponse, at: int) -> Outcome:
        """Publish and store that its receiver has accepted it, ``at`` in epoch ms."""
        had_failed = self.outbox.failures.clear(self.recipient)
        puts = (Put(self.recipient.key, None, CLIENTS),) if had_failed else ()

        def fact(pending: PendingNotification) -> Delivered:
            status = answer.status or 0
            return Delivered(*_ids(pending), pending.attempts, status, at, answer.start)

        return self._ended(fact, puts)

    def failed(self, reason: str, at: int, start: str = "", puts: tuple[Put, ...] = ()) -> Outcome:
        """Publish and store that it is given up, ``at`` in epoch ms."""

        def fact(pending: PendingNotification) -> DeliveryFailed:
            return DeliveryFailed(
                *_ids(pending), pending.attempts, reason, at, pending.status, start
            )

        return self._ended(fact, puts)

    def attempt_failed(
        self, answer: WebhookResponse, at: int, wait: int, since: int
    ) -> tuple[Send, ...]:
        """Publish that its receiver has not accepted it, and will be asked again.

        ``at`` is in epoch ms, ``wait`` the pause in ms; the receiver has only failed ``since``.
        """

        def fact(pending: PendingNotification) -> AttemptFailed:
            made = pending.attempts
            return AttemptFailed(
                *_ids(pending), made, answer.reason, at, at + wait, since, answer.status,
                answer.start,
            )  # fmt: skip

        return self._sends(fact)

    def retried(
        self, due: int, sends: tuple[Send, ...] = (), puts: tuple[Put, ...] = ()
    ) -> Outcome:
        """Hold it again until it is ``due`` (epoch ms)."""
        rows = list[Put]()
        for pending, queued in self.rows:
            pending.due = due
            row = replace(queued, attempts=pending.attempts, due=due, status=pending.status)
            rows.append(put_row(pending, row))
            self.outbox.held.hold(pending)
        return Outcome(sends, (*rows, *puts))

    def subscriptions_ended(self, reason: str, at: int) -> Outcome:
        """Give up it and all that waits for its subscriptions, and end those."""
        self.outbox.held.end(self.members)
        subscriptions = {pending.subscription for pending in self.members}
        others = self.outbox.drop(self.recipient, subscriptions)
        return give_up([*self.members, *others], reason, at)

    def client_gone(self, reason: str, at: int) -> Outcome:
        """Give up it and all that waits for its recipient, which is gone; end the subscriptions."""
        self.outbox.held.end(self.members)
        gone = ClientGone(*self.recipient, reason, at)
        ended = give_up([*self.members, *self.outbox.drop(self.recipient)], reason, at)
        puts = [Put(self.recipient.key, self.outbox.failures.note_gone(self.recipient), CLIENTS)]
        if self.outbox.proofs.drop(self.recipient):
            puts.append(Put(self.recipient.key, None, PROOFS))
        send = Send(DELIVERIES.name, self.recipient.client_url, gone)
        return Outcome((send, *ended.sends), (*puts, *ended.puts))

    def _ended(
        self,
        fact: Callable[[PendingNotification], Delivered | DeliveryFailed],
        puts: tuple[Put, ...],
    ) -> Outcome:
        self.outbox.held.end(self.members)
        # How it ended is stored first: after a crash before the rest it is not sent again.
        stored = [Put(row_key(each), fact(each), DELIVERED) for each in self.members]
        removed = [Put(row_key(each), None, OUTBOX) for each in self.members]
        return Outcome(self._sends(fact), (*stored, *removed, *puts))

    def _sends(self, fact: Callable[[PendingNotification], Record]) -> tuple[Send, ...]:
        client = self.recipient.client_url
        return tuple(Send(DELIVERIES.name, client, fact(each)) for each in self.members)


def _ids(pending: PendingNotification) -> tuple[str, str, str, str]:
    return pending.id, pending.subscription, *pending.recipient
