"""Holds notifications for their hours, for a digest, or for the next day."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import structlog

from schemas.records.deliveries import DeliveryHeld
from schemas.records.notifications import Notification
from schemas.records.table_rows import Queued
from schemas.records.topics import DELIVERIES
from streams.agents.deliver.outbox.daily_limit import day_end
from streams.agents.deliver.outbox.digests import next_digest
from streams.agents.deliver.outbox.queues import PendingNotification
from streams.agents.deliver.outbox.recipients import day_key
from streams.agents.deliver.outbox.times import over_limit, waits_for_hours
from streams.agents.deliver.outbox_rows import attempt_commands, put_tried
from streams.agents.deliver.sending import LOCAL_TROUBLE_PAUSE_MS, ReceiverEffects
from streams.agents.deliver.shipment import PendingRow, Shipment
from streams.agents.deliver.tables import RECEIVERS
from streams.values.outcome import Outcome, Put, Send

log = structlog.get_logger()

OF_CHANNEL = "its channel has digests"


class _Hold(NamedTuple):
    """A notification as it waits ``until`` a time (epoch ms), and for what."""

    notification: Notification
    until: int
    reason: str


class Holding:
    """Holds what may not be sent yet, and counts what is sent on a day that is limited."""

    def __init__(self, effects: ReceiverEffects, clock: Callable[[], int]) -> None:
        """``clock`` returns epoch ms."""
        self._effects = effects
        self._clock = clock

    async def hold(self, shipment: Shipment) -> tuple[Shipment, Outcome]:
        """Hold what of a shipment has to wait; return the rest, and what follows from that.

        What is to be sent again is not held, and what was attempted before waits for no digest.
        What cannot be held is tried by itself, and given up with the reason.
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
        """Hold a single notification if it has to wait, else return None."""
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
        """Count what is sent at once, for subscriptions that limit it."""
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
        """Return the rows of what was counted, as others of the subscriptions have left them."""
        subscriptions = (each.subscription for each, row in shipment.rows if _limit(each, row))
        days = shipment.outbox.days
        return tuple(Put(day_key(each), days.get(each), RECEIVERS) for each in subscriptions)


def _limit(pending: PendingNotification, queued: Queued) -> int:
    """Return how many of its subscription are sent on a day, 0 if it does not count.

    A notification counts by its first attempt, unless it is a test or has waited for a time.
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
