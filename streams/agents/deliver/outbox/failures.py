"""Remember the receivers that have only failed lately: a bounded number of records."""

from collections.abc import Iterable
from dataclasses import replace

from schemas.records.table_rows import FailingClient
from streams.agents.deliver.outbox.recipients import Recipient
from streams.agents.deliver.outbox.retries import DAY_MS, failing_client

REMEMBERED_MS = 30 * DAY_MS
"""A record of failures is dropped when so much time has passed since the last one."""
MOST_FAILURES = 10_000
"""Records of one partition; with more, that of the oldest last failure is dropped."""


class Failures:
    """The recipients of one partition that have failed since their last success."""

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
        """Whether a recipient has failed for so long that it counts as gone."""
        known = self._records.get(recipient)
        return known is not None and known.gone

    def note(self, recipient: Recipient, now: int) -> FailingClient:
        """Note a failure (epoch ms); returns the record since the last success."""
        record = failing_client(self._records.pop(recipient, None), now)
        self._records[recipient] = record
        return record

    def note_gone(self, recipient: Recipient) -> FailingClient:
        """Note that a recipient is gone which has just failed."""
        self._records[recipient] = record = replace(self._records[recipient], gone=True)
        return record

    def clear(self, recipient: Recipient) -> bool:
        """Note a success; returns whether there was a record."""
        return self._records.pop(recipient, None) is not None

    def forget(self, now: int) -> Recipient | None:
        """Drop the oldest record if it is too old at ``now`` (epoch ms), or one too many."""
        oldest = next(iter(self._records), None)
        if oldest is None:
            return None
        is_old = self._records[oldest].last < now - REMEMBERED_MS
        if not is_old and len(self._records) <= self._most:
            return None
        del self._records[oldest]
        return oldest
