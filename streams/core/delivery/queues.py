"""Who may be told next: one notification at a time per client and document, four per client."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from heapq import heappop, heappush

AT_WORK = 4

NEVER = 2**62
"""The due time of what waits until its receiver has proved that it wants to be told."""

QueuePosition = tuple[int, int]
"""The order in a line: offset of the notification, then of the command to redeliver it."""


class DeliveryState(Enum):
    """How far a notification is on its way."""

    WAITING = 1
    READY = 2  # due, but its client has four at work
    SENT = 3  # its Attempt is on the topic, or it was woken; its slot is taken
    AT_WORK = 4
    DONE = 5


@dataclass(slots=True, eq=False)
class PendingNotification:
    """A notification without its content; ``queued`` when it is in its line.

    ``due`` is epoch ms. It is ``kept`` when it has a row in the outbox. One that waits
    without a row, for a moment, has ``wake`` called when its turn comes or it is given up.
    """

    id: str
    client: str
    url: str
    subscription: str
    manager: str
    place: QueuePosition
    attempts: int
    due: int
    queued: bool = False
    kept: bool = False
    wake: Callable[[], None] | None = None
    state: DeliveryState = DeliveryState.WAITING

    def __lt__(self, other: "PendingNotification") -> bool:
        return self.place < other.place


@dataclass(slots=True)
class _Line:
    busy: bool = False
    waiting: list[PendingNotification] = field(default_factory=list)

    def head(self) -> PendingNotification | None:
        while self.waiting and self.waiting[0].state is DeliveryState.DONE:
            heappop(self.waiting)
        return self.waiting[0] if self.waiting else None


@dataclass(slots=True)
class _Client:
    at_work: int = 0
    lines: dict[str, _Line] = field(default_factory=dict)
    ready: deque[PendingNotification] = field(default_factory=deque)


class ClientQueues:
    """The queues of all clients, one for each document, and what is at work."""

    def __init__(self) -> None:
        """Start empty."""
        self._clients: dict[str, _Client] = {}

    def __len__(self) -> int:
        """Count the clients that have anything waiting or at work."""
        return len(self._clients)

    def add(self, entry: PendingNotification) -> None:
        """Put an entry in its place in its line."""
        entry.queued = True
        heappush(self._at(entry)[1].waiting, entry)

    def is_next(self, entry: PendingNotification) -> bool:
        """Whether its line is free, and none in it comes before this one."""
        line = self._at(entry)[1]
        head = line.head()
        return not line.busy and (head is None or not head < entry)

    def has_slot(self, entry: PendingNotification) -> bool:
        """Whether its client has less than four at work."""
        return self._at(entry)[0].at_work < AT_WORK

    def begin(self, entry: PendingNotification, state: DeliveryState) -> None:
        """Take its line and a slot."""
        client, line = self._at(entry)
        entry.state = state
        client.at_work += 1
        line.busy = True

    def end(self, entry: PendingNotification, state: DeliveryState) -> PendingNotification | None:
        """Give its line and slot back; gives the new head of the line."""
        client, line = self._at(entry)
        entry.state = state
        client.at_work -= 1
        line.busy = False
        return line.head()

    def ready(self, entry: PendingNotification) -> None:
        """Have the head of a line begin as soon as there is a slot."""
        entry.state = DeliveryState.READY
        self._at(entry)[0].ready.append(entry)

    def fill(self, name: str) -> list[PendingNotification]:
        """Give the client's free slots to what is ready."""
        client, given = self._clients[name], []
        while client.ready and client.at_work < AT_WORK:
            entry = client.ready.popleft()
            if entry.state is DeliveryState.READY:
                self.begin(entry, DeliveryState.SENT)
                given.append(entry)
        return given

    def waiting(self, name: str) -> list[PendingNotification]:
        """Give all of a client that is not at work or done, in its order."""
        client = self._clients.get(name)
        lines = client.lines.values() if client else ()
        over = DeliveryState.AT_WORK, DeliveryState.DONE
        return sorted(e for line in lines for e in line.waiting if e.state not in over)

    def tidy(self, entry: PendingNotification) -> None:
        """Keep no line that nothing waits in or is at work in."""
        client, line = self._at(entry)
        if not line.busy and line.head() is None:
            del client.lines[entry.url]
        if not client.lines:
            del self._clients[entry.client]

    def _at(self, entry: PendingNotification) -> tuple[_Client, _Line]:
        client = self._clients.setdefault(entry.client, _Client())
        return client, client.lines.setdefault(entry.url, _Line())
