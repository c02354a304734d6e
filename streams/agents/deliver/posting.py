"""One attempt to POST a notification, and what follows from its result."""

from collections.abc import Awaitable, Callable, Sequence

import structlog

from schemas.records.answers import WebhookResponse
from schemas.records.log_ids import trail
from schemas.records.notifications import Notification
from streams.agents.deliver.active_delivery import ActiveDelivery
from streams.agents.deliver.outbox.retries import retry_delay, why_ended, why_gone
from streams.values.outcome import Outcome

log = structlog.get_logger()

Post = Callable[[str, Notification], Awaitable[WebhookResponse]]
"""POSTs a notification to a client URL; an OSError says that this machine is in trouble."""

LOCAL_TROUBLE_PAUSE_MS = 5_000
"""Pause after an attempt for which this machine lacked file descriptors or memory."""


class Poster:
    """Sends notifications, and decides whether each is retried, given up or done."""

    def __init__(self, post: Post, clock: Callable[[], int], schedule: Sequence[float]) -> None:
        """``clock`` returns epoch ms; ``schedule`` has the seconds before each attempt."""
        self._post = post
        self._clock = clock
        self._schedule = schedule

    async def attempt(self, delivery: ActiveDelivery) -> Outcome:
        """POST a notification once."""
        client, notification = delivery.pending.recipient.client_url, delivery.queued.notification
        ids = trail(notification)
        try:
            answer = await self._post(client, notification)
        except OSError as error:
            # Nothing that the receiver could help: neither it nor the notification is blamed.
            log.warning("no resources for a POST, retrying", error=str(error))
            return delivery.retried(wait=LOCAL_TROUBLE_PAUSE_MS, now=self._clock())
        except Exception as error:  # must not hold up those that wait for the same receiver
            log.exception("a notification cannot be sent", **ids)
            return delivery.ended(delivery.failed(f"cannot be sent: {error!r}", self._clock()))
        log.info("posted", client=client, status=answer.status, **ids)
        delivery.pending.attempts += 1
        delivery.pending.status = answer.status
        if answer.delivered:
            return self._accepted(delivery, answer)
        return self._refused(delivery, answer, self._clock())

    def _accepted(self, delivery: ActiveDelivery, answer: WebhookResponse) -> Outcome:
        """One success clears the receiver's record of failures."""
        had_failed = delivery.outbox.failures.clear(delivery.pending.recipient)
        puts = (delivery.put_failures(None),) if had_failed else ()
        return delivery.ended(delivery.delivered(answer, self._clock()), puts=puts)

    def _refused(self, delivery: ActiveDelivery, answer: WebhookResponse, now: int) -> Outcome:
        pending = delivery.pending
        failed = delivery.failed(answer.reason, now, answer.start)
        if (reason := why_ended(answer)) is not None:
            return delivery.subscription_ended(failed, reason)
        record = delivery.outbox.failures.note(pending.recipient, now)
        reason = why_gone(answer, record.since, now)
        if reason is not None and record.gone:
            return delivery.ended(failed, sends=(delivery.expire(reason),))
        if reason is not None:
            return delivery.client_gone(failed, reason)
        puts = (delivery.put_failures(record),)
        wait = retry_delay(self._schedule, pending.id, pending.attempts, answer)
        if wait is None:
            return delivery.ended(failed, puts=puts)
        sends = (delivery.attempt_failed(answer, now, wait, record.since),)
        return delivery.retried(wait=wait, now=now, sends=sends, puts=puts)
