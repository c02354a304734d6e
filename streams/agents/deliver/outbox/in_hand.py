"""Counts the notifications that a worker has in hand: those of webhooks and of channels apart."""

from collections import Counter
from typing import NamedTuple

from streams.agents.deliver.outbox.queues import SLOTS_PER_RECIPIENT, PendingNotification


class KindCapacity(NamedTuple):
    """The most notifications of one kind of receiver that may be in hand, and their bytes."""

    max_notifications: int
    max_bytes: int


WEBHOOKS = KindCapacity(5000, 64 * 1024 * 1024)
"""Enough for POSTs to many receivers that do not answer, four each."""
CHANNELS = KindCapacity(200, 16 * 1024 * 1024)
"""Four messages are sent at a time; what else waits is as well in the outbox."""


class InHand:
    """The notifications of a worker that are being sent, or wait in memory for their turn.

    Slow channels hold up no webhook, and slow webhooks no channel, for neither can use up what
    the other has. Nor do managers hold up each other: one that has fewer in hand than a single
    receiver may have is let in, however many others have.
    """

    def __init__(
        self, webhooks: KindCapacity = WEBHOOKS, channels: KindCapacity = CHANNELS
    ) -> None:
        """Begin with nothing in hand."""
        self._kinds = {False: _Kind(webhooks), True: _Kind(channels)}

    def __len__(self) -> int:
        """Count the notifications."""
        return sum(kind.count for kind in self._kinds.values())

    def enter(self, pending: PendingNotification) -> bool:
        """Take a notification in hand; False if its kind has no capacity left."""
        if not pending.is_in_hand:
            pending.is_in_hand = self._kinds[pending.recipient.is_channel].enter(pending)
        return pending.is_in_hand

    def leave(self, pending: PendingNotification) -> None:
        """Let a notification go; what is sent of it later is a row, not a message in memory."""
        if pending.is_in_hand:
            self._kinds[pending.recipient.is_channel].leave(pending)
            pending.is_in_hand, pending.size = False, 0


class _Kind:
    """The notifications of one kind of receiver that are in hand, by manager."""

    def __init__(self, capacity: KindCapacity) -> None:
        self._capacity = capacity
        self.count = self._bytes = 0
        self._of_manager: Counter[str] = Counter()

    def enter(self, pending: PendingNotification) -> bool:
        most, max_bytes = self._capacity
        is_full = self.count >= most or self._bytes >= max_bytes
        manager = pending.recipient.manager
        if is_full and self._of_manager[manager] >= SLOTS_PER_RECIPIENT:
            return False
        self.count += 1
        self._bytes += pending.size
        self._of_manager[manager] += 1
        return True

    def leave(self, pending: PendingNotification) -> None:
        manager = pending.recipient.manager
        self.count -= 1
        self._bytes -= pending.size
        self._of_manager[manager] -= 1
        if not self._of_manager[manager]:
            del self._of_manager[manager]
