"""A shipment: notifications sent together, and the results of its end."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from schemas.codec.versions import Record
from schemas.records.answers import WebhookResponse
from schemas.records.deliveries import AttemptFailed, ClientGone, Delivered, DeliveryFailed
from schemas.records.notifications import Notification
from schemas.records.pages import request_key
from schemas.records.requests import Expire
from schemas.records.subscriptions import Receiver
from schemas.records.table_rows import FailingClient, Queued
from schemas.records.topics import DELIVERIES, SUBSCRIPTION_REQUESTS
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.queues import PendingNotification
from streams.agents.deliver.outbox.recipients import FAILING, PROOF, Recipient
from streams.agents.deliver.outbox_rows import (
    DELIVERED,
    OUTBOX,
    RECEIVERS,
    attempt_commands,
    put_tried,
    row_key,
)
from streams.values.outcome import Outcome, Put, Send

PendingRow = tuple[PendingNotification, Queued]
"""A notification in memory, and its row."""


@dataclass(frozen=True, slots=True)
class Shipment:
    """Notifications of a recipient being sent together, with their rows, in order.

    The notifications of a digest have waited for a time; without a wait, a notification is sent
    alone.
    """

    partition: int
    outbox: Outbox
    rows: tuple[PendingRow, ...]

    @property
    def members(self) -> list[PendingNotification]:
        """Its notifications as memory keeps them."""
        return [pending for pending, _ in self.rows]

    @property
    def notifications(self) -> list[Notification]:
        """Its notifications."""
        return [queued.notification for _, queued in self.rows]

    @property
    def recipient(self) -> Recipient:
        """The recipient of the shipment."""
        return self.rows[0][0].recipient

    @property
    def is_digest(self) -> bool:
        """Whether its notifications have waited for a time."""
        return self.rows[0][0].held is not None

    def count_attempt(self, answer: WebhookResponse) -> None:
        """Count a further attempt for each notification, with its answer."""
        for pending in self.members:
            pending.attempts += 1
            pending.status = answer.status

    def delivered(self, answer: WebhookResponse, at: int) -> Outcome:
        """Publish and store the acceptance by its receiver, ``at`` in epoch ms.

        A success clears the receiver's record of failures.
        """
        had_failed = self.outbox.failures.clear(self.recipient)

        def fact(pending: PendingNotification) -> Delivered:
            status = answer.status or 0
            return Delivered(*_ids(pending), pending.attempts, status, at, answer.start)

        return self._ended(fact, at, puts=(self._put_failures(None),) if had_failed else ())

    def failed(
        self,
        reason: str,
        at: int,
        start: str = "",
        *,
        sends: Iterable[Send] = (),
        puts: tuple[Put, ...] = (),
    ) -> Outcome:
        """Publish and store the failure, ``at`` in epoch ms.

        ``start`` is how its last answer began.
        """

        def fact(pending: PendingNotification) -> DeliveryFailed:
            return replace(_failed(pending, reason, at), answer=start)

        return self._ended(fact, at, sends, puts)

    def retried(
        self, *, wait: int, now: int, sends: tuple[Send, ...] = (), puts: tuple[Put, ...] = ()
    ) -> Outcome:
        """Put the shipment back into the outbox for ``wait`` ms, and let others begin."""
        rows, begun = list[Put](), list[PendingNotification]()
        for pending, queued in self.rows:
            pending.due = now + wait
            rows.append(put_tried(pending, queued, pending.due))
            begun += self.outbox.requeue(pending, now)
        return Outcome((*sends, *attempt_commands(begun, self.partition)), (*rows, *puts))

    def tried_again(
        self, answer: WebhookResponse, record: FailingClient, *, wait: int, now: int
    ) -> Outcome:
        """Publish the refusal by its receiver, and try again after ``wait`` ms.

        ``record`` says since when the receiver has only failed.
        """

        def fact(pending: PendingNotification) -> AttemptFailed:
            return AttemptFailed(
                *_ids(pending), pending.attempts, answer.reason, at=now, next=now + wait,
                since=record.since, status=answer.status, answer=answer.start,
            )  # fmt: skip

        return self.retried(
            wait=wait, now=now, sends=self._sends(fact), puts=(self._put_failures(record),)
        )

    def given_up(self, answer: WebhookResponse, record: FailingClient, now: int) -> Outcome:
        """Give up after the last attempt, with the ``record`` of its failing receiver."""
        puts = (self._put_failures(record),)
        return self.failed(answer.reason, now, answer.start, puts=puts)

    def expired(self, answer: WebhookResponse, reason: str, now: int) -> Outcome:
        """Give up, and end the subscriptions for a ``reason``."""
        return self.failed(answer.reason, now, answer.start, sends=self._expire(reason))

    def subscriptions_ended(self, answer: WebhookResponse, reason: str, now: int) -> Outcome:
        """Give up all waiting notifications of its subscriptions, too, and end those."""
        waiting = self.outbox.drop(self.recipient, self._subscriptions)
        others = give_up(waiting, reason, now, self._subscriptions)
        sends = (*self._expire(reason), *others.sends)
        return self.failed(answer.reason, now, answer.start, sends=sends, puts=others.puts)

    def client_gone(self, answer: WebhookResponse, reason: str, now: int) -> Outcome:
        """Give up the notifications of its recipient, which is gone, and its subscriptions."""
        recipient = self.recipient
        gone = ClientGone(*recipient, reason, now)
        # What waits would otherwise be sent in vain until the end of the schedule.
        others = give_up(self.outbox.drop(recipient), reason, now, self._subscriptions)
        sends = (
            Send(DELIVERIES.name, recipient.client_url, gone),
            *self._expire(reason),
            *others.sends,
        )
        puts = [self._put_failures(self.outbox.failures.note_gone(recipient)), *others.puts]
        if self.outbox.proofs.drop(recipient):
            puts.append(Put(recipient.key(PROOF), None, RECEIVERS))
        return self.failed(answer.reason, now, answer.start, sends=sends, puts=tuple(puts))

    def removed(self, now: int) -> Outcome:
        """Remove the shipment from the outbox, and let others begin."""
        begun = [each for pending in self.members for each in self.outbox.finish(pending, now)]
        puts = (Put(row_key(each), None, OUTBOX) for each in self.members if each.has_row)
        return Outcome(tuple(attempt_commands(begun, self.partition)), tuple(puts))

    @property
    def _subscriptions(self) -> set[str]:
        return {pending.subscription for pending in self.members}

    def _ended(
        self,
        fact: Callable[[PendingNotification], Delivered | DeliveryFailed],
        now: int,
        sends: Iterable[Send] = (),
        puts: tuple[Put, ...] = (),
    ) -> Outcome:
        """Publish and store the end, so a repeated notification is dropped."""
        removed = self.removed(now)
        # How it ended is stored first: after a crash before the rest it is not sent again.
        stored = (Put(row_key(each), fact(each), DELIVERED) for each in self.members)
        return Outcome(
            (*self._sends(fact), *sends, *removed.sends), (*stored, *removed.puts, *puts)
        )

    def _sends(self, fact: Callable[[PendingNotification], Record]) -> tuple[Send, ...]:
        client = self.recipient.client_url
        return tuple(Send(DELIVERIES.name, client, fact(each)) for each in self.members)

    def _put_failures(self, failing: FailingClient | None) -> Put:
        """Store the record of its failing recipient; None deletes the record."""
        return Put(self.recipient.key(FAILING), failing, RECEIVERS)

    def _expire(self, reason: str) -> list[Send]:
        """Command the end of its subscriptions."""
        members = {pending.subscription: pending for pending in reversed(self.members)}
        return [_expire(each, reason) for each in reversed(members.values())]


def give_up(
    pending: Iterable[PendingNotification], reason: str, at: int, ended: Iterable[str] = ()
) -> Outcome:
    """Give up waiting notifications, and end their subscriptions; ``at`` in epoch ms.

    Already ``ended`` subscriptions need no command any more.
    """
    expired = set(ended)
    sends: list[Send] = []
    puts: list[Put] = []
    for each in pending:
        fact = _failed(each, reason, at)
        sends.append(Send(DELIVERIES.name, each.recipient.client_url, fact))
        if each.subscription not in expired:
            expired.add(each.subscription)
            sends.append(_expire(each, reason))
        puts += (Put(row_key(each), fact, DELIVERED), Put(row_key(each), None, OUTBOX))
    return Outcome(sends, tuple(puts))


def _ids(pending: PendingNotification) -> tuple[str, str, str, str]:
    return pending.id, pending.subscription, *pending.recipient


def _failed(pending: PendingNotification, reason: str, at: int) -> DeliveryFailed:
    return DeliveryFailed(*_ids(pending), pending.attempts, reason, at, pending.status)


def _expire(pending: PendingNotification, reason: str) -> Send:
    document, recipient = pending.pages or pending.url, pending.recipient
    receiver = Receiver(recipient.client_url)
    command = Expire(
        document, pending.subscription, reason, manager=recipient.manager, receiver=receiver
    )
    key = request_key(document, recipient.manager, receiver)
    return Send(SUBSCRIPTION_REQUESTS.name, key, command)
