"""Accept notifications, queue them, and make their next attempts."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from schemas.codec import wire
from schemas.records.deliveries import Attempt, Delivered, DeliveryFailed, Redeliver
from schemas.records.notifications import Notification
from schemas.records.table_rows import Queued
from streams.agents.deliver.challenges import ProofHandler
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.queues import NEVER, DeliveryState, PendingNotification
from streams.agents.deliver.outbox_rows import (
    DELIVERED,
    OUTBOX,
    pending_notification,
    put_row,
    row_key,
)
from streams.agents.deliver.sending import Holding, ReceiverEffects, ShipmentSender
from streams.agents.deliver.shipment import PendingRow, Shipment
from streams.values.outcome import Event, Lookup, Outcome

MAX_NOTIFICATION = 900_000
"""Bytes: more than any of ours has, and its row in the outbox fits into a message of 1 MB."""


class MisdirectedError(Exception):
    """A command to redeliver a notification never sent to the receiver for the manager."""


def check_redelivery(
    notification: Notification, known: PendingNotification | None, ended: bytes | None
) -> None:
    """Raise MisdirectedError unless a notification was for this receiver before.

    A command has its own copy of the notification, which is signed with the secret of its
    subscription: a forged copy must not reach another receiver. The notification is ``known`` while
    waiting; ``ended`` is its row in the table ``delivered``.
    """
    asked = notification.manager, notification.receiver.client_url, notification.subscription
    if known is not None and asked == (*known.recipient, known.subscription):
        return
    if known is None and ended is not None:
        fact = wire.decode(ended, Delivered, DeliveryFailed)
        if asked == (fact.manager, fact.client_url, fact.subscription):
            return
    raise MisdirectedError(
        f"notification {notification.id} of subscription {notification.subscription} has not "
        f"been sent to {notification.receiver.client_url} for {notification.manager}"
    )


def has_ended_since(seen: int | None, ended: bytes | None) -> bool:
    """Whether a notification has ended later than its ``seen`` outcome (epoch ms).

    ``ended`` is its row in the table ``delivered``.
    """
    return seen is not None and ended_at(ended) > seen


def ended_at(ended: bytes | None) -> int:
    """Return the last end of a notification (epoch ms), 0 before any.

    ``ended`` is its row in the table ``delivered``.
    """
    if ended is None:
        return 0
    fact: Delivered | DeliveryFailed = wire.decode(ended, Delivered, DeliveryFailed)
    return fact.at


class OversizedRecordError(Exception):
    """A notification larger than any from our agents."""


class NotificationHandler:
    """Handles notifications, and the commands to attempt or repeat their delivery."""

    def __init__(
        self,
        effects: ReceiverEffects,
        proofs: ProofHandler,
        clock: Callable[[], int],
        schedule: Sequence[float],
        turn_timeout_s: float,
    ) -> None:
        """``clock`` returns epoch ms; ``schedule`` has the seconds before each attempt."""
        self._effects = effects
        self._sender = ShipmentSender(effects, clock, schedule)
        self._holding = Holding(effects, clock)
        self._proofs = proofs
        self._clock = clock
        self._turn_timeout_s = turn_timeout_s

    async def accept(
        self, event: Event, notification: Notification, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        """Deliver a notification, unless done or under way."""
        outbox.pass_by(event.offset)
        is_pending = outbox.get(notification.id) is not None
        if is_pending or lookup(DELIVERED, notification.id.encode()) is not None:
            return Outcome()
        return await self._begin(event, self._queued(notification, event.offset, None), outbox)

    async def redeliver(
        self, event: Event, command: Redeliver, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        """Send a notification again, after all sent or seen before this command."""
        notification = command.notification
        known = outbox.get(notification.id)
        ended = lookup(DELIVERED, notification.id.encode())
        check_redelivery(notification, known, ended)
        if has_ended_since(command.seen, ended):
            return Outcome()
        if known is not None:
            outbox.make_due(known, event.offset, self._clock())
            row = lookup(OUTBOX, row_key(known))
            if row is None:
                return Outcome()
            # Due in the row, too: the next worker would send the notification as well.
            queued = wire.decode(row, Queued)
            due = queued.due if known.due == NEVER else known.due
            return Outcome(puts=(put_row(known, replace(queued, due=due)),))
        queued = self._queued(notification, outbox.through, event.offset)
        queued = replace(queued, ended=ended_at(ended))
        return await self._begin(event, queued, outbox)

    async def attempt(
        self, event: Event, command: Attempt, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        """Make the attempt of a command, unless another was made since."""
        begun = outbox.begin_attempt(command.notification, command.made)
        shipment, ended = self._load(begun, Shipment(event.partition, outbox, ()), lookup)
        sent = await self._send(shipment)
        removed = ended.removed(self._clock())
        # First how it ended: the table that is named first is written first.
        return Outcome((*sent.sends, *removed.sends), (*sent.puts, *removed.puts))

    def _load(
        self, begun: Sequence[PendingNotification], empty: Shipment, lookup: Lookup
    ) -> tuple[Shipment, Shipment]:
        """Load the rows of a shipment, and of its parts ended since the command.

        Notifications beyond the limit, or without a row yet, are due again at once.
        """
        rows, ended, size = list[PendingRow](), list[PendingRow](), 0
        for pending in begun:
            effects = self._effects.of(pending.recipient)
            row = None if size > effects.max_digest_bytes else lookup(OUTBOX, row_key(pending))
            queued = None if row is None else wire.decode(row, Queued)
            size += 0 if not (row and queued) else effects.size(row, queued.notification)
            if queued is None or (rows and size > effects.max_digest_bytes):
                pending.due = self._clock()
                empty.outbox.requeue(pending, pending.due)  # of a digest, so nothing begins
            elif has_ended_since(queued.ended, lookup(DELIVERED, row_key(pending))):
                ended.append((pending, queued))
            else:
                rows.append((pending, queued))
        return replace(empty, rows=tuple(rows)), replace(empty, rows=tuple(ended))

    def _queued(self, notification: Notification, place: int, redelivery: int | None) -> Queued:
        return Queued(
            notification=notification,
            attempts=0,
            due=self._clock(),
            place=place,
            redelivery=redelivery,
        )

    async def _begin(self, event: Event, queued: Queued, outbox: Outbox) -> Outcome:
        size = len(event.value or b"")
        if size > MAX_NOTIFICATION:
            raise OversizedRecordError(
                f"the notification has {size} bytes; {MAX_NOTIFICATION} are allowed"
            )
        pending = pending_notification(queued)
        pending.size = size
        if outbox.proofs.lacks(pending.recipient):
            return self._proofs.hold(pending, queued, outbox)
        if not outbox.admit(pending) and not await self._has_turn(pending, outbox):
            is_done = pending.state is DeliveryState.DONE
            return Outcome() if is_done else Outcome(puts=(put_row(pending, queued),))
        return await self._send(Shipment(event.partition, outbox, ((pending, queued),)))

    async def _send(self, shipment: Shipment) -> Outcome:
        """Send the part of a shipment free to go."""
        shipment, held = await self._holding.hold(shipment)
        if not shipment.rows:
            return held
        self._holding.count(shipment)
        sent = await self._sender.attempt(shipment)
        # Before the rest, because one that is counted twice would keep another one waiting.
        counted = self._holding.count_rows(shipment)
        return Outcome((*held.sends, *sent.sends), (*counted, *sent.puts, *held.puts))

    async def _has_turn(self, pending: PendingNotification, outbox: Outbox) -> bool:
        """Wait in memory for the turn of this notification, unless the wait is forbidden."""
        if not outbox.begin_wait(pending):
            return False
        turn = asyncio.Event()
        pending.wake = turn.set
        with suppress(TimeoutError):
            async with asyncio.timeout(self._turn_timeout_s):
                await turn.wait()
        return outbox.end_wait(pending)
