"""What deliver keeps in memory of one partition: who waits for what, and who is at work."""

from dataclasses import replace
from heapq import heappop, heappush

from schemas.state import FailingClient
from streams.core.delivery.proofs import Proofs
from streams.core.delivery.queues import NEVER, ClientQueues, DeliveryState, PendingNotification
from streams.core.delivery.retries import failing


class Outbox:
    """The notifications of one partition that are not done, and what is known of their clients.

    ``through`` is the offset of the last notification that was seen or done. A
    queued one beyond it came from another worker, and one before it in its line
    may still have to be read again: it is held until ``through`` has passed it.
    """

    def __init__(self, through: int, needs_proof: bool = False) -> None:
        """Start empty."""
        self.through = through
        self.proofs = Proofs(needs_proof)
        self.failing: dict[str, FailingClient] = {}
        self._lines = ClientQueues()
        self._entries: dict[str, PendingNotification] = {}
        self._agenda: list[tuple[int, PendingNotification]] = []

    def __len__(self) -> int:
        """The number of notifications that wait or are at work."""
        return len(self._entries)

    def blame(self, client: str, now: int) -> FailingClient:
        """Note that a client failed (epoch ms); give its record since its last success."""
        self.failing[client] = record = failing(self.failing.get(client), now)
        return record

    def lose(self, client: str) -> FailingClient:
        """Note that a failing client is gone."""
        self.failing[client] = record = replace(self.failing[client], gone=True)
        return record

    def get(self, name: str) -> PendingNotification | None:
        """Give a notification that waits or is at work."""
        return self._entries.get(name)

    def load(self, entry: PendingNotification) -> None:
        """Take up one that has a row."""
        entry.kept = True
        if self.proofs.lacks(entry.client):
            self.hold(entry)
            return
        self._queue(entry)
        self._plan(entry)

    def admit(self, entry: PendingNotification) -> bool:
        """Let a new one begin, or queue it because others are before it."""
        is_next = self._lines.is_next(entry)
        if is_next and self._lines.has_slot(entry):
            self._entries[entry.id] = entry
            self._lines.begin(entry, DeliveryState.AT_WORK)
            return True
        self._queue(entry)
        if is_next:
            self._lines.ready(entry)
        return False

    def hold(self, entry: PendingNotification) -> None:
        """Queue one that waits for its client's proof."""
        entry.due = NEVER
        self._queue(entry)

    def release(self, client: str, now: int) -> None:
        """Have all due now that waits for a client's proof."""
        for entry in self._lines.waiting(client):
            if entry.due == NEVER:
                entry.due = now
                self._plan(entry)

    def take(self, name: str, made: int) -> PendingNotification | None:
        """Begin an attempt; None unless it is this one's turn and it has not begun."""
        entry = self._entries.get(name)
        if entry is None or entry.attempts != made or entry.state is DeliveryState.AT_WORK:
            return None
        if entry.due == NEVER or entry.wake is not None:
            return None
        if entry.state is DeliveryState.SENT:
            entry.state = DeliveryState.AT_WORK
            return entry
        may = self._lines.is_next(entry) and self._lines.has_slot(entry)
        if not may or self._is_held(entry):
            return None
        self._lines.begin(entry, DeliveryState.AT_WORK)
        return entry

    def due(self, now: int) -> list[PendingNotification]:
        """Give what fell due (epoch ms) and has a slot, each once."""
        given: list[PendingNotification] = []
        held: list[tuple[int, PendingNotification]] = []
        while self._agenda and self._agenda[0][0] <= now:
            due, entry = heappop(self._agenda)
            if entry.state is not DeliveryState.WAITING or entry.due != due:
                continue
            if self._is_held(entry):
                held.append((due, entry))
            elif self._lines.is_next(entry):
                self._lines.ready(entry)
                given += self._lines.fill(entry.client)
        for item in held:
            heappush(self._agenda, item)
        return given

    def finish(self, entry: PendingNotification, now: int) -> list[PendingNotification]:
        """Have done with one at work; give what may be attempted instead."""
        del self._entries[entry.id]
        return self._free(entry, DeliveryState.DONE, now)

    def retry(self, entry: PendingNotification, now: int) -> list[PendingNotification]:
        """Queue one that was at work until it is due again; give what may be attempted instead."""
        if not entry.queued:
            self._queue(entry)
        return self._free(entry, DeliveryState.WAITING, now)

    def hasten(self, entry: PendingNotification, now: int) -> None:
        """Have a waiting one due now."""
        if entry.state is DeliveryState.WAITING and entry.due != NEVER:
            entry.due = now
            self._plan(entry)

    def drop(self, client: str) -> list[PendingNotification]:
        """Forget all of a client but what is at work; give it in order."""
        dropped = self._lines.waiting(client)
        for entry in dropped:
            del self._entries[entry.id]
            if entry.state is DeliveryState.SENT:
                self._lines.end(entry, DeliveryState.DONE)
            entry.state = DeliveryState.DONE
            if entry.wake is not None:
                entry.wake()
        for entry in dropped:
            self._lines.tidy(entry)
        return dropped

    def _queue(self, entry: PendingNotification) -> None:
        self._entries[entry.id] = entry
        self._lines.add(entry)

    def _plan(self, entry: PendingNotification) -> None:
        heappush(self._agenda, (entry.due, entry))

    def _is_held(self, entry: PendingNotification) -> bool:
        return entry.place[0] > self.through

    def _free(
        self, entry: PendingNotification, state: DeliveryState, now: int
    ) -> list[PendingNotification]:
        head = self._lines.end(entry, state)
        if head is not None and head.due <= now:
            self._lines.ready(head)
        elif head is not None:
            self._plan(head)
        given = self._lines.fill(entry.client)
        self._lines.tidy(entry)
        return given
