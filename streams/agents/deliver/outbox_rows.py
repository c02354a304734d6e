"""The rows of the outbox, and the commands for what waits in it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from schemas.records.deliveries import Attempt
from schemas.records.table_rows import Queued
from schemas.records.topics import ATTEMPTS
from schemas.records.urls import canonical
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.queues import PendingNotification
from streams.agents.deliver.outbox.recipients import FAILING, PROOF, Recipient, day_key
from streams.agents.deliver.tables import OUTBOX, RECEIVERS
from streams.values.outcome import Put, Send

_FIRST_DELIVERY = -1
"""Stands before all that are sent again; what is asked for before it has ended keeps its turn."""


def pending_notification(queued: Queued) -> PendingNotification:
    """Return what memory keeps of a notification that is to be sent."""
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


def put_tried(pending: PendingNotification, queued: Queued, due: int) -> Put:
    """Put a notification, with its attempts so far, into the outbox until it is ``due``."""
    return put_row(
        pending, replace(queued, attempts=pending.attempts, due=due, status=pending.status)
    )


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


def forgotten(outbox: Outbox, now: int) -> tuple[Put, ...]:
    """Forget what is known of a recipient that nobody has notified lately, or of a day (epoch ms).

    One at a time: an event adds no more than one.
    """
    failing, proof = outbox.failures.forget(now), outbox.proofs.forget(now)
    counted = outbox.days.forget(now)
    keys = [] if failing is None else [failing.key(FAILING)]
    keys += [] if proof is None else [proof.key(PROOF)]
    keys += [] if counted is None else [day_key(counted)]
    return tuple(Put(key, None, RECEIVERS) for key in keys)
