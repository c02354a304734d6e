"""Topics and tables in memory, and a fuse: the running process dies at the effect it is set to."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from schemas.codec import wire
from schemas.records.topics import TOPICS
from streams.values.outcome import Event, Put, Send
from streams.values.partitions import partition_of
from streams.values.slots import FURTHEST_MS

PARTITIONS = 2
BY_NAME = {topic.name: topic for topic in TOPICS}


class Crash(Exception):
    """The running process has died here."""


class Fuse:
    """Burns down by one at every boundary of an effect; a dead process has no effects."""

    def __init__(self) -> None:
        """Nothing is lit."""
        self.is_dead = False
        self._left: int | None = None

    def light(self, boundaries: int) -> None:
        """Let a process die so many boundaries from now."""
        self._left = boundaries

    def burn(self) -> None:
        """Pass one boundary; raises Crash."""
        if self._left == 0:
            self.is_dead, self._left = True, None
        if self.is_dead:
            raise Crash
        if self._left is not None:
            self._left -= 1

    def renew(self) -> None:
        """Let the next process live."""
        self.is_dead, self._left = False, None


@dataclass(frozen=True, slots=True)
class Message:
    """One record on a topic; ``at`` is the moment when it got there."""

    key: bytes | None
    value: bytes
    timestamp: int
    headers: tuple[tuple[str, bytes], ...]
    at: int


Rows = dict[bytes, bytes]
Watcher = Callable[[bytes, bytes | None], None]


@dataclass
class Cluster:
    """All that outlives a process. ``now`` is in epoch ms, ``moment`` counts effects.

    Timers go by ``now``. The clock of the broker and of fetch is ahead by as much as a fetch is
    commanded before its slot: all that a tick hands over is due when it is read.
    """

    now: int = 1_700_000_000_000
    moment: int = 0
    fuse: Fuse = field(default_factory=Fuse)
    topics: defaultdict[tuple[str, int], list[Message]] = field(
        default_factory=lambda: defaultdict(list)
    )
    tables: defaultdict[tuple[str, int, str], Rows] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """By agent, partition and the table's name; an agent's only or first one has none."""
    on_put: dict[str, Watcher] = field(default_factory=dict)
    on_send: dict[str, Callable[[object], None]] = field(default_factory=dict)
    """Observes the facts of a topic as they are appended."""

    @property
    def clock(self) -> int:
        """The time of the broker and of fetch, in epoch ms."""
        return self.now + FURTHEST_MS

    async def publish(self, sends: Iterable[Send]) -> None:
        """Put every output on its topic, or some of them."""
        for send in sends:
            self.step()
            self.append(send)
            self.step()

    def append(self, send: Send) -> None:
        """Put one message on its topic."""
        key, record = send.key, send.record
        raw = key.encode() if isinstance(key, str) else key
        partition = send.partition
        if partition is None:
            assert raw is not None
            partition = partition_of(raw.decode(), PARTITIONS)
        value = record if isinstance(record, bytes | None) else wire.encode(record)
        message = Message(raw, value or b"", self.clock, send.headers, self.moment)
        self.topics[send.topic, partition].append(message)
        if send.topic in self.on_send:
            self.on_send[send.topic](record)

    def put(self, agent: str, partition: int, puts: Iterable[Put]) -> None:
        """Write rows of an agent's table, or some of them."""
        for put in puts:
            rows = self.tables[agent, partition, put.table]
            self.step()
            value = None if put.record is None else wire.encode(put.record)
            if value is None:
                rows.pop(put.key, None)
            else:
                rows[put.key] = value
            if agent in self.on_put:
                self.on_put[agent](put.key, value)
            self.step()

    def step(self) -> None:
        """Pass a boundary of an effect."""
        self.fuse.burn()
        self.moment += 1

    def event(self, topic: str, partition: int, offset: int) -> Event:
        """Read a message as the engine passes it to an agent."""
        message = self.topics[topic, partition][offset]
        kinds = BY_NAME[topic]
        fact = wire.decode(message.value, *kinds.kinds, allow_json=kinds.allow_json)
        return Event(
            topic,
            partition,
            offset,
            message.timestamp,
            message.key,
            message.value,
            message.headers,
            fact,
        )

    def facts(self, topic: str) -> list[tuple[int, object]]:
        """All facts of a topic with their moments, in the order of each partition."""
        kinds = BY_NAME[topic].kinds
        return [
            (message.at, wire.decode(message.value, *kinds))
            for partition in range(PARTITIONS)
            for message in self.topics[topic, partition]
        ]
