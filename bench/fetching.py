"""A fetch agent with its own pages, commanded as the ticker does it."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import cycle, islice

from aiokafka import AIOKafkaProducer

from bench.deployed import Behind, done
from bench.measuring import Say
from bench.race.site import Mode
from bench.race.watched import Watched
from schemas.codec import wire
from schemas.records.fetches import Due, FetchDue
from schemas.records.topics import FETCHES
from schemas.records.urls import host
from streams.agents.ticker.commands import MAX_DUE
from streams.effects.clock import now
from streams.settings import Settings
from streams.values.ids import content_id
from streams.values.partitions import partition_of

CHUNK = 500
"""Pages in one command: of more than two such lots, new pages would be put off."""
TIMEOUT_S = 120.0
TENTH = 10


class Watches:
    """All watches of one deployment."""

    def __init__(
        self, settings: Settings, kafka: AIOKafkaProducer, behind: Behind, pages: Sequence[str]
    ) -> None:
        """``behind`` counts the commands that are not done."""
        self.behind = behind
        self._settings = settings
        self._kafka = kafka
        self._count = len(pages)
        self._turns = cycle(pages)

    async def command(self, count: int) -> int:
        """Command the next pages to be fetched, in a cycle; return how many."""
        slot = now()
        by_partition: defaultdict[int, list[Due]] = defaultdict(list)
        for url in islice(self._turns, min(count, self._count)):
            place = partition_of(host(url), self._settings.partitions)
            by_partition[place].append(Due(url, content_id(url), slot))
        topic = self._settings.topic_prefix + FETCHES.name
        for place, due in by_partition.items():
            for start in range(0, len(due), MAX_DUE):
                command = wire.encode(FetchDue(tuple(due[start : start + MAX_DUE])))
                await self._kafka.send(topic, command, partition=place)
        await self._kafka.flush()
        return min(count, self._count)

    async def read(self, watched: Watched, say: Say) -> None:
        """Fetch all pages for the first time, and once more for those that were put off.

        The site counts the fetches: a command counts as done while its pages still wait.
        """
        await self._pass(watched, say)
        await self._pass(watched, say)

    async def _pass(self, watched: Watched, say: Say) -> None:
        reported = 0
        await watched.begin(Mode())
        for start in range(0, self._count, CHUNK):
            await self.command(min(CHUNK, self._count - start))
            await watched.fetched(start, TIMEOUT_S)
            if start * TENTH // self._count > reported:
                reported = start * TENTH // self._count
                say(f"  {reported * TENTH} % of {self._count:,} are read")
        await watched.fetched(self._count, TIMEOUT_S)
        await done(self.behind)
