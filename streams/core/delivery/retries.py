"""When a notification is told again, and when its receiver counts as gone."""

from collections.abc import Sequence
from dataclasses import replace

from schemas.answers import WebhookResponse
from schemas.state import FailingClient
from streams.core.ids import content_id

RETRY_SCHEDULE: tuple[float, ...] = (0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
"""Seconds before each attempt (Standard Webhooks, "Deliverability and reliability")."""
JITTER = 0.2
TOO_MANY_REQUESTS = 429
SLOW_DOWN = 60_000
GONE = 410
DAY = 24 * 3600 * 1000
GONE_AFTER = 5 * DAY
ASKED = round((1 + JITTER) * DAY)
"""Milliseconds between two failures that count as a failure all along: the longest pause."""


def pause(
    schedule: Sequence[float], notification: str, made: int, answer: WebhookResponse
) -> int | None:
    """Give the time (ms) until the next attempt; None when there is none any more.

    ``made`` attempts have failed, the last with ``answer``. Its Retry-After is
    waited for up to twice what the schedule says, and a minute at least after 429.
    """
    if made >= len(schedule):
        return None
    base = schedule[made] * 1000
    wait = base * (1 + JITTER * _spread(notification, made))
    if answer.retry_after is not None:
        wait = max(wait, min(answer.retry_after * 1000, 2 * base))
    return round(max(wait, SLOW_DOWN) if answer.status == TOO_MANY_REQUESTS else wait)


def failing(known: FailingClient | None, now: int) -> FailingClient:
    """Note another failure of a receiver, at ``now`` (epoch ms).

    Whether it failed while nobody asked it, as while all was switched off, nobody knows.
    Nor is it known how long it was when the clock was put back.
    """
    if known is None:
        return FailingClient(now, gone=False, last=now)
    lasted = known.last - known.since + min(max(now - known.last, 0), ASKED)
    return replace(known, since=now - lasted, last=now)


def gone(answer: WebhookResponse, since: int, now: int) -> str | None:
    """Say why a receiver that has failed since a time is gone; None while it is not.

    Times are epoch ms; ``answer`` is its last.
    """
    if answer.status == GONE:
        return "its receiver answered 410 Gone"
    if now - since >= GONE_AFTER:
        return f"its receiver has only failed for {(now - since) // DAY} days: {answer.reason}"
    return None


def _spread(notification: str, made: int) -> float:
    """Give the same number from -1 to 1 for the same attempt."""
    return int(content_id(notification, made)[:8], 16) / 0x7FFFFFFF - 1
