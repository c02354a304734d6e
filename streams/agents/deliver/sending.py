"""One attempt to send a shipment, and what follows from its result."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

import structlog

from schemas.records.answers import WebhookResponse
from schemas.records.channels import Digest
from schemas.records.log_ids import trail
from schemas.records.notifications import Notification
from streams.agents.deliver.outbox.recipients import Recipient
from streams.agents.deliver.outbox.retries import retry_delay, why_ended, why_gone
from streams.agents.deliver.shipment import Shipment
from streams.values.outcome import Outcome

log = structlog.get_logger()

LOCAL_TROUBLE_PAUSE_MS = 5_000
"""Pause after an attempt for which this machine lacked file descriptors or memory."""

SendNotifications = Callable[[str, str, Sequence[Notification], bool], Awaitable[WebhookResponse]]
"""Sends notifications of a manager to a client URL together, perhaps as a digest."""


class DeliveryEffects(NamedTuple):
    """How receivers are notified; an OSError of an effect says that this machine is in trouble."""

    send: SendNotifications
    digest: Callable[[str, str], Awaitable[Digest | None]]
    """Loads when the digests of a manager's client URL are due, None if it gets none."""
    size: Callable[[bytes, Notification], int]
    """Returns how many bytes a notification, with its row, counts for in a digest."""
    max_digest_bytes: int
    """Bytes of the notifications of one digest; what is more goes into another one at once."""


class ReceiverEffects(NamedTuple):
    """How the receivers of each kind are notified."""

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
