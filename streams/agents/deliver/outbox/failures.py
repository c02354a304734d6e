"""Decide when a notification is sent again, and which receivers have only failed or are gone."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from schemas.records.answers import WebhookResponse
from schemas.records.deliveries import GONE_AFTER_DAYS
from schemas.records.table_rows import FailingClient
from streams.agents.deliver.outbox.recipients import Recipient, pop_oldest
from streams.values.ids import content_id

JITTER = 0.2
"""By which part of itself a pause is varied, up or down."""
HTTP_TOO_MANY_REQUESTS = 429
SLOW_DOWN_MS = 60_000
"""The shortest pause after 429 Too Many Requests."""
HTTP_GONE = 410
DAY_MS = 24 * 3600 * 1000
GONE_AFTER_MS = GONE_AFTER_DAYS * DAY_MS
MAX_GAP_MS = round((1 + JITTER) * DAY_MS)
"""The most counted time between two failures: the longest pause of the schedule."""

REMEMBERED_MS = 30 * DAY_MS
"""A record of failures is dropped after so much time since the last failure."""
MOST_FAILURES = 10_000
"""Records of a partition; with more, the record of the oldest last failure is dropped."""


def retry_delay(
    schedule: Sequence[float], notification: str, made: int, answer: WebhookResponse
) -> int | None:
    """Return the time (ms) until the next attempt; None after the last.

    ``made`` attempts have failed, the last with ``answer``. Its Retry-After is honoured up to twice
    the pause of the schedule; after 429 the pause is at least a minute::

        retry_delay((0, 5, 300), "id", 1, WebhookResponse(500))  # 4000 to 6000
        retry_delay((0, 5, 300), "id", 3, WebhookResponse(500))  # None
    """
    if made >= len(schedule):
        return None
    base = schedule[made] * 1000
    # From -1 to 1, always the same for the same attempt.
    spread = int(content_id(notification, made)[:8], 16) / 0x7FFFFFFF - 1
    wait = base * (1 + JITTER * spread)
    if answer.retry_after is not None:
        wait = max(wait, min(answer.retry_after * 1000, 2 * base))
    return round(max(wait, SLOW_DOWN_MS) if answer.status == HTTP_TOO_MANY_REQUESTS else wait)


def failing_client(known: FailingClient | None, now: int) -> FailingClient:
    """Return the record of a receiver after another failure, at ``now`` (epoch ms).

    Of a long time without an attempt only a part counts, because the deployment may have
    been switched off while the receiver was fine. If the clock was put back, no time counts.
    """
    if known is None:
        return FailingClient(now, gone=False, last=now)
    last = known.last or known.since
    lasted = last - known.since + min(max(now - last, 0), MAX_GAP_MS)
    return replace(known, since=now - lasted, last=now)


def why_ended(answer: WebhookResponse) -> str | None:
    """Return why the subscription ends after such an answer; None if it does not.

    >>> why_ended(WebhookResponse(410))
    'its receiver answered 410 Gone'
    """
    return "its receiver answered 410 Gone" if answer.status == HTTP_GONE else None


def why_gone(answer: WebhookResponse, since: int, now: int) -> str | None:
    """Return why a receiver failing since a time is gone; None if still present.

    Times are in epoch ms; ``answer`` is the last answer.
    """
    if now - since >= GONE_AFTER_MS:
        return f"its receiver has only failed for {(now - since) // DAY_MS} days: {answer.reason}"
    return None


class Failures:
    """The recipients of a partition with failures since their last success."""

    def __init__(self, most: int = MOST_FAILURES) -> None:
        """Start empty; remember ``most`` recipients."""
        self._most = most
        # In the order of their last failures, so that the oldest is found at once.
        self._records: dict[Recipient, FailingClient] = {}

    def __len__(self) -> int:
        """Count the records."""
        return len(self._records)

    def __contains__(self, recipient: Recipient) -> bool:
        """Whether a recipient has failed since its last success."""
        return recipient in self._records

    def load(self, rows: Iterable[tuple[Recipient, FailingClient]]) -> None:
        """Load all records, in any order."""
        self._records = dict(sorted(rows, key=lambda row: row[1].last))

    def is_gone(self, recipient: Recipient) -> bool:
        """Whether a recipient has failed for long enough to count as gone."""
        known = self._records.get(recipient)
        return known is not None and known.gone

    def note(self, recipient: Recipient, now: int) -> FailingClient:
        """Note a failure (epoch ms); returns the record since the last success."""
        record = failing_client(self._records.pop(recipient, None), now)
        self._records[recipient] = record
        return record

    def note_gone(self, recipient: Recipient) -> FailingClient:
        """Note that a failing recipient is gone."""
        self._records[recipient] = record = replace(self._records[recipient], gone=True)
        return record

    def clear(self, recipient: Recipient) -> bool:
        """Note a success; returns whether there was a record."""
        return self._records.pop(recipient, None) is not None

    def forget(self, now: int) -> Recipient | None:
        """Drop the oldest record if too old at ``now`` (epoch ms), or beyond the limit."""
        last = now - REMEMBERED_MS
        return pop_oldest(self._records, self._most, lambda record: record.last < last)
