"""Faust's consumer, mended: what it reads, when it may be read, and what is committed of it.

Seen on faust-streaming 0.15.3; docs/decisions/0002 has what was measured.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from aiokafka.errors import ConsumerStoppedError
from faust.transport.drivers import aiokafka
from faust.types import TP
from mode.utils.futures import maybe_async

from streams.engine.acks.flow import Flow
from streams.engine.life.pulse import ending_on_error

if TYPE_CHECKING:
    from streams.engine.faust.patches import PatchedApp

MESSAGES_PER_TURN = 50


class ConsumerInLoop(aiokafka.AIOKafkaConsumerThread):
    """Reads Kafka in the worker's event loop.

    Faust has a thread for it, so that heartbeats go on while the loop stands still, and
    pays for each look for messages with two hand-overs. A worker of ours whose loop stands
    still ends before its session does, see ``Pulse``.
    """

    async def start(self) -> None:
        """Return once the consumer is there; raises what keeps it from starting."""
        self._thread_started.set()
        self._thread_running = self.parent_loop.create_future()
        self._serving = asyncio.create_task(self._serve())
        await self._thread_running

    async def call_thread(self, fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call at once what Faust would hand to the thread."""
        return await maybe_async(fun(*args, **kwargs))

    async def _gather_remaining_tasks(self) -> None:
        """Leave the loop's other tasks alone; Faust cancels all of its thread's."""


class PatchedConsumer(aiokafka.Consumer):
    """Hands messages to the flow, and commits what it has acknowledged, in order.

    Faust's own accounting commits past events in flight where offsets have gaps. It
    also reads partitions that are paused, see ``Readable``.
    """

    def _new_consumer_thread(self) -> ConsumerInLoop:
        return ConsumerInLoop(self, loop=self.loop, thread_loop=self.loop, beacon=self.beacon)

    def _filter_tps_with_pending_acks(self, topics: Any = None) -> Iterator[TP]:
        return iter(())

    def _filter_committable_offsets(self, tps: Iterable[TP]) -> dict[TP, int]:
        flow = cast("PatchedApp", self.app).flow
        done = flow.committable()
        return {tp: offset for tp, offset in done.items() if self._should_commit(tp, offset)}

    def _should_commit(self, tp: TP, offset: int) -> bool:
        """Also go back where the log did."""
        if tp in cast("PatchedApp", self.app).flow.shortened:
            return bool(self._committed_offset[tp] != offset)
        return bool(super()._should_commit(tp, offset))

    async def _getmany(self, active_partitions: set[TP] | None, timeout: float) -> Any:  # noqa: ASYNC109 - as Faust has it
        flow = cast("PatchedApp", self.app).flow
        return await super()._getmany(cast("Any", Readable(active_partitions, flow)), timeout)

    async def _drain_messages(self, fetcher: Any) -> None:
        """Take messages past Faust's queues and streams, each of which makes tasks of them."""
        app = cast("PatchedApp", self.app)
        try:
            while not (self.should_stop or fetcher.should_stop):
                await self._drain_some(app.flow)
                await asyncio.sleep(app.lull)
        except (asyncio.CancelledError, ConsumerStoppedError):
            if not app.should_stop:
                raise

    async def _drain_some(self, flow: Flow) -> None:
        """Take what has come, else what comes within a second."""
        count = 0
        async for tp, message in self.getmany(timeout=1.0):
            with ending_on_error(f"{tp.topic} could not be read on"):
                await flow.take(message)
            self._read_offset[tp] = message.offset
            count += 1
            if count % MESSAGES_PER_TURN == 0:
                await asyncio.sleep(0)

    async def is_member(self) -> bool:
        """Ask the broker whether our assignment holds; a rebalance that begins revokes it later."""
        coordinator = self._thread._ensure_consumer()._coordinator
        return bool(await self._thread.call_thread(coordinator._do_heartbeat))

    def verify_event_path(self, now: float, tp: TP) -> None:
        """Look for nothing that stands still: the watchdog does."""


class Readable:
    """The partitions that messages may be taken from, at any moment of a long wait for some.

    Faust gives a set that it empties in a rebalance. The fetcher takes an empty set
    for all partitions, so it would go on with what was not resumed yet, and Faust
    drops that: messages after the seek, which never come again.
    """

    def __init__(self, active: set[TP] | None, flow: Flow) -> None:
        """Take Faust's own set, which changes; None for all."""
        self._active = active
        self._flow = flow

    def __contains__(self, tp: TP) -> bool:
        """Whether a partition is active, and its stage wants its messages now."""
        is_active = self._active is None or tp in self._active
        return is_active and self._flow.is_readable(TP(*tp))


class PatchedTransport(aiokafka.Transport):
    """Faust's Kafka transport with our consumer."""

    Consumer = PatchedConsumer
