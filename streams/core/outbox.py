"""What deliver keeps in memory of one partition: who waits for what, and who is at work.

At most four notifications of a client are at work, and one of each of its
documents: a line. In a line they keep their order; its head holds the others.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from heapq import heappop, heappush

from schemas.state import FailingClient

AT_WORK = 4

Place = tuple[int, int]
"""The order in a line: offset of the notification, then of the command to redeliver it."""


class State(Enum):
    """How far a notification is on its way to an attempt."""

    WAITING = 1
    READY = 2  # due, but its client has four at work
    SENT = 3  # its Attempt is on the topic, its slot is taken
    AT_WORK = 4


@dataclass(slots=True)
class Entry:
    """A notification without its content; ``queued`` when it has a row in the outbox."""

    id: str
    client: str
    url: str
    subscription: str
    manager: str
    place: Place
    attempts: int
    due: int
    queued: bool = False
    state: State = State.WAITING


@dataclass(slots=True)
class _Line:
    busy: Entry | None = None
    waiting: list[tuple[Place, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Client:
    at_work: int = 0
    lines: dict[str, _Line] = field(default_factory=dict)
    ready: deque[Entry] = field(default_factory=deque)


class Outbox:
    """The notifications of one partition that are not done, and the clients that fail.

    ``through`` is the offset of the last notification that was seen or done. A
    queued one beyond it came from another worker, and one before it in its line
    may still have to be read again: it is held until ``through`` has passed it.
    """

    def __init__(self, through: int) -> None:
        """Start empty."""
        self.through = through
        self.failing: dict[str, FailingClient] = {}
        self._entries: dict[str, Entry] = {}
        self._clients: dict[str, _Client] = {}
        self._agenda: list[tuple[int, Place, str]] = []

    def __len__(self) -> int:
        """Count what is not done."""
        return len(self._entries)

    def get(self, name: str) -> Entry | None:
        """Give a notification that waits or is at work."""
        return self._entries.get(name)

    def blame(self, client: str, now: int) -> FailingClient:
        """Note that a client failed (epoch ms); give its record since its last success."""
        return self.failing.setdefault(client, FailingClient(now, gone=False))

    def lose(self, client: str) -> FailingClient:
        """Note that a failing client is gone."""
        self.failing[client] = record = replace(self.failing[client], gone=True)
        return record

    def load(self, entry: Entry) -> None:
        """Take up one that has a row."""
        self._queue(entry)
        self._plan(entry)

    def admit(self, entry: Entry) -> bool:
        """Let a new one begin, or queue it because others are before it."""
        client, line = self._at(entry)
        head = self._head(line)
        is_next = line.busy is None and (head is None or entry.place < head.place)
        if is_next and client.at_work < AT_WORK:
            self._entries[entry.id] = entry
            self._reserve(client, entry, State.AT_WORK)
            return True
        self._queue(entry)
        if is_next:
            self._ready(client, entry)
        return False

    def take(self, name: str, made: int) -> Entry | None:
        """Begin an attempt; None unless it is this one's turn and it has not begun."""
        entry = self._entries.get(name)
        if entry is None or entry.attempts != made or entry.state is State.AT_WORK:
            return None
        if entry.state is not State.SENT:
            if not self._may_begin(entry):
                return None
            self._reserve(self._clients[entry.client], entry, State.SENT)
        entry.state = State.AT_WORK
        return entry

    def due(self, now: int) -> list[Entry]:
        """Give what fell due (epoch ms) and has a slot, each once."""
        given, held = [], []
        while self._agenda and self._agenda[0][0] <= now:
            item = heappop(self._agenda)
            entry = self._planned(item)
            if entry is None:
                continue
            if self._is_held(entry):
                held.append(item)
                continue
            client = self._clients[entry.client]
            self._ready(client, entry)
            given += self._fill(client)
        for item in held:
            heappush(self._agenda, item)
        return given

    def finish(self, entry: Entry, now: int) -> list[Entry]:
        """Have done with one at work; give what may be attempted instead."""
        del self._entries[entry.id]
        return self._free(entry, now)

    def retry(self, entry: Entry, now: int) -> list[Entry]:
        """Queue one that was at work until it is due again; give what may be attempted instead."""
        entry.state = State.WAITING
        if not entry.queued:
            self._queue(entry)
        return self._free(entry, now)

    def hasten(self, entry: Entry, now: int) -> None:
        """Have a waiting one due now."""
        if entry.state is State.WAITING:
            entry.due = now
            self._plan(entry)

    def drop(self, name: str) -> list[Entry]:
        """Forget all of a client but what is at work; give it, in its order."""
        client = self._clients.get(name)
        lines = list(client.lines.items()) if client else []
        dropped = [entry for _, line in lines for entry in self._emptied(line)]
        for entry in dropped:
            del self._entries[entry.id]
            if entry.state is State.SENT:
                self._release(entry)
        for url, _ in lines:
            self._tidy(name, url)
        return sorted(dropped, key=lambda entry: entry.place)

    def _emptied(self, line: _Line) -> Iterator[Entry]:
        found = [self._entries.get(name) for place, name in line.waiting]
        for entry in found:
            if entry is not None and entry.state is not State.AT_WORK:
                yield entry

    def _at(self, entry: Entry) -> tuple[_Client, _Line]:
        client = self._clients.setdefault(entry.client, _Client())
        return client, client.lines.setdefault(entry.url, _Line())

    def _queue(self, entry: Entry) -> None:
        entry.queued = True
        self._entries[entry.id] = entry
        _, line = self._at(entry)
        heappush(line.waiting, (entry.place, entry.id))

    def _head(self, line: _Line) -> Entry | None:
        while line.waiting:
            place, name = line.waiting[0]
            entry = self._entries.get(name)
            if entry is not None and entry.place == place:
                return entry
            heappop(line.waiting)
        return None

    def _plan(self, entry: Entry) -> None:
        heappush(self._agenda, (entry.due, entry.place, entry.id))

    def _planned(self, item: tuple[int, Place, str]) -> Entry | None:
        """Give the entry of an item of the agenda that still holds."""
        due, place, name = item
        entry = self._entries.get(name)
        if entry is None or (entry.due, entry.place) != (due, place):
            return None
        return entry if entry.state is State.WAITING and self._is_next(entry) else None

    def _is_held(self, entry: Entry) -> bool:
        return entry.place[0] > self.through

    def _is_next(self, entry: Entry) -> bool:
        _, line = self._at(entry)
        return line.busy is None and self._head(line) is entry

    def _may_begin(self, entry: Entry) -> bool:
        has_slot = self._clients[entry.client].at_work < AT_WORK
        return has_slot and self._is_next(entry) and not self._is_held(entry)

    def _ready(self, client: _Client, entry: Entry) -> None:
        entry.state = State.READY
        client.ready.append(entry)

    def _reserve(self, client: _Client, entry: Entry, state: State) -> None:
        entry.state = state
        client.at_work += 1
        client.lines[entry.url].busy = entry

    def _release(self, entry: Entry) -> None:
        client, line = self._at(entry)
        client.at_work -= 1
        line.busy = None

    def _free(self, entry: Entry, now: int) -> list[Entry]:
        self._release(entry)
        client, line = self._at(entry)
        head = self._head(line)
        if head is not None and head.due <= now and not self._is_held(head):
            self._ready(client, head)
        elif head is not None:
            self._plan(head)
        given = self._fill(client)
        self._tidy(entry.client, entry.url)
        return given

    def _fill(self, client: _Client) -> list[Entry]:
        """Give the client's free slots to what is ready."""
        given = []
        while client.ready and client.at_work < AT_WORK:
            entry = client.ready.popleft()
            if self._entries.get(entry.id) is not entry or entry.state is not State.READY:
                continue
            entry.state = State.WAITING
            if self._is_next(entry):
                self._reserve(client, entry, State.SENT)
                given.append(entry)
        return given

    def _tidy(self, name: str, url: str) -> None:
        """Keep nothing of a client that has nothing waiting or at work."""
        client = self._clients[name]
        line = client.lines[url]
        if line.busy is None and self._head(line) is None:
            del client.lines[url]
        if not client.lines:
            del self._clients[name]
