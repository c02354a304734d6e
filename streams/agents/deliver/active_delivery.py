"""A notification that is being sent, and what follows from its end: facts, rows, who is next."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from schemas.records.answers import WebhookResponse
from schemas.records.deliveries import Attempt, AttemptFailed, ClientGone, Delivered, DeliveryFailed
from schemas.records.pages import request_key
from schemas.records.requests import Expire
from schemas.records.subscriptions import Receiver
from schemas.records.table_rows import FailingClient, Queued
from schemas.records.urls import canonical
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.queues import PendingNotification
from streams.agents.deliver.outbox.recipients import Recipient
from streams.agents.deliver.tables import CLIENTS, DAYS, DELIVERED, OUTBOX, PROOFS
from streams.values.outcome import Outcome, Put, Send
from streams.values.topics import ATTEMPTS, DELIVERIES, SUBSCRIPTION_REQUESTS

_FIRST_DELIVERY = -1
"""Stands before all that are sent again; what is asked for before it has ended keeps its turn."""


def pending_notification(queued: Queued) -> PendingNotification:
    """Return what memory keeps of a notification for a webhook."""
    notification = queued.notification
    again = queued.redelivery if queued.ended else None
    return PendingNotification(
        id=notification.id,
        recipient=Recipient(notification.manager, notification.receiver.client_url or ""),
        url=canonical(notification.url) or notification.url,
        subscription=notification.subscription,
        position=(queued.place, _FIRST_DELIVERY if again is None else again),
        attempts=queued.attempts,
        due=queued.due,
        status=queued.status,
        held=queued.held,
        has_hours=notification.times is not None and bool(notification.times.hours),
        redelivery=queued.redelivery,
        pages=notification.pages,
    )


def row_key(pending: PendingNotification) -> bytes:
    """Return the key of a notification in the tables ``delivered`` and ``outbox``."""
    return pending.id.encode()


def put_row(pending: PendingNotification, queued: Queued) -> Put:
    """Put a notification into the table ``outbox``; it may have been asked for meanwhile."""
    pending.has_row = True
    return Put(row_key(pending), replace(queued, redelivery=pending.redelivery), OUTBOX)


def attempt_commands(pending: Iterable[PendingNotification], partition: int) -> Iterator[Send]:
    """Let the next notifications in turn begin.

    One that waits in memory is woken, one that has a row gets an ``Attempt``.
    """
    for each in pending:
        if each.wake is not None:
            each.wake()
        else:
            yield Send(
                ATTEMPTS.name, each.recipient.client_url, Attempt(each.id, each.attempts), partition
            )


@dataclass(frozen=True, slots=True)
class ActiveDelivery:
    """A notification that is being sent: in which partition's outbox, and with which row."""

    partition: int
    outbox: Outbox
    pending: PendingNotification
    queued: Queued

    def delivered(self, answer: WebhookResponse, at: int) -> Delivered:
        """Return the fact that the receiver has accepted it, ``at`` in epoch ms."""
        return Delivered(
            notification=self.pending.id,
            subscription=self.pending.subscription,
            manager=self.pending.recipient.manager,
            client_url=self.pending.recipient.client_url,
            attempts=self.pending.attempts,
            status=answer.status or 0,
            at=at,
            answer=answer.start,
        )

    def failed(self, reason: str, at: int, start: str = "") -> DeliveryFailed:
        """Return the fact that it is given up, ``at`` in epoch ms.

        ``start`` is how its last answer began.
        """
        return replace(_failed(self.pending, reason, at), answer=start)

    def attempt_failed(self, answer: WebhookResponse, at: int, wait: int, since: int) -> Send:
        """Publish that its receiver has not accepted it, and will be asked again.

        ``at`` is in epoch ms, ``wait`` the pause in ms; the receiver has only failed ``since``.
        """
        fact = AttemptFailed(
            notification=self.pending.id,
            subscription=self.pending.subscription,
            manager=self.pending.recipient.manager,
            client_url=self.pending.recipient.client_url,
            attempts=self.pending.attempts,
            reason=answer.reason,
            at=at,
            next=at + wait,
            since=since,
            status=answer.status,
            answer=answer.start,
        )
        return Send(DELIVERIES.name, fact.client_url, fact)

    def expire(self, reason: str) -> Send:
        """Command that its subscription ends."""
        return _expire(self.pending, reason)

    def ended(
        self,
        fact: Delivered | DeliveryFailed,
        *,
        sends: Iterable[Send] = (),
        puts: tuple[Put, ...] = (),
    ) -> Outcome:
        """Publish how it ended, and store that, so that a repeated notification is dropped."""
        removed = self.removed(fact.at)
        delivery = Send(DELIVERIES.name, self.pending.recipient.client_url, fact)
        stored = Put(row_key(self.pending), fact, DELIVERED)
        # How it ended is stored first: after a crash before the rest it is not sent again.
        return Outcome((delivery, *sends, *removed.sends), (stored, *removed.puts, *puts))

    def removed(self, now: int) -> Outcome:
        """Remove it from the outbox, and let others begin."""
        puts = (Put(row_key(self.pending), None, OUTBOX),) if self.pending.has_row else ()
        return Outcome(self._commands(self.outbox.finish(self.pending, now)), puts)

    def retried(
        self, *, wait: int, now: int, sends: tuple[Send, ...] = (), puts: tuple[Put, ...] = ()
    ) -> Outcome:
        """Put it back into the outbox for ``wait`` ms, and let others begin."""
        self.pending.due = now + wait
        pending = self.pending
        queued = replace(
            self.queued, attempts=pending.attempts, due=pending.due, status=pending.status
        )
        row = put_row(pending, queued)
        commands = self._commands(self.outbox.requeue(self.pending, now))
        return Outcome((*sends, *commands), (row, *puts))

    def put_failures(self, failing: FailingClient | None) -> Put:
        """Store the record of its failing recipient; None deletes it."""
        return Put(self.pending.recipient.key, failing, CLIENTS)

    def subscription_ended(self, failed: DeliveryFailed, reason: str) -> Outcome:
        """Give up all that waits for its subscription, too, and end that for a ``reason``."""
        waiting = self.outbox.drop(self.pending.recipient, {self.pending.subscription})
        others = give_up(waiting, reason, failed.at, {self.pending.subscription})
        sends = (self.expire(reason), *others.sends)
        return self.ended(failed, sends=sends, puts=others.puts)

    def client_gone(self, failed: DeliveryFailed, reason: str) -> Outcome:
        """Give up all that waits for its recipient, which is gone, and end the subscriptions."""
        recipient, at = self.pending.recipient, failed.at
        gone = ClientGone(recipient.manager, recipient.client_url, reason, at)
        # What waits would otherwise be sent in vain until the end of the schedule.
        others = give_up(self.outbox.drop(recipient), reason, at, {self.pending.subscription})
        sends = (
            Send(DELIVERIES.name, recipient.client_url, gone),
            self.expire(reason),
            *others.sends,
        )
        puts = [self.put_failures(self.outbox.failures.note_gone(recipient)), *others.puts]
        if self.outbox.proofs.drop(recipient):
            puts.append(Put(recipient.key, None, PROOFS))
        return self.ended(failed, sends=sends, puts=tuple(puts))

    def _commands(self, pending: Iterable[PendingNotification]) -> tuple[Send, ...]:
        return tuple(attempt_commands(pending, self.partition))


def give_up(
    pending: Iterable[PendingNotification], reason: str, at: int, ended: Iterable[str] = ()
) -> Outcome:
    """Give up notifications that wait, and end their subscriptions; ``at`` in epoch ms.

    Those that are ``ended`` need no command any more.
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


def forgotten(outbox: Outbox, now: int) -> tuple[Put, ...]:
    """Forget what is known of a recipient that nobody has notified lately, or of a day (epoch ms).

    One at a time: an event adds no more than one.
    """
    failing, proof = outbox.failures.forget(now), outbox.proofs.forget(now)
    counted = outbox.days.forget(now)
    puts = [] if failing is None else [Put(failing.key, None, CLIENTS)]
    puts += [] if proof is None else [Put(proof.key, None, PROOFS)]
    puts += [] if counted is None else [Put(counted.encode(), None, DAYS)]
    return tuple(puts)


def _failed(pending: PendingNotification, reason: str, at: int) -> DeliveryFailed:
    return DeliveryFailed(
        notification=pending.id,
        subscription=pending.subscription,
        manager=pending.recipient.manager,
        client_url=pending.recipient.client_url,
        attempts=pending.attempts,
        reason=reason,
        at=at,
        status=pending.status,
    )


def _expire(pending: PendingNotification, reason: str) -> Send:
    document, recipient = pending.pages or pending.url, pending.recipient
    receiver = Receiver(recipient.client_url)
    command = Expire(
        document, pending.subscription, reason, manager=recipient.manager, receiver=receiver
    )
    key = request_key(document, recipient.manager, receiver)
    return Send(SUBSCRIPTION_REQUESTS.name, key, command)
