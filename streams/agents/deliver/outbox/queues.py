"""Queue notifications: a single one per recipient and document at a time, four per recipient."""

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from heapq import heappop, heappush

from streams.agents.deliver.outbox.recipients import Recipient

SLOTS_PER_RECIPIENT = 4
"""Notifications of a recipient sent at the same time."""

NEVER = 2**62
"""The due time of notifications in wait for an answer to a challenge."""

QueuePosition = tuple[int, int]
"""The order in a queue: offset of the notification, then of its redelivery command."""


class DeliveryState(Enum):
    """The states of the delivery of a notification."""

    WAITING = 1
    READY = 2  # due and first in its queue, but all slots of its recipient are taken
    COMMANDED = 3  # its Attempt is on the topic, or it was woken; it has a slot
    SENDING = 4
    DONE = 5


@dataclass(slots=True, eq=False)
class PendingNotification:
    """An undelivered notification, without its content: the part kept in memory.

    ``due`` is in epoch ms. ``is_queued`` is set in a queue, ``has_row`` with a row in the outbox. A
    short wait without a row has ``wake``, which is called when its turn comes or is given up.
    ``status`` is the status of the last answer, None without an answer. ``held`` is the end of its
    hold, None in a queue. The notification may have hours (``has_hours``), unless requested by a
    ``redelivery``, the offset of the command. ``pages`` are the pages of its subscription, if
    several. While ``is_in_hand``, its message of ``size`` bytes is in memory, too; 0 with a row.
    """

    id: str
    recipient: Recipient
    url: str
    subscription: str
    position: QueuePosition
    attempts: int
    due: int
    status: int | None = None
    held: int | None = None
    has_hours: bool = False
    redelivery: int | None = None
    is_queued: bool = False
    has_row: bool = False
    wake: Callable[[], None] | None = None
    pages: str = ""
    size: int = 0
    is_in_hand: bool = False
    state: DeliveryState = DeliveryState.WAITING

    @property
    def is_asked_for(self) -> bool:
        """Whether somebody has asked for the notification now, or again."""
        return self.redelivery is not None

    def __lt__(self, other: "PendingNotification") -> bool:
        return self.position < other.position


@dataclass(slots=True)
class _DocumentQueue:
    """The queue of a recipient and document; ``is_busy`` while a notification has a slot."""

    is_busy: bool = False
    waiting: list[PendingNotification] = field(default_factory=list)

    def head(self) -> PendingNotification | None:
        # Taking one out of the middle of a heap is slow, so what is done stays until it is first.
        while self.waiting and self.waiting[0].state is DeliveryState.DONE:
            heappop(self.waiting)
        return self.waiting[0] if self.waiting else None


@dataclass(slots=True)
class _RecipientQueues:
    slots_taken: int = 0
    by_url: defaultdict[str, _DocumentQueue] = field(
        default_factory=lambda: defaultdict(_DocumentQueue)
    )
    ready: deque[PendingNotification] = field(default_factory=deque)


class DeliveryQueues:
    """The queues of all recipients, by document, and the owners of the slots."""

    def __init__(self) -> None:
        self._recipients = defaultdict[Recipient, _RecipientQueues](_RecipientQueues)

    def add(self, pending: PendingNotification) -> None:
        """Put a notification into its queue, at its position."""
        pending.is_queued = True
        heappush(self._of(pending)[1].waiting, pending)

    def is_next(self, pending: PendingNotification) -> bool:
        """Whether the notification is the first of its queue, with none being sent."""
        queue = self._of(pending)[1]
        head = queue.head()
        return not queue.is_busy and (head is None or not head < pending)

    def has_free_slot(self, pending: PendingNotification) -> bool:
        """Whether its recipient has fewer than four under way."""
        return self._of(pending)[0].slots_taken < SLOTS_PER_RECIPIENT

    def take_slot(self, pending: PendingNotification, state: DeliveryState) -> None:
        """Assign a slot to a notification; its queue waits meanwhile."""
        queues, queue = self._of(pending)
        pending.state = state
        queues.slots_taken += 1
        queue.is_busy = True

    def free_slot(
        self, pending: PendingNotification, state: DeliveryState
    ) -> PendingNotification | None:
        """Free the slot of a notification; returns the new head of its queue."""
        queues, queue = self._of(pending)
        pending.state = state
        queues.slots_taken -= 1
        queue.is_busy = False
        return queue.head()

    def make_ready(self, pending: PendingNotification) -> None:
        """Let the head of a queue begin as soon as there is a slot."""
        pending.state = DeliveryState.READY
        self._of(pending)[0].ready.append(pending)

    def fill_slots(
        self, recipient: Recipient, may_begin: Callable[[PendingNotification], bool]
    ) -> tuple[list[PendingNotification], bool]:
        """Assign a recipient's free slots to ready notifications, while ``may_begin``.

        Returns the notifications with a slot, and whether more have to wait despite free slots.
        """
        queues = self._recipients.get(recipient, _RecipientQueues())
        begun = list[PendingNotification]()
        while queues.ready and queues.slots_taken < SLOTS_PER_RECIPIENT:
            pending = queues.ready[0]
            is_ready = pending.state is DeliveryState.READY
            if is_ready and not may_begin(pending):
                return begun, True
            queues.ready.popleft()
            if is_ready:
                self.take_slot(pending, DeliveryState.COMMANDED)
                begun.append(pending)
        return begun, False

    def waiting(self, recipient: Recipient) -> list[PendingNotification]:
        """Return all waiting notifications of a recipient, in order."""
        queues = self._recipients.get(recipient)
        by_url = queues.by_url.values() if queues else ()
        others = DeliveryState.SENDING, DeliveryState.DONE
        return sorted(
            each for queue in by_url for each in queue.waiting if each.state not in others
        )

    def tidy(self, pending: PendingNotification) -> None:
        """Drop the queue of a notification if empty and idle."""
        queues, queue = self._of(pending)
        if not queue.is_busy and queue.head() is None:
            del queues.by_url[pending.url]
        if not queues.by_url:
            del self._recipients[pending.recipient]

    def _of(self, pending: PendingNotification) -> tuple[_RecipientQueues, _DocumentQueue]:
        queues = self._recipients[pending.recipient]
        return queues, queues.by_url[pending.url]
