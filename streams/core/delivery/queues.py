"""Which notification is next: one at a time per client and document, four per client."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from heapq import heappop, heappush

SLOTS_PER_CLIENT = 4
"""Notifications of one client that are sent at the same time."""

NEVER = 2**62
"""The due time of what waits until its receiver has answered a challenge."""

QueuePosition = tuple[int, int]
"""The order in a queue: offset of the notification, then of the command to redeliver it."""


class DeliveryState(Enum):
    """How far the delivery of a notification is."""

    WAITING = 1
    READY = 2  # due and first in its queue, but all slots of its client are taken
    COMMANDED = 3  # its Attempt is on the topic, or it was woken; it has a slot
    SENDING = 4
    DONE = 5


@dataclass(slots=True, eq=False)
class PendingNotification:
    """A notification that is not delivered yet, without its content: what memory keeps of it.

    ``due`` is in epoch ms. ``is_queued`` says that it is in its queue, ``has_row`` that it
    has a row in the outbox. One that waits for a moment without a row has ``wake``, which
    is called when its turn comes or it is given up.
    """

    id: str
    client: str
    url: str
    subscription: str
    manager: str
    position: QueuePosition
    attempts: int
    due: int
    is_queued: bool = False
    has_row: bool = False
    wake: Callable[[], None] | None = None
    state: DeliveryState = DeliveryState.WAITING

    def __lt__(self, other: "PendingNotification") -> bool:
        return self.position < other.position


@dataclass(slots=True)
class _DocumentQueue:
    """What waits for one client about one document; ``is_busy`` while one of it has a slot."""

    is_busy: bool = False
    waiting: list[PendingNotification] = field(default_factory=list)

    def head(self) -> PendingNotification | None:
        # Taking one out of the middle of a heap is slow, so what is done stays until it is first.
        while self.waiting and self.waiting[0].state is DeliveryState.DONE:
            heappop(self.waiting)
        return self.waiting[0] if self.waiting else None


@dataclass(slots=True)
class _ClientQueues:
    slots_taken: int = 0
    by_url: dict[str, _DocumentQueue] = field(default_factory=dict)
    ready: deque[PendingNotification] = field(default_factory=deque)


class DeliveryQueues:
    """The queues of all clients, one for each document, and who has the slots."""

    def __init__(self) -> None:
        """Start empty."""
        self._clients: dict[str, _ClientQueues] = {}

    def __len__(self) -> int:
        """Count the clients for which anything waits or is sent."""
        return len(self._clients)

    def add(self, pending: PendingNotification) -> None:
        """Put a notification into its queue, at its position."""
        pending.is_queued = True
        heappush(self._of(pending)[1].waiting, pending)

    def is_next(self, pending: PendingNotification) -> bool:
        """Whether none of its queue is being sent, and none comes before this one."""
        queue = self._of(pending)[1]
        head = queue.head()
        return not queue.is_busy and (head is None or not head < pending)

    def has_free_slot(self, pending: PendingNotification) -> bool:
        """Whether its client has fewer than four under way."""
        return self._of(pending)[0].slots_taken < SLOTS_PER_CLIENT

    def take_slot(self, pending: PendingNotification, state: DeliveryState) -> None:
        """Give a slot to a notification; its queue waits meanwhile."""
        client, queue = self._of(pending)
        pending.state = state
        client.slots_taken += 1
        queue.is_busy = True

    def free_slot(
        self, pending: PendingNotification, state: DeliveryState
    ) -> PendingNotification | None:
        """Free the slot of a notification; returns the new head of its queue."""
        client, queue = self._of(pending)
        pending.state = state
        client.slots_taken -= 1
        queue.is_busy = False
        return queue.head()

    def make_ready(self, pending: PendingNotification) -> None:
        """Let the head of a queue begin as soon as there is a slot."""
        pending.state = DeliveryState.READY
        self._of(pending)[0].ready.append(pending)

    def fill_slots(self, client: str) -> list[PendingNotification]:
        """Give a client's free slots to what is ready, and return it."""
        queues, begun = self._clients[client], []
        while queues.ready and queues.slots_taken < SLOTS_PER_CLIENT:
            pending = queues.ready.popleft()
            if pending.state is DeliveryState.READY:
                self.take_slot(pending, DeliveryState.COMMANDED)
                begun.append(pending)
        return begun

    def waiting(self, client: str) -> list[PendingNotification]:
        """Return all notifications of a client that are neither being sent nor done, in order."""
        queues = self._clients.get(client)
        by_url = queues.by_url.values() if queues else ()
        others = DeliveryState.SENDING, DeliveryState.DONE
        return sorted(
            each for queue in by_url for each in queue.waiting if each.state not in others
        )

    def tidy(self, pending: PendingNotification) -> None:
        """Drop the queue of a notification if it is empty and idle."""
        client, queue = self._of(pending)
        if not queue.is_busy and queue.head() is None:
            del client.by_url[pending.url]
        if not client.by_url:
            del self._clients[pending.client]

    def _of(self, pending: PendingNotification) -> tuple[_ClientQueues, _DocumentQueue]:
        client = self._clients.setdefault(pending.client, _ClientQueues())
        return client, client.by_url.setdefault(pending.url, _DocumentQueue())
