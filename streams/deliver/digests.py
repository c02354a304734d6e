"""Digests: what is held for them, and one attempt to send one."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import structlog

from schemas import wire
from schemas.answers import WebhookResponse
from schemas.channels import Digest
from schemas.deliveries import Attempt, DeliveryHeld
from schemas.notifications import Notification
from schemas.state import Queued
from streams.core.delivery.digests import next_digest
from streams.core.delivery.outbox import Outbox
from streams.core.delivery.queues import PendingNotification
from streams.core.delivery.retries import retry_delay, why_ended, why_gone
from streams.core.outcome import Event, Lookup, Outcome, Put, Send
from streams.deliver.active_delivery import ActiveDelivery, attempt_commands, put_row, row_key
from streams.deliver.active_digest import ActiveDigest
from streams.deliver.posting import LOCAL_TROUBLE_PAUSE_MS
from streams.deliver.tables import CLIENTS, DELIVERED, OUTBOX
from streams.topics import DELIVERIES

log = structlog.get_logger()

MAX_DIGEST = 1_000_000
"""Bytes of the notifications of one digest; what is more goes into another one at once."""


class DigestEffects(NamedTuple):
    """How digests are sent; an OSError of either says that this machine is in trouble."""

    load: Callable[[str, str], Awaitable[Digest | None]]
    """Loads when the digests of a manager's client URL are due, None if it gets none."""
    send: Callable[[str, str, Sequence[Notification]], Awaitable[WebhookResponse]]
    """Sends notifications of a manager to a client URL together."""


class DigestHandler:
    """Holds notifications for digests, and sends these."""

    def __init__(
        self, effects: DigestEffects, clock: Callable[[], int], schedule: Sequence[float]
    ) -> None:
        """``clock`` returns epoch ms; ``schedule`` has the seconds before each attempt."""
        self._effects = effects
        self._clock = clock
        self._schedule = schedule

    async def held(self, delivery: ActiveDelivery) -> Outcome | None:
        """Hold a notification if its recipient gets digests, else return None.

        What was attempted before, or is to be sent again, is not held. What cannot be held is
        tried by itself, and given up with the reason.
        """
        queued, now = delivery.queued, self._clock()
        if queued.attempts or queued.redelivery is not None:
            return None
        try:
            digest = await self._effects.load(*delivery.pending.recipient)
            until = None if digest is None else next_digest(digest, now)
        except OSError as error:
            log.warning("a channel cannot be read, retrying", error=str(error))
            return delivery.retried(wait=LOCAL_TROUBLE_PAUSE_MS, now=now)
        except Exception:
            log.exception("no time for a digest", client=delivery.pending.recipient.client_url)
            return None
        return None if until is None else _held(delivery, until, now)

    async def attempt(
        self, event: Event, command: Attempt, outbox: Outbox, lookup: Lookup
    ) -> Outcome:
        """Send the digest that a command asks for, unless that is done or under way."""
        members = outbox.held.begin(command.notification, command.made)
        digest, ended = _load_digest(outbox, members, lookup, self._clock())
        outbox.held.end(ended)
        removed = tuple(Put(row_key(each), None, OUTBOX) for each in ended)
        if not digest.rows:
            return Outcome(puts=removed)
        sent = await self._sent(digest)
        return Outcome(sent.sends, (*removed, *sent.puts))

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


def _held(delivery: ActiveDelivery, until: int, now: int) -> Outcome:
    pending = delivery.pending
    fact = DeliveryHeld(pending.id, pending.subscription, *pending.recipient, until, now)
    row = put_row(pending, replace(delivery.queued, due=until, held=until))
    begun = delivery.outbox.hold(pending, until, now)
    commands = attempt_commands(begun, delivery.partition)
    return Outcome((Send(DELIVERIES.name, fact.client_url, fact), *commands), (row,))


def _load_digest(
    outbox: Outbox, members: Sequence[PendingNotification], lookup: Lookup, now: int
) -> tuple[ActiveDigest, list[PendingNotification]]:
    """Load the rows of a digest, and return which of its notifications are done already.

    What does not fit, or has no row yet, is due again at once.
    """
    rows: list[tuple[PendingNotification, Queued]] = []
    ended, size = list[PendingNotification](), 0
    for pending in members:
        row = None if size > MAX_DIGEST else lookup(OUTBOX, row_key(pending))
        size += len(row or b"")
        if row is None or (rows and size > MAX_DIGEST):
            pending.due = now
            outbox.held.hold(pending)
        elif lookup(DELIVERED, row_key(pending)) is not None:
            ended.append(pending)
        else:
            rows.append((pending, wire.decode(row, Queued)))
    return ActiveDigest(outbox, tuple(rows)), ended
