"""What deliver does with a notification: accept it, queue it, or make its next attempt."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from schemas.codec import wire
from schemas.records.deliveries import Attempt, Redeliver
from schemas.records.notifications import Notification
from schemas.records.table_rows import Queued
from streams.agents.deliver.active_delivery import (
    ActiveDelivery,
    pending_notification,
    put_row,
    row_key,
)
from streams.agents.deliver.challenges import ProofHandler
from streams.agents.deliver.digests import DigestHandler
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.queues import NEVER, DeliveryState, PendingNotification
from streams.agents.deliver.posting import Poster
from streams.agents.deliver.redelivery import check_redelivery, ended_at, has_ended_since
from streams.agents.deliver.tables import DELIVERED, OUTBOX
from streams.values.outcome import Event, Lookup, Outcome

MAX_NOTIFICATION = 900_000
"""Bytes: more than any of ours has, and its row in the outbox fits into a message of 1 MB."""


class OversizedRecordError(Exception):
    """A notification larger than any that our stages write."""


class NotificationHandler:
    """Handles notifications, and the commands to attempt or repeat their delivery."""

    def __init__(
        self,
        poster: Poster,
        proofs: ProofHandler,
        clock: Callable[[], int],
        turn_timeout_s: float,
        digests: DigestHandler,
    ) -> None:
        """``clock`` returns the time in epoch ms."""
        self._poster = poster
        self._proofs = proofs
        self._clock = clock
        self._turn_timeout_s = turn_timeout_s
        self._digests = digests

    async def accept(
        self, event: Event, notification: Notification, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        """Deliver a notification, unless that is done or under way."""
        outbox.pass_by(event.offset)
        is_pending = outbox.get(notification.id) is not None
        if is_pending or lookup(DELIVERED, notification.id.encode()) is not None:
            return Outcome()
        return await self._begin(event, self._queued(notification, event.offset, None), outbox)

    async def redeliver(
        self, event: Event, command: Redeliver, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        """Send a notification again, after all that were sent or seen before this command."""
        notification = command.notification
        known = outbox.get(notification.id)
        ended = lookup(DELIVERED, notification.id.encode())
        check_redelivery(notification, known, ended)
        if has_ended_since(command.seen, ended):
            return Outcome()
        if known is not None:
            return self._asked_for(known, event.offset, outbox, lookup)
        queued = self._queued(notification, outbox.through, event.offset)
        queued = replace(queued, ended=ended_at(ended))
        return await self._begin(event, queued, outbox)

    def _asked_for(
        self, known: PendingNotification, redelivery: int, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        """Make one that waits due now, in its row as well: a worker that takes over sends it."""
        outbox.make_due(known, redelivery, self._clock())
        row = lookup(OUTBOX, row_key(known))
        if row is None:
            return Outcome()
        queued = wire.decode(row, Queued)
        due = queued.due if known.due == NEVER else known.due
        return Outcome(puts=(put_row(known, replace(queued, due=due)),))

    async def attempt(
        self, event: Event, command: Attempt, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        """Make the attempt that a command asks for, unless another was made since."""
        pending = outbox.begin_attempt(command.notification, command.made)
        if pending is None:
            return await self._digests.attempt(event, command, outbox, lookup)
        queued = wire.decode(lookup(OUTBOX, row_key(pending)), Queued)
        delivery = ActiveDelivery(event.partition, outbox, pending, queued)
        if has_ended_since(queued.ended, lookup(DELIVERED, row_key(pending))):
            return delivery.removed(self._clock())
        return await self._deliver(delivery)

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
        if outbox.proofs.lacks(pending.recipient):
            return self._proofs.hold(pending, queued, outbox)
        if not outbox.admit(pending) and not await self._has_turn(pending, outbox):
            is_done = pending.state is DeliveryState.DONE
            return Outcome() if is_done else Outcome(puts=(put_row(pending, queued),))
        return await self._deliver(ActiveDelivery(event.partition, outbox, pending, queued))

    async def _deliver(self, delivery: ActiveDelivery) -> Outcome:
        held = await self._digests.held(delivery)
        if held is not None:
            return held
        self._digests.count(delivery)
        outcome = await self._poster.attempt(delivery)
        # Before the rest, because one that is counted twice would keep another one waiting.
        counted = self._digests.count_row(delivery)
        return Outcome(outcome.sends, (*counted, *outcome.puts))

    async def _has_turn(self, pending: PendingNotification, outbox: Outbox) -> bool:
        """Wait in memory until it is this one's turn, unless its receiver fails."""
        if pending.recipient in outbox.failures:
            return False
        turn = asyncio.Event()
        pending.wake = turn.set
        with suppress(TimeoutError):
            async with asyncio.timeout(self._turn_timeout_s):
                await turn.wait()
        pending.wake = None
        if pending.state is not DeliveryState.COMMANDED:
            return False
        pending.state = DeliveryState.SENDING
        return True
