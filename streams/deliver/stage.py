"""deliver: POSTs notifications to their receivers until each is accepted or given up.

Every POST is made while an event is handled, so that its result can be written to the
tables of that event's partition. A notification that cannot be POSTed at once, or that
failed, becomes a row of the outbox, and its event is done: a dead receiver holds up
nothing but its own notifications.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import structlog

from schemas import wire
from schemas.challenges import Challenge, Challenged
from schemas.deliveries import Attempt, Redeliver
from schemas.notifications import Notification
from schemas.state import Queued
from streams.core.delivery.outbox import Outbox
from streams.core.delivery.queues import DeliveryState, PendingNotification
from streams.core.delivery.recipients import Recipient
from streams.core.delivery.retries import RETRY_SCHEDULE
from streams.core.outcome import Event, Lookup, Outcome, Owned, Send
from streams.deliver.active_delivery import (
    ActiveDelivery,
    attempt_commands,
    forgotten,
    pending_notification,
    put_row,
    row_key,
)
from streams.deliver.challenges import ProofHandler, challenge_command
from streams.deliver.granting import ChallengeEffects, ChallengeMaker
from streams.deliver.loading import load_outbox
from streams.deliver.posting import Post, Poster
from streams.deliver.redelivery import check_redelivery
from streams.deliver.tables import DELIVERED, OUTBOX

log = structlog.get_logger()

MAX_NOTIFICATION = 900_000
"""Bytes: more than any of ours has, and its row in the outbox fits into a message of 1 MB."""
TURN_TIMEOUT_S = 2.0
"""How long a notification waits in memory for its turn before it gets a row in the outbox."""


class OversizedRecordError(Exception):
    """A notification larger than any that our stages write."""


class DeliverStage:
    """The stage that notifies webhooks, for all partitions of a worker."""

    def __init__(
        self,
        *,
        post: Post,
        clock: Callable[[], int],
        schedule: Sequence[float] = RETRY_SCHEDULE,
        challenges: ChallengeEffects | None = None,
        turn_timeout_s: float = TURN_TIMEOUT_S,
    ) -> None:
        """Build the stage from its effects.

        Args:
            post: POSTs a notification to a client URL.
            clock: Returns the time in epoch ms.
            schedule: Seconds before each attempt.
            challenges: Challenge a receiver; None if receivers need not answer a challenge.
            turn_timeout_s: How long a notification that cannot be POSTed at once waits in
                memory, and its event with it. A receiver that keeps up costs no rows.
        """
        self._clock = clock
        self._turn_timeout_s = turn_timeout_s
        self._poster = Poster(post, clock, schedule)
        self._challenges = ChallengeMaker(challenges, clock)
        self._proofs = ProofHandler(clock, schedule)
        self._needs_proof = challenges is not None
        self._outboxes: dict[int, Outbox] = {}

    def key(self, event: Event) -> str | None:
        """Return the line of a challenge; the outbox orders all other events."""
        return ChallengeMaker.line(event.fact) if isinstance(event.fact, Challenge) else None

    def sizes(self) -> dict[str, int]:
        """Count what is in memory, for the gauges."""
        boxes = self._outboxes.values()
        failing = sum(len(box.failures) for box in boxes)
        proofs = sum(len(box.proofs) for box in boxes)
        waiting = sum(map(len, boxes))
        return {"notifications": waiting, "failing_receivers": failing, "proofs": proofs}

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Load the outboxes of partitions from their tables."""
        for owned in partitions:
            self._outboxes[owned.number] = await load_outbox(
                owned, self._needs_proof, self._proofs.resume
            )

    def released(self) -> None:
        """Drop everything in memory: the next owner of the partitions loads their tables."""
        self._outboxes.clear()
        self._challenges.released()

    def due(self, partition: int, now: int) -> Iterator[Send]:
        """Yield commands for the attempts and challenges that have fallen due in a partition."""
        outbox = self._outboxes.get(partition)
        if outbox is None:  # released while the commands of other partitions were sent
            return
        yield from attempt_commands(outbox.pop_due(now), partition)
        for recipient, proof in outbox.proofs.pop_due(now):
            yield challenge_command(recipient, proof)

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Accept a notification, make an attempt, or make a challenge.

        Nothing happens for a notification that is done or already being sent, or that is
        for a ``session``, as its reader consumes the topic.
        """
        outbox = self._outboxes[event.partition]
        outcome = await self._handled(event, outbox, lookup)
        renewed = Outcome()
        if isinstance(event.fact, Notification) and event.fact.receiver.client_url is not None:
            recipient = Recipient(event.fact.manager, event.fact.receiver.client_url)
            renewed = self._proofs.renew(recipient, outbox)
        puts = (*outcome.puts, *renewed.puts, *forgotten(outbox, self._clock()))
        return Outcome((*outcome.sends, *renewed.sends), puts)

    async def _handled(self, event: Event, outbox: Outbox, lookup: Lookup) -> Outcome:
        # Up to its first await this runs in the order of the partition's events.
        match event.fact:
            case Notification():
                return await self._notified(event, event.fact, outbox, lookup)
            case Redeliver():
                return await self._redelivered(event, event.fact.notification, outbox, lookup)
            case Attempt():
                return await self._attempted(event, event.fact, outbox, lookup)
            case Challenge():
                return await self._challenges.challenge(event, lookup)
            case Challenged():
                return self._proofs.conclude(event.fact, outbox)
        raise TypeError(f"deliver does not read facts of type {type(event.fact).__name__}")

    async def _notified(
        self, event: Event, notification: Notification, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        outbox.through = max(outbox.through, event.offset)
        is_pending = outbox.get(notification.id) is not None
        if is_pending or lookup(DELIVERED, notification.id.encode()) is not None:
            return Outcome()
        return await self._begin(event, self._queued(notification, event.offset, None), outbox)

    async def _redelivered(
        self, event: Event, notification: Notification, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        """Send a notification again, after all that were sent or seen before this command."""
        if notification.receiver.client_url is None:
            return Outcome()
        known = outbox.get(notification.id)
        check_redelivery(notification, known, lookup(DELIVERED, notification.id.encode()))
        if known is not None:
            outbox.make_due(known, self._clock())
            return Outcome()
        queued = self._queued(notification, outbox.through, event.offset)
        return await self._begin(event, queued, outbox)

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
        if queued.notification.receiver.client_url is None:
            return Outcome()
        pending = pending_notification(queued)
        if outbox.proofs.lacks(pending.recipient):
            return self._proofs.hold(pending, queued, outbox)
        if not outbox.admit(pending) and not await self._has_turn(pending, outbox):
            is_done = pending.state is DeliveryState.DONE
            return Outcome() if is_done else Outcome(puts=(put_row(pending, queued),))
        return await self._poster.attempt(ActiveDelivery(event.partition, outbox, pending, queued))

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

    async def _attempted(
        self, event: Event, command: Attempt, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        pending = outbox.begin_attempt(command.notification, command.made)
        if pending is None:
            return Outcome()
        queued = wire.decode(lookup(OUTBOX, row_key(pending)), Queued)
        delivery = ActiveDelivery(event.partition, outbox, pending, queued)
        if queued.redelivery is None and lookup(DELIVERED, row_key(pending)) is not None:
            return delivery.removed(self._clock())
        return await self._poster.attempt(delivery)
