"""The tables of deliver, by name, and the rows of the outbox: written, commanded and loaded."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace

import structlog

from schemas.codec import wire
from schemas.records.deliveries import Attempt
from schemas.records.table_rows import DayCount, FailingClient, Proof, Queued
from schemas.records.topics import ATTEMPTS, NOTIFICATIONS
from schemas.records.urls import canonical
from streams.agents.deliver.outbox.in_hand import InHand
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.queues import PendingNotification
from streams.agents.deliver.outbox.recipients import FAILING, PROOF, Recipient, day_key
from streams.values.outcome import Owned, Put, Send

log = structlog.get_logger()

DELIVERED = "delivered"
"""The end of each notification: ``Delivered`` or ``DeliveryFailed``, by its id."""
OUTBOX = "outbox"
"""Notifications in wait for an attempt or a challenge: ``Queued``, by their ids."""
RECEIVERS = "receivers"
"""Recipients with failures since their last success (``FailingClient``), their answers to
challenges (``Proof``), and the daily counts of subscriptions (``DayCount``), each under its kind of
key."""
GRANTS = "grants"
"""The recent grants of challenges: ``GrantedChallenges``, by manager and by address."""

_FIRST_DELIVERY = -1
"""Stands before all redeliveries; a notification requested before its end keeps its turn."""

ROWS_PER_TURN = 500


def pending_notification(queued: Queued) -> PendingNotification:
    """Return the part of a notification kept in memory."""
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
    """Put a notification into the table ``outbox``, perhaps requested meanwhile."""
    pending.has_row = True
    return Put(row_key(pending), replace(queued, redelivery=pending.redelivery), OUTBOX)


def put_tried(pending: PendingNotification, queued: Queued, due: int) -> Put:
    """Put a notification, with its attempts so far, into the outbox until ``due``."""
    return put_row(
        pending, replace(queued, attempts=pending.attempts, due=due, status=pending.status)
    )


def attempt_commands(pending: Iterable[PendingNotification], partition: int) -> Iterator[Send]:
    """Let the next notifications in turn begin.

    A notification waiting in memory is woken, a notification with a row gets an ``Attempt``.
    """
    for each in pending:
        if each.wake is not None:
            each.wake()
        else:
            yield Send(
                ATTEMPTS.name, each.recipient.client_url, Attempt(each.id, each.attempts), partition
            )


def forgotten(outbox: Outbox, now: int) -> tuple[Put, ...]:
    """Forget the state of a recipient without recent notifications, or of a past day (epoch ms).

    A single one at a time: an event adds no more.
    """
    failing, proof = outbox.failures.forget(now), outbox.proofs.forget(now)
    counted = outbox.days.forget(now)
    keys = [] if failing is None else [failing.key(FAILING)]
    keys += [] if proof is None else [proof.key(PROOF)]
    keys += [] if counted is None else [day_key(counted)]
    return tuple(Put(key, None, RECEIVERS) for key in keys)


async def load_outbox(
    owned: Owned,
    resume: Callable[[Recipient, Outbox], None],
    *,
    in_hand: InHand,
    needs_proof: bool,
) -> Outbox:
    """Load the waiting notifications of a partition, and the state of its recipients.

    ``resume`` is called for the recipient of each waiting notification.
    """
    done, end = (of.get(NOTIFICATIONS.name, 0) for of in (owned.done, owned.ends))
    outbox = Outbox(done - 1, end, in_hand, needs_proof)
    await _load_receivers(owned, outbox)
    async for _, value in _rows(owned, OUTBOX):
        pending = pending_notification(wire.decode(value, Queued))
        outbox.load(pending)
        resume(pending.recipient, outbox)
    if outbox.of_former_log:
        log.warning(
            "the topic of notifications was created again or cut short: what waits for "
            "its next attempt comes before what is on the topic",
            partition=owned.number,
            notifications=outbox.of_former_log,
        )
    return outbox


async def _load_receivers(owned: Owned, outbox: Outbox) -> None:
    proofs = list[tuple[Recipient, Proof]]()
    failing = list[tuple[Recipient, FailingClient]]()
    days = list[tuple[str, DayCount]]()
    async for key, value in _rows(owned, RECEIVERS):
        match wire.decode(value, Proof, FailingClient, DayCount):
            case Proof() as proof:
                proofs.append((Recipient.of_key(key), proof))
            case FailingClient() as record:
                failing.append((Recipient.of_key(key), record))
            case DayCount() as count:
                days.append((key.decode().partition(" ")[2], count))
    outbox.proofs.load(proofs)
    outbox.failures.load(failing)
    outbox.days.load(days)


async def _rows(owned: Owned, table: str) -> AsyncIterator[tuple[bytes, bytes]]:
    for count, row in enumerate(owned.rows(table), 1):
        if count % ROWS_PER_TURN == 0:
            await asyncio.sleep(0)  # heartbeats must go on
        yield row
