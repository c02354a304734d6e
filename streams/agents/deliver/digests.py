"""What is held for a time, and one attempt to send what waited for it together."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import structlog

from schemas.codec import wire
from schemas.records.answers import WebhookResponse
from schemas.records.channels import Digest
from schemas.records.deliveries import Attempt, DeliveryHeld
from schemas.records.notifications import Notification
from schemas.records.table_rows import Queued
from streams.agents.deliver.active_delivery import (
    ActiveDelivery,
    attempt_commands,
    put_row,
    row_key,
)
from streams.agents.deliver.active_digest import ActiveDigest
from streams.agents.deliver.outbox.daily_limit import day_end
from streams.agents.deliver.outbox.digests import next_digest
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.queues import PendingNotification
from streams.agents.deliver.outbox.retries import retry_delay, why_ended, why_gone
from streams.agents.deliver.outbox.times import over_limit, waits_for_hours
from streams.agents.deliver.posting import LOCAL_TROUBLE_PAUSE_MS
from streams.agents.deliver.tables import CLIENTS, DAYS, DELIVERED, OUTBOX
from streams.values.outcome import Event, Lookup, Outcome, Put, Send
from streams.values.topics import DELIVERIES

log = structlog.get_logger()

OF_CHANNEL = "its channel has digests"


class DigestEffects(NamedTuple):
    """How digests are sent; an OSError of one says that this machine is in trouble."""

    load: Callable[[str, str], Awaitable[Digest | None]]
    """Loads when the digests of a manager's client URL are due, None if it gets none."""
    send: Callable[[str, str, Sequence[Notification]], Awaitable[WebhookResponse]]
    """Sends notifications of a manager to a client URL together."""
    size: Callable[[bytes, Notification], int]
    """Returns how many bytes a notification, with its row, counts for in a digest."""
    most: int
    """Bytes of the notifications of one digest; what is more goes into another one at once."""


class DigestHandler:
    """Holds notifications for their hours and for digests, and sends what waited together."""

    def __init__(
        self, effects: DigestEffects, clock: Callable[[], int], schedule: Sequence[float]
    ) -> None:
        """``clock`` returns epoch ms; ``schedule`` has the seconds before each attempt."""
        self._effects = effects
        self._clock = clock
        self._schedule = schedule

    async def held(self, delivery: ActiveDelivery) -> Outcome | None:
        """Hold a notification for its hours, or if its recipient gets digests, else return None.

        What is to be sent again is not held, and what was attempted before is in no digest. What
        cannot be held is tried by itself, and given up with the reason.
        """
        now = self._clock()
        if delivery.pending.is_asked_for:
            return None
        try:
            return await self._held(delivery, now)
        except OSError as error:
            log.warning("a channel cannot be read, retrying", error=str(error))
            return delivery.retried(wait=LOCAL_TROUBLE_PAUSE_MS, now=now)
        except Exception:
            log.exception("no time to hold for", client=delivery.pending.recipient.client_url)
            return None

    async def _held(self, delivery: ActiveDelivery, now: int) -> Outcome | None:
        fact, recipient = delivery.queued.notification, delivery.pending.recipient
        digest = None if delivery.queued.attempts else await self._effects.load(*recipient)
        earliest = None if digest is None else next_digest(digest, now)
        held = waits_for_hours(fact, now, earliest)
        if held is not None:
            queued = replace(delivery.queued, notification=replace(fact, held=held))
            return _held_until(delivery, queued, held.until, held.reason, now)
        if earliest is not None:
            return _held_until(delivery, delivery.queued, earliest, OF_CHANNEL, now)
        if not self._is_over(delivery, now):
            return None
        held = over_limit(fact, now)
        queued = replace(delivery.queued, notification=replace(fact, held=held))
        return _held_until(delivery, queued, held.until, held.reason, now)

    def _is_over(self, delivery: ActiveDelivery, now: int) -> bool:
        if not _is_limited(delivery):
            return False
        fact, most = delivery.queued.notification, _limit(delivery)
        return delivery.outbox.days.is_over(fact.subscription, fact.id, most, now)

    def count(self, delivery: ActiveDelivery) -> None:
        """Count a notification that is sent at once, if its subscription limits them."""
        fact = delivery.queued.notification
        if not _is_limited(delivery) or fact.times is None:
            return
        try:
            end = day_end(fact.times.timezone, self._clock())
        except Exception:
            log.exception("no day to count for", client=delivery.pending.recipient.client_url)
            return
        delivery.outbox.days.note(fact.subscription, fact.id, end)

    def count_row(self, delivery: ActiveDelivery) -> tuple[Put, ...]:
        """Return the row of what was counted, as others of the subscription have left it."""
        if not _is_limited(delivery):
            return ()
        subscription = delivery.pending.subscription
        return (Put(subscription.encode(), delivery.outbox.days.get(subscription), DAYS),)

    async def attempt(
        self, event: Event, command: Attempt, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        """Send the digest that a command asks for, unless that is done or under way."""
        members = outbox.held.begin(command.notification, command.made)
        digest, ended = self._load_digest(outbox, members, lookup)
        outbox.held.end(ended)
        removed = tuple(Put(row_key(each), None, OUTBOX) for each in ended)
        digest, later = self._without_closed(digest)
        if not digest.rows:
            return Outcome(later.sends, (*removed, *later.puts))
        sent = await self._sent(digest)
        # First how it ended: the table that is named first is written first.
        return Outcome((*later.sends, *sent.sends), (*sent.puts, *removed, *later.puts))

    def _without_closed(self, digest: ActiveDigest) -> tuple[ActiveDigest, Outcome]:
        """Return what may be sent now, and hold the rest, as a worker may come late."""
        now, kept = self._clock(), list[tuple[PendingNotification, Queued]]()
        sends, puts = list[Send](), list[Put]()
        for pending, queued in digest.rows:
            fact = queued.notification
            held = None if pending.is_asked_for else waits_for_hours(fact, now)
            if held is None:
                kept.append((pending, queued))
                continue
            pending.due = pending.held = held.until
            row = replace(queued, notification=replace(fact, held=held))
            puts.append(_put_held(pending, row, held.until))
            sends.append(_publish_held(pending, held.until, held.reason, now))
            digest.outbox.held.hold(pending)
        return replace(digest, rows=tuple(kept)), Outcome(sends, tuple(puts))

    def _load_digest(
        self, outbox: Outbox, members: Sequence[PendingNotification], lookup: Lookup
    ) -> tuple[ActiveDigest, list[PendingNotification]]:
        """Load the rows of a digest, and return which of its notifications are done already.

        What does not fit, or has no row yet, is due again at once.
        """
        rows: list[tuple[PendingNotification, Queued]] = []
        ended, size = list[PendingNotification](), 0
        for pending in members:
            row = None if size > self._effects.most else lookup(OUTBOX, row_key(pending))
            queued = None if row is None else wire.decode(row, Queued)
            size += 0 if not (row and queued) else self._effects.size(row, queued.notification)
            if queued is None or (rows and size > self._effects.most):
                pending.due = self._clock()
                outbox.held.hold(pending)
            elif lookup(DELIVERED, row_key(pending)) is not None:
                ended.append(pending)
            else:
                rows.append((pending, queued))
        return ActiveDigest(outbox, tuple(rows)), ended

    async def _sent(self, digest: ActiveDigest) -> Outcome:
        ids = {"client": digest.recipient.client_url, "notifications": len(digest.rows)}
        try:
            answer = await self._effects.send(*digest.recipient, digest.notifications)
        except OSError as error:
            # Nothing that the receiver could help: neither it nor the digest is blamed.
            log.warning("no resources for a digest, retrying", error=str(error))
            return digest.retried(self._clock() + LOCAL_TROUBLE_PAUSE_MS)
        except Exception as error:
            log.exception("a digest cannot be sent", **ids)
            return digest.failed(f"cannot be sent: {error!r}", self._clock())
        log.info("digest sent", status=answer.status, **ids)
        digest.count_attempt(answer)
        if answer.delivered:
            return digest.delivered(answer, self._clock())
        return self._refused(digest, answer, self._clock())

    def _refused(self, digest: ActiveDigest, answer: WebhookResponse, now: int) -> Outcome:
        if (reason := why_ended(answer)) is not None:
            return digest.subscriptions_ended(reason, now)
        record = digest.outbox.failures.note(digest.recipient, now)
        reason = why_gone(answer, record.since, now)
        if reason is not None and record.gone:
            return digest.subscriptions_ended(reason, now)
        if reason is not None:
            return digest.client_gone(reason, now)
        first = digest.members[0]
        wait = retry_delay(self._schedule, first.id, first.attempts, answer)
        puts = (Put(digest.recipient.key, record, CLIENTS),)
        if wait is None:
            return digest.failed(answer.reason, now, answer.start, puts)
        facts = digest.attempt_failed(answer, now, wait, record.since)
        return digest.retried(now + wait, facts, puts)


def _is_limited(delivery: ActiveDelivery) -> bool:
    """Whether a notification counts for its day: by its first attempt, unless it is a test."""
    queued, is_asked_for = delivery.queued, delivery.pending.is_asked_for
    return bool(_limit(delivery)) and not (queued.attempts or is_asked_for)


def _limit(delivery: ActiveDelivery) -> int:
    fact = delivery.queued.notification
    return 0 if fact.test or fact.times is None else fact.times.max_per_day


def _held_until(
    delivery: ActiveDelivery, queued: Queued, until: int, reason: str, now: int
) -> Outcome:
    pending = delivery.pending
    row = _put_held(pending, queued, until)
    begun = delivery.outbox.hold(pending, until, now)
    commands = attempt_commands(begun, delivery.partition)
    return Outcome((_publish_held(pending, until, reason, now), *commands), (row,))


def _put_held(pending: PendingNotification, queued: Queued, until: int) -> Put:
    attempts, status = pending.attempts, pending.status
    row = replace(queued, due=until, held=until, attempts=attempts, status=status)
    return put_row(pending, row)


def _publish_held(pending: PendingNotification, until: int, reason: str, now: int) -> Send:
    ids = pending.id, pending.subscription, *pending.recipient
    fact = DeliveryHeld(*ids, until, now, reason)
    return Send(DELIVERIES.name, fact.client_url, fact)
