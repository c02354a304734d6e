"""Counts the notifications in hand of a worker: webhooks and channels apart."""

from collections import Counter
from typing import NamedTuple

from streams.agents.deliver.outbox.queues import SLOTS_PER_RECIPIENT, PendingNotification


class KindCapacity(NamedTuple):
    """The most notifications in hand of a kind of receiver, and their bytes."""

    max_notifications: int
    max_bytes: int


WEBHOOKS = KindCapacity(5000, 64 * 1024 * 1024)
"""Enough for POSTs to many receivers without answers, four each."""
CHANNELS = KindCapacity(200, 16 * 1024 * 1024)
"""Four messages are sent at a time; the others wait as well in the outbox."""


class InHand:
    """The notifications of a worker being sent, or in wait for their turn in memory.

    Slow channels hold up no webhook, and slow webhooks no channel, as each has its own capacity.
    Nor do managers hold up each other: a manager with fewer in hand than allowed for a receiver is
    always admitted.
    """

    def __init__(
        self, webhooks: KindCapacity = WEBHOOKS, channels: KindCapacity = CHANNELS
    ) -> None:
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
        """Let a notification go; a later sending uses its row, not a message in memory."""
        if pending.is_in_hand:
            self._kinds[pending.recipient.is_channel].leave(pending)
            pending.is_in_hand, pending.size = False, 0


class _Kind:
    """The notifications in hand of a kind of receiver, by manager."""

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
