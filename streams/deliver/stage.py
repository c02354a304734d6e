"""deliver: POSTs notifications to their receivers, until each is taken or given up.

Every POST is made while an event is handled, so that its result goes into the
tables of that event's partition. What cannot be POSTed at once, or failed, is a
row of the outbox, and its event is done: a dead receiver holds nothing up.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress

import structlog

from schemas import wire
from schemas.answers import WebhookResponse
from schemas.facts import Attempt, Challenge, Challenged, Notification, Redeliver
from schemas.state import FailingClient, Proof, Queued
from schemas.trail import trail
from schemas.urls import hostname
from streams.core.delivery.outbox import Outbox
from streams.core.delivery.queues import DeliveryState, PendingNotification
from streams.core.delivery.retries import RETRY_SCHEDULE, gone, pause
from streams.core.outcome import Event, Lookup, Outcome, Owned, Send
from streams.deliver.active_delivery import (
    CLIENTS,
    DELIVERED,
    OUTBOX,
    PROOFS,
    ActiveDelivery,
    attempts,
    entry_of,
    keep,
    row,
)
from streams.deliver.challenges import Ask, Challenges, command
from streams.topics import NOTIFICATIONS

log = structlog.get_logger()

Post = Callable[[str, Notification], Awaitable[WebhookResponse]]

MAX_NOTIFICATION = 900_000
"""Bytes: more than any of ours has, and its row in the outbox fits a message of 1 MB."""
OUR_TROUBLE = 5_000
"""Pause (ms) after an attempt that this machine had no means for."""
ROWS_PER_TURN = 500
PATIENCE = 2.0
"""Seconds that a notification may wait for its turn before it gets a row in the outbox."""


class OversizedRecordError(Exception):
    """A notification that no stage of ours has written."""


class DeliverStage:
    """The stage."""

    def __init__(
        self,
        post: Post,
        clock: Callable[[], int],
        schedule: Sequence[float] = RETRY_SCHEDULE,
        ask: Ask | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """``post`` takes client URL and notification; only what is our own trouble is an OSError.

        ``clock`` gives epoch ms; ``schedule`` the seconds before each attempt; ``ask``
        challenges a receiver, where receivers have to prove that they want to be told.
        For ``patience`` s what cannot be POSTed at once waits in memory, its event with it:
        a receiver that keeps up costs no rows.
        """
        self._post = post
        self._clock = clock
        self._schedule = schedule
        self._patience = patience
        self._challenges = Challenges(ask, clock, schedule)
        self._needs_proof = ask is not None
        self._outboxes: dict[int, Outbox] = {}

    def key(self, event: Event) -> str | None:
        """A host is challenged one at a time; all else is kept in order by the outbox."""
        return hostname(event.fact.client_url) if isinstance(event.fact, Challenge) else None

    def sizes(self) -> dict[str, int]:
        """Count what is in memory."""
        boxes = self._outboxes.values()
        failing = sum(len(box.failing) for box in boxes)
        return {"notifications": sum(map(len, boxes)), "failing_receivers": failing}

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Build the outboxes from their rows; lets the loop breathe."""
        for owned in partitions:
            outbox = Outbox(owned.done.get(NOTIFICATIONS.name, 0) - 1, self._needs_proof)
            for key, value in owned.rows(PROOFS):
                outbox.proofs.put(key.decode(), wire.decode(value, Proof))
            for count, (_, value) in enumerate(owned.rows(OUTBOX), 1):
                entry = entry_of(wire.decode(value, Queued))
                outbox.load(entry)
                self._challenges.resume(entry.client, outbox)
                if count % ROWS_PER_TURN == 0:
                    await asyncio.sleep(0)
            for key, value in owned.rows(CLIENTS):
                outbox.failing[key.decode()] = wire.decode(value, FailingClient)
            self._outboxes[owned.number] = outbox

    def released(self) -> None:
        """Forget all: the rows are there for whoever is assigned the partitions next."""
        self._outboxes.clear()
        self._challenges.released()

    def due(self, partition: int, now: int) -> Iterator[Send]:
        """Give the commands for the attempts and challenges that fell due in a partition."""
        outbox = self._outboxes.get(partition)
        if outbox is None:  # it went while others' commands were sent
            return
        yield from attempts(outbox.due(now), partition)
        for client, proof in outbox.proofs.due(now):
            yield command(client, proof)

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Take a notification in, or make an attempt or a challenge.

        What was done, or is in hand, is passed over. So is one for a
        ``session``: its reader consumes the topic.
        """
        # Up to its first await this runs in the order of the partition's events.
        outbox = self._outboxes[event.partition]
        match event.fact:
            case Notification():
                return await self._notified(event, event.fact, outbox, lookup)
            case Redeliver():
                return await self._asked_again(event, event.fact.notification, outbox)
            case Attempt():
                return await self._attempted(event, event.fact, outbox, lookup)
            case Challenge():
                return await self._challenges.challenge(event, lookup)
            case Challenged():
                return self._challenges.concluded(event.fact, outbox)
        raise TypeError(f"no such fact is read here: {type(event.fact).__name__}")

    async def _notified(
        self, event: Event, told: Notification, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        outbox.through = max(outbox.through, event.offset)
        if outbox.get(told.id) is not None or lookup(DELIVERED, told.id.encode()) is not None:
            return Outcome()
        return await self._begin(event, Queued(told, 0, self._clock(), event.offset, None), outbox)

    async def _asked_again(self, event: Event, told: Notification, outbox: Outbox) -> Outcome:
        known = outbox.get(told.id)
        if known is not None:
            outbox.hasten(known, self._clock())
            return Outcome()
        queued = Queued(told, 0, self._clock(), outbox.through, event.offset)
        return await self._begin(event, queued, outbox)

    async def _begin(self, event: Event, queued: Queued, outbox: Outbox) -> Outcome:
        if len(event.value or b"") > MAX_NOTIFICATION:
            raise OversizedRecordError(f"a notification may have {MAX_NOTIFICATION} bytes")
        if queued.notification.receiver.client_url is None:
            return Outcome()
        entry = entry_of(queued)
        if outbox.proofs.lacks(entry.client):
            return self._challenges.hold(entry, queued, outbox)
        if not outbox.admit(entry) and not await self._has_turn(entry, outbox):
            is_over = entry.state is DeliveryState.DONE
            return Outcome() if is_over else Outcome(puts=(keep(entry, queued),))
        return await self._try(ActiveDelivery(event.partition, outbox, entry, queued))

    async def _has_turn(self, entry: PendingNotification, outbox: Outbox) -> bool:
        """Wait a while for its turn, unless its receiver fails."""
        if entry.client in outbox.failing:
            return False
        turn = asyncio.Event()
        entry.wake = turn.set
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await turn.wait()
        entry.wake = None
        if entry.state is not DeliveryState.SENT:
            return False
        entry.state = DeliveryState.AT_WORK
        return True

    async def _attempted(
        self, event: Event, command: Attempt, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        entry = outbox.take(command.notification, command.made)
        if entry is None:
            return Outcome()
        queued = wire.decode(lookup(OUTBOX, row(entry)), Queued)
        case = ActiveDelivery(event.partition, outbox, entry, queued)
        if queued.redelivery is None and lookup(DELIVERED, row(entry)) is not None:
            return case.over(self._clock())
        return await self._try(case)

    async def _try(self, case: ActiveDelivery) -> Outcome:
        try:
            answer = await self._post(case.entry.client, case.queued.notification)
        except OSError as error:
            log.warning("no means for a POST, trying again", error=str(error))
            return case.again(OUR_TROUBLE, self._clock())
        except Exception as error:  # it must not hold up those that wait behind it
            log.exception("a notification cannot be sent", **trail(case.queued.notification))
            return case.ended(case.failed(f"cannot be sent: {error!r}", self._clock()))
        ids = trail(case.queued.notification)
        log.info("posted", client=case.entry.client, status=answer.status, **ids)
        case.entry.attempts += 1
        if answer.delivered:
            return self._taken(case, answer)
        return self._refused(case, answer, self._clock())

    def _taken(self, case: ActiveDelivery, answer: WebhookResponse) -> Outcome:
        """One success clears the client's record."""
        known = case.outbox.failing.pop(case.entry.client, None)
        puts = () if known is None else (case.record(None),)
        return case.ended(case.delivered(answer.status or 0, self._clock()), puts=puts)

    def _refused(self, case: ActiveDelivery, answer: WebhookResponse, now: int) -> Outcome:
        record = case.outbox.blame(case.entry.client, now)
        why = gone(answer, record.since, now)
        if record.gone:
            why = why or f"its receiver is gone: {answer.reason}"
            return case.ended(case.failed(answer.reason, now), (case.expire(why),))
        if why is not None:
            return case.client_gone(answer.reason, why, now)
        puts = (case.record(record),)
        wait = pause(self._schedule, case.entry.id, case.entry.attempts, answer)
        if wait is None:
            return case.ended(case.failed(answer.reason, now), puts=puts)
        return case.again(wait, now, puts)
