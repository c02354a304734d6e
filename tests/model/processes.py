"""A worker of an agent without Kafka and Faust: the engine's contract, a step at a time.

Outputs, then the table, then the acknowledgement. After a crash it begins again
at any offset that may have been the last committed one.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

from schemas.records.topics import Topic
from streams.values.outcome import Outcome, Owned
from tests.model.cluster import PARTITIONS, Cluster, Crash, Fuse

Place = tuple[str, int]
TIMER = "the timer"
"""In place of a topic, that of a tick in its partition's lane."""


class Process:
    """A running agent; ``build`` builds a new one."""

    def __init__(
        self,
        cluster: Cluster,
        name: str,
        reads: Iterable[Topic],
        build: Callable[[], Any],
        timer: Callable[[Any, int, int], Any] | None = None,
    ) -> None:
        """Nothing is read yet; ``timer`` says what follows as time passes."""
        self._timer = timer
        self.name = name
        self.agent: Any = None
        self.cluster = cluster
        self._fuse = Fuse()
        self._back = 0
        self._build = build
        self._places = [(t.name, p) for p in range(PARTITIONS) for t in reads]
        self._position: dict[Place, int] = dict.fromkeys(self._places, 0)
        self._committed = dict(self._position)

    def dies_going(self, boundaries: int, back: int) -> None:
        """Let it die so many boundaries of effects from now, and restart so far back."""
        self._fuse.light(boundaries)
        self._back = back

    async def restart(self, back: int | None = None) -> None:
        """Restart, with the last ``back`` acknowledgements of every partition uncommitted."""
        back = self._back if back is None else back
        for place, position in self._position.items():
            self._committed[place] = max(self._committed[place], position - back)
        self._position = dict(self._committed)
        self._fuse.renew()
        self.agent = self._build()
        await self._assigned()

    async def move(self) -> None:
        """Release all partitions in order, and get them assigned again."""
        self._committed = dict(self._position)
        self._released()
        await self._assigned()

    def waiting(self) -> list[Place]:
        """Return the partitions that have something to read."""
        topics = self.cluster.topics
        return [place for place in self._places if self._position[place] < len(topics[place])]

    def tick(self) -> None:
        """Notice that time has passed."""

    def commit(self) -> None:
        """Commit everything that is acknowledged."""
        self._committed = dict(self._position)

    async def work(self, turn: int, count: int) -> None:
        """Handle some events, of the partition that ``turn`` selects. Raises Crash."""
        self.cluster.fuse = self._fuse
        await self._work(turn, count)

    async def _work(self, turn: int, count: int) -> None:
        raise NotImplementedError

    async def _assigned(self) -> None:
        raise NotImplementedError

    def _released(self) -> None:
        """Nothing is under way."""

    def _rows(self, partition: int, table: str) -> Iterator[tuple[bytes, bytes]]:
        return iter(self.cluster.tables[self.name, partition, table].items())

    def _take(self, place: Place, ahead: int = 0) -> Any:
        return self.cluster.event(*place, self._position[place] + ahead)

    async def _apply(self, partition: int, outcomes: list[Outcome]) -> None:
        await self.cluster.publish(send for outcome in outcomes for send in outcome.sends)
        puts = [put for outcome in outcomes for put in outcome.puts]
        self.cluster.put(self.name, partition, puts)


class LaneProcess(Process):
    """Decides on batches in memory, and makes them durable at once.

    After an assignment, what was on the ``first`` topic by then goes before all else
    of its partition. A tick is decided on in turn with the events, one at a time.
    """

    def __init__(self, *args: Any, first: Topic | None = None) -> None:
        super().__init__(*args)
        self._first = first
        self._ends: dict[int, int] = {}
        self._ticks: dict[int, int] = {}

    def tick(self) -> None:
        for partition in range(PARTITIONS if self._timer else 0):
            self._ticks.setdefault(partition, self.cluster.now)

    def waiting(self) -> list[Place]:
        return [*super().waiting(), *((TIMER, partition) for partition in self._ticks)]

    async def _assigned(self) -> None:
        self._ticks.clear()
        for partition in range(PARTITIONS):
            if self._first is not None:
                self._ends[partition] = len(self.cluster.topics[self._first.name, partition])
            self.agent.begin(partition)
            for key, value in self._rows(partition, ""):
                self.agent.load(partition, key, value)

    async def _work(self, turn: int, count: int) -> None:
        """Read a batch from the partition's topics in turn."""
        waiting = self.waiting()
        partition = waiting[turn % len(waiting)][1]
        taken: list[Place] = []
        outcomes: list[Outcome] = []
        for number in range(count):
            left = [
                place
                for place in self._left(taken)
                if place[1] == partition and not self._is_held(place)
            ]
            if not left:
                break
            place = left[(turn + number) % len(left)]
            outcome = self._decide(place, taken.count(place))
            taken.append(place)
            for part in chain((outcome,), outcome.rest or ()):
                outcomes.append(part)
                if part.awaited:
                    await self._apply(partition, outcomes)
                    outcomes.clear()
        await self._apply(partition, outcomes)
        for place in taken:
            if place[0] == TIMER:
                del self._ticks[partition]
            else:
                self._position[place] += 1

    def _decide(self, place: Place, ahead: int) -> Outcome:
        topic, partition = place
        decided: Outcome = (
            self._timer(self.agent, partition, self._ticks[partition])
            if self._timer and topic == TIMER
            else self.agent.decide(self._take(place, ahead))
        )
        return decided

    def _is_held(self, place: Place) -> bool:
        topic, partition = place
        if self._first is None or topic == self._first.name:
            return False
        return self._position[self._first.name, partition] < self._ends[partition]

    def _left(self, taken: list[Place]) -> list[Place]:
        topics = self.cluster.topics
        ticks = [(TIMER, number) for number in self._ticks if (TIMER, number) not in taken]
        return ticks + [
            place
            for place in self._places
            if self._position[place] + taken.count(place) < len(topics[place])
        ]


class PoolProcess(Process):
    """Handles one event after another."""

    def tick(self) -> None:
        """Send what is due; nothing dies of that."""
        for partition in range(PARTITIONS if self._timer else 0):
            for send in self._timer(self.agent, partition, self.cluster.now) if self._timer else ():
                self.cluster.append(send)

    async def _assigned(self) -> None:
        self.cluster.fuse = self._fuse
        try:
            await self.agent.assigned([self._owned(number) for number in range(PARTITIONS)])
        except Crash:
            await self.restart()

    def _released(self) -> None:
        self.agent.released()

    async def _work(self, turn: int, count: int) -> None:
        for _ in range(count):
            waiting = self.waiting()
            if not waiting:
                break
            place = waiting[turn % len(waiting)]
            lookup = partial(self._look_up, place[1])
            outcome = await self.agent.handle(self._take(place), lookup)
            await self._apply(place[1], [outcome])
            self._position[place] += 1

    def _owned(self, number: int) -> Owned:
        done = {
            topic: at for (topic, partition), at in self._position.items() if partition == number
        }
        ends = {topic: len(self.cluster.topics[topic, number]) for topic in done}
        return Owned(number, done, partial(self._rows, number), ends)

    def _look_up(self, partition: int, table: str, key: bytes) -> bytes | None:
        return self.cluster.tables[self.name, partition, table].get(key)
