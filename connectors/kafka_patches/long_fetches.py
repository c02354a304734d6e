"""Let a consumer's fetches wait the longer at the broker the longer no message has come.

A broker answers a fetch at once when a message comes, so a long wait delays none, but spares
requests. Only work after the end of a fetch would be delayed. Seen on aiokafka 0.14.0.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.client import ConnectionGroup
from aiokafka.errors import KafkaConnectionError, NodeNotReadyError
from aiokafka.protocol.fetch import FetchRequest

from connectors.kafka_patches.metadata_updates import PAUSE_S, pause_between_updates
from connectors.kafka_patches.wanted_partitions import WantedPartitions

FETCHES = "fetches"
"""The group of the connections for fetches only: a broker answers the requests of a connection in
their order, and those of metadata and offsets would wait for a fetch."""
LONGEST_MS = 30_000
"""Below the 40 s for which aiokafka waits for the answer to a request."""
LOOK_EVERY_S = 2.0
"""Seconds after which a consumer looks for something to fetch, though nothing says so."""


class _Nothing(NamedTuple):
    """The result of an interrupted fetch."""

    topics: tuple[()] = ()


class LongFetches:
    """Doubles the wait of a consumer's fetches with each empty result.

    aiokafka asks a broker for nothing else while a fetch waits there. So a fetch without a
    partition waits no longer than by default, and all end when a position is set or a partition has
    moved to another broker.
    """

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        is_wanted: Callable[[TopicPartition], bool] = lambda _: True,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``consumer`` is started, and fetches only the ``is_wanted`` part of its assignment.

        ``sleep`` waits for so many seconds.
        """
        # aiokafka has no public way to any of these.
        self._fetcher = consumer._fetcher  # noqa: SLF001
        self._client = consumer._client  # noqa: SLF001
        self._send = self._client.send
        self._partitions = WantedPartitions(consumer, is_wanted)
        self._sleep = sleep
        self._shortest = self._wait = self._fetcher._fetch_max_wait_ms  # noqa: SLF001
        self._waiting: set[int] = set()
        """Brokers at which a fetch waits."""
        self._interrupted: set[int] = set()
        self._leaders: dict[Any, int] = {}
        self._client.send = self.send
        pause_between_updates(self._client)
        self._client.cluster.add_listener(self._note_leaders)
        self._fetcher._fetcher_timeout = LOOK_EVERY_S  # noqa: SLF001
        for name in ("seek_to", "request_offset_reset"):
            setattr(self._fetcher, name, self._interrupting(getattr(self._fetcher, name)))

    async def send(
        self, node_id: int, request: Any, *, group: ConnectionGroup = ConnectionGroup.DEFAULT
    ) -> Any:
        """Send a request; a fetch on its own connection, and with as long a wait as is due."""
        if not isinstance(request, FetchRequest):
            return await self._send(node_id, request, group=group)
        # Before the wait is chosen, because a position may be set while this connects.
        if not await self._client.ready(node_id, group=FETCHES):
            raise NodeNotReadyError(f"broker {node_id} cannot be reached")
        is_whole = self._is_whole(node_id, request)
        request._max_wait_ms = self._wait if is_whole else self._shortest  # noqa: SLF001
        answer = await self._fetched(node_id, request)
        if not isinstance(answer, _Nothing):
            has_found = any(part[-1] for _, parts in answer.topics for part in parts)
            self._wait = self._shortest if has_found else min(2 * self._wait, LONGEST_MS)
            # A broker answers at once if it does not lead a partition (any more), and aiokafka
            # asks it again at once.
            if any(part[1] for _, parts in answer.topics for part in parts):
                await self._sleep(PAUSE_S)
        # aiokafka may look at two brokers' answers one step before it knows that the second one
        # can be asked again, and would look next when nothing has happened for LOOK_EVERY_S.
        if len(self._client.cluster.brokers()) > 1:
            asyncio.get_running_loop().call_soon(self._look)
        return answer

    def interrupt(self) -> None:
        """End the waiting fetches; the next wait no longer than by default."""
        self._wait = self._shortest
        for node_id in self._waiting - self._interrupted:
            self._interrupted.add(node_id)
            self._close(node_id)

    def _is_whole(self, node_id: int, request: FetchRequest) -> bool:
        """Whether a fetch includes all partitions available during its wait.

        aiokafka leaves out partitions with waiting messages, or paused. The request is asked, not
        the consumer, whose state may have changed since.
        """
        if self._wait == self._shortest:
            return True
        asked = {
            TopicPartition(topic, part[0]) for topic, parts in request.topics for part in parts
        }
        leader = self._client.cluster.leader_for_partition
        return all(tp in asked or leader(tp) != node_id for tp in self._partitions.assigned())

    def _look(self) -> None:
        self._fetcher._notify(self._fetcher._wait_consume_future)  # noqa: SLF001

    async def _fetched(self, node_id: int, request: FetchRequest) -> Any:
        self._waiting.add(node_id)
        try:
            return await self._send(node_id, request, group=FETCHES)
        except KafkaConnectionError:
            if node_id not in self._interrupted:
                raise
            return _Nothing()
        except asyncio.CancelledError:
            # Another assignment: its first fetch would wait for the answer to this one.
            self._close(node_id)
            raise
        finally:
            self._waiting.discard(node_id)
            self._interrupted.discard(node_id)

    def _interrupting(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any) -> Any:
            result = call(*args)
            self.interrupt()
            return result

        return called

    def _note_leaders(self, cluster: Any) -> None:
        leaders = {tp: cluster.leader_for_partition(tp) for tp in self._partitions.assigned()}
        if leaders != self._leaders:
            self._leaders = leaders
            self.interrupt()

    def _close(self, node_id: int) -> None:
        self._wait = self._shortest
        connection = self._client._conns.pop((node_id, FETCHES), None)  # noqa: SLF001
        if connection is not None:
            connection.close()
