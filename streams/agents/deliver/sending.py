"""Attempts to send shipments, and holds notifications for their hours, a digest or a day."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import structlog

from schemas.records.answers import WebhookResponse
from schemas.records.channels import Digest
from schemas.records.deliveries import DeliveryHeld
from schemas.records.log_ids import trail
from schemas.records.notifications import Notification
from schemas.records.table_rows import Queued
from schemas.records.topics import DELIVERIES
from streams.agents.deliver.outbox.failures import retry_delay, why_ended, why_gone
from streams.agents.deliver.outbox.queues import PendingNotification
from streams.agents.deliver.outbox.recipients import Recipient, day_key
from streams.agents.deliver.outbox.times import day_end, next_digest, over_limit, waits_for_hours
from streams.agents.deliver.outbox_rows import RECEIVERS, attempt_commands, put_tried
from streams.agents.deliver.shipment import PendingRow, Shipment
from streams.values.outcome import Outcome, Put, Send

log = structlog.get_logger()

LOCAL_TROUBLE_PAUSE_MS = 5_000
"""Pause after an attempt for which this machine lacked file descriptors or memory."""

OF_CHANNEL = "its channel has digests"

SendNotifications = Callable[[str, str, Sequence[Notification], bool], Awaitable[WebhookResponse]]
"""Sends notifications of a manager to a client URL together, perhaps as a digest."""


class DeliveryEffects(NamedTuple):
    """Effects for notifying receivers; an OSError means trouble of this machine."""

    send: SendNotifications
    digest: Callable[[str, str], Awaitable[Digest | None]]
    """Loads the times of the digests of a manager's client URL, None without digests."""
    size: Callable[[bytes, Notification], int]
    """Returns how many bytes a notification, with its row, counts for in a digest."""
    max_digest_bytes: int
    """Bytes of the notifications of a digest; the rest goes into another digest at once."""


class ReceiverEffects(NamedTuple):
    """The effects for the receivers of each kind."""

    webhooks: DeliveryEffects
    channels: DeliveryEffects

    def of(self, recipient: Recipient) -> DeliveryEffects:
        """Return how a recipient is notified."""
        return self.channels if recipient.is_channel else self.webhooks


class ShipmentSender:
    """Sends shipments, and decides whether each is retried, given up or done."""

    def __init__(
        self, effects: ReceiverEffects, clock: Callable[[], int], schedule: Sequence[float]
    ) -> None:
        """``clock`` returns epoch ms; ``schedule`` has the seconds before each attempt."""
        self._effects = effects
        self._clock = clock
        self._schedule = schedule

    async def attempt(self, shipment: Shipment) -> Outcome:
        """Send a shipment once."""
        notifications, is_digest = shipment.notifications, shipment.is_digest
        send = self._effects.of(shipment.recipient).send
        count = {"notifications": len(notifications)} if is_digest else trail(notifications[0])
        ids = {"client": shipment.recipient.client_url} | count
        try:
            answer = await send(*shipment.recipient, notifications, is_digest)
        except OSError as error:
            # Nothing that the receiver could help: neither it nor the notification is blamed.
            log.warning("no resources to send, retrying", error=str(error))
            return shipment.retried(wait=LOCAL_TROUBLE_PAUSE_MS, now=self._clock())
        except Exception as error:  # must not hold up those that wait for the same receiver
            log.exception("a notification cannot be sent", **ids)
            return shipment.failed(f"cannot be sent: {error!r}", self._clock())
        log.info("digest sent" if is_digest else "posted", status=answer.status, **ids)
        shipment.count_attempt(answer)
        if answer.delivered:
            return shipment.delivered(answer, self._clock())
        return self._refused(shipment, answer, self._clock())

    def _refused(self, shipment: Shipment, answer: WebhookResponse, now: int) -> Outcome:
        if (reason := why_ended(answer)) is not None:
            return shipment.subscriptions_ended(answer, reason, now)
        record = shipment.outbox.failures.note(shipment.recipient, now)
        reason = why_gone(answer, record.since, now)
        if reason is not None and record.gone:
            return shipment.expired(answer, reason, now)
        if reason is not None:
            return shipment.client_gone(answer, reason, now)
        first = shipment.members[0]
        wait = retry_delay(self._schedule, first.id, first.attempts, answer)
        if wait is None:
            return shipment.given_up(answer, record, now)
        return shipment.tried_again(answer, record, wait=wait, now=now)


class _Hold(NamedTuple):
    """A notification waiting ``until`` a time (epoch ms), and the reason."""

    notification: Notification
    until: int
    reason: str


class Holding:
    """Holds notifications not free to go, and counts the notifications of limited days."""

    def __init__(self, effects: ReceiverEffects, clock: Callable[[], int]) -> None:
        """``clock`` returns epoch ms."""
        self._effects = effects
        self._clock = clock

    async def hold(self, shipment: Shipment) -> tuple[Shipment, Outcome]:
        """Hold the waiting part of a shipment; return the rest, and the results.

        A redelivery is not held, and a retry waits for no digest. Notifications too large to hold
        are tried alone, and given up with the reason.
        """
        now, rest = self._clock(), list[PendingRow]()
        sends, puts = list[Send](), list[Put]()
        for row in shipment.rows:
            held = await self._held(replace(shipment, rows=(row,)), now)
            if held is None:
                rest.append(row)
            else:
                sends += held.sends
                puts += held.puts
        return replace(shipment, rows=tuple(rest)), Outcome(sends, tuple(puts))

    async def _held(self, shipment: Shipment, now: int) -> Outcome | None:
        """Hold a single notification if required, else return None."""
        pending, queued = shipment.rows[0]
        if pending.is_asked_for:
            return None
        try:
            hold = await self._reason(shipment, pending, queued, now)
        except OSError as error:
            log.warning("a channel cannot be read, retrying", error=str(error))
            return shipment.retried(wait=LOCAL_TROUBLE_PAUSE_MS, now=now)
        except Exception:
            log.exception("no time to hold for", client=pending.recipient.client_url)
            return None
        return None if hold is None else _held_until(shipment, hold, now)

    async def _reason(
        self, shipment: Shipment, pending: PendingNotification, queued: Queued, now: int
    ) -> _Hold | None:
        fact, earliest = queued.notification, None
        # What has waited for a digest is in it, but a worker may come after its hours.
        if not queued.attempts and pending.held is None:
            digest = await self._effects.of(pending.recipient).digest(*pending.recipient)
            earliest = None if digest is None else next_digest(digest, now)
        held = waits_for_hours(fact, now, earliest)
        if held is None and earliest is not None:
            return _Hold(fact, earliest, OF_CHANNEL)
        if held is None and _limit(pending, queued):
            days, most = shipment.outbox.days, _limit(pending, queued)
            is_over = days.is_over(fact.subscription, fact.id, most, now)
            held = over_limit(fact, now) if is_over else None
        if held is None:
            return None
        return _Hold(replace(fact, held=held), held.until, held.reason)

    def count(self, shipment: Shipment) -> None:
        """Count the notifications sent at once, for subscriptions with a limit."""
        for pending, queued in shipment.rows:
            fact = queued.notification
            if not _limit(pending, queued) or fact.times is None:
                continue
            try:
                end = day_end(fact.times.timezone, self._clock())
            except Exception:
                log.exception("no day to count for", client=pending.recipient.client_url)
                continue
            shipment.outbox.days.note(fact.subscription, fact.id, end)

    def count_rows(self, shipment: Shipment) -> tuple[Put, ...]:
        """Return the rows of the counted subscriptions, after changes by their others."""
        subscriptions = (each.subscription for each, row in shipment.rows if _limit(each, row))
        days = shipment.outbox.days
        return tuple(Put(day_key(each), days.get(each), RECEIVERS) for each in subscriptions)


def _limit(pending: PendingNotification, queued: Queued) -> int:
    """Return its subscription's limit per day, 0 if the notification does not count.

    A notification counts by its first attempt, unless a test or after a wait.
    """
    fact = queued.notification
    if queued.attempts or pending.is_asked_for or pending.held is not None:
        return 0
    return 0 if fact.test or fact.times is None else fact.times.max_per_day


def _held_until(shipment: Shipment, hold: _Hold, now: int) -> Outcome:
    pending, queued = shipment.rows[0]
    row = replace(queued, notification=hold.notification, held=hold.until)
    put = put_tried(pending, row, hold.until)
    begun = shipment.outbox.hold(pending, hold.until, now)
    ids = pending.id, pending.subscription, *pending.recipient
    fact = DeliveryHeld(*ids, hold.until, now, hold.reason)
    commands = attempt_commands(begun, shipment.partition)
    return Outcome((Send(DELIVERIES.name, fact.client_url, fact), *commands), (put,))
