"""Notice that an input topic was created again: its offsets are those of other messages then."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping

import structlog
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.life.loop_watch import ending_on_error

log = structlog.get_logger()

INTERVAL_S = 10.0
PAUSE_S = 0.5
"""Seconds until a topic that is missing is looked for again."""

Ask = Callable[[Collection[str]], Awaitable[Mapping[str, str]]]
"""Returns the ids of topics, empty if one is missing; may raise KafkaError or OSError."""


class TopicIds:
    """The ids of an agent's input topics at its assignment; none if the broker knows no ids.

    Offsets alone do not show it: the new topic may already have as many messages as were read
    of the former one.
    """

    def __init__(self, topics: Collection[str], ask: Ask) -> None:
        """``topics`` are full names."""
        self._topics = topics
        self._ask = ask
        self._ids: Mapping[str, str] = {}

    async def begin(self) -> None:
        """Look them up, before the committed offsets; raises KafkaError or OSError.

        Waits for a topic that is missing: it is being created again.
        """
        ids = await self._ask(self._topics)
        while missing := sorted(name for name in ids if not ids[name]):
            log.warning("topics are missing", topics=missing, once_a_minute="missing topics")
            await asyncio.sleep(PAUSE_S)
            ids = await self._ask(self._topics)
        self._ids = ids

    def of(self, partition: TopicPartition) -> str:
        """Return the id of a partition's topic, empty if it is not known."""
        return self._ids.get(partition.topic, "")

    def is_former(self, partition: TopicPartition, metadata: CommitMetadata) -> bool:
        """Whether metadata is of the topic that had this name before."""
        return self.of(partition) != "" and metadata.topic not in {"", self.of(partition)}

    async def recreated(self) -> list[str]:
        """Return the topics that were created since; raises KafkaError or OSError."""
        now, then = await self._ask(self._topics), self._ids
        return sorted(name for name in then if now.get(name) not in {None, "", then[name]})


async def watch_topics(topic_ids: TopicIds, end: Callable[[str], Awaitable[None]]) -> None:
    """Look until cancelled; ``end`` the process, for at its start it begins with the new topic."""
    with ending_on_error("topics are no longer compared with their ids"):
        while True:
            await asyncio.sleep(INTERVAL_S)
            try:
                names = await topic_ids.recreated()
            except (KafkaError, OSError):
                continue  # the watchdog, which asks the same broker, says so
            if names:
                listed = ", ".join(names)
                await end(f"topics were created again, and are read from their beginning: {listed}")
