"""Run a stage: put its process together from what it declares, and work until a stop."""

import asyncio
import resource
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from time import time
from typing import TYPE_CHECKING, Any, NoReturn

import uvloop

from connectors.kafka.batches import read_every_batch
from connectors.metrics.counters import StageMetrics
from connectors.metrics.server import new_metrics_registry, serve_metrics
from streams.core.outcome import Send
from streams.engine.acks.flow import Flow, Runner
from streams.engine.acks.log_reader import LogReader
from streams.engine.acks.producer import Producer
from streams.engine.acks.room import Room
from streams.engine.faust.app import PatchedApp, run_app
from streams.engine.faust.changelog import ChangelogReader
from streams.engine.faust.expectations import check_libraries
from streams.engine.faust.parts import AppParts
from streams.engine.faust.settings import faust_settings
from streams.engine.faust.table import ChangelogTable
from streams.engine.gauges import Gauges
from streams.engine.life.lag import BrokerPositions
from streams.engine.life.pulse import Pulse
from streams.engine.life.watchdog import watch
from streams.engine.runners.garbage import collect_seldom
from streams.engine.runners.gathered import GatheredRunner
from streams.engine.runners.lanes import LaneRunner
from streams.engine.runners.outcomes import OutcomeWriter
from streams.engine.runners.pool import PoolRunner
from streams.engine.traces.tracing import tracing
from streams.engine.worker import Cluster, Tools, Worker
from streams.topics import group_id

if TYPE_CHECKING:
    from streams.engine.traces.spans import Tracing

TIMER_S = 1.0
OPEN_FILES = 10_240
"""How many a worker may have, if the system lets it; macOS allows no more."""


def run_worker(worker: Worker, cluster: Cluster) -> NoReturn:
    """Work until SIGTERM or SIGINT; leaves the process with a status.

    Raises UnexpectedLibrary if the patches of Faust would not be in force.
    """
    check_libraries()
    read_every_batch()
    cluster.state.mkdir(parents=True, exist_ok=True)
    _allow_open_files()
    collect_seldom()
    # Much faster under load than asyncio's own loop.
    uvloop.install()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    run_app(StageProcess(worker, cluster).app, loop)


class StageProcess:
    """The parts of one process of a stage; ``app`` starts and stops them."""

    def __init__(self, worker: Worker, cluster: Cluster) -> None:
        """Build what needs no running event loop."""
        self._worker = worker
        self._cluster = cluster
        self._registry = new_metrics_registry()
        self._pulse = Pulse()
        self._log_reader = LogReader(cluster.access)
        metrics = StageMetrics(worker.name, self._registry)
        topics = {cluster.prefix + topic.name: topic for topic in worker.reads}
        self._flow = Flow(
            topics,
            self._pulse,
            self._log_reader,
            Room(worker.room, worker.room_bytes),
            first=worker.first,
            count=metrics.event,
            codec=cluster.codec,
        )
        self._producer = Producer(
            cluster.access, cluster.prefix, self._pulse, cluster.codec, metrics.sent
        )
        self.app = self._build_app(metrics)
        # Both before the app starts: after that Faust takes no more tables.
        self.app.subscribe(list(topics))
        self._tables = {
            spec.name: ChangelogTable(
                self.app, spec.name, cluster.partitions, self._producer, spec.ttl
            )
            for spec in worker.tables
        }

    def _build_app(self, metrics: StageMetrics) -> PatchedApp:
        cluster = self._cluster
        parts = AppParts(
            flow=self._flow,
            producer=self._producer,
            pulse=self._pulse,
            changelogs=ChangelogReader(cluster.access),
            services=self._services,
            recovered=metrics.recovered,
            drain=self._worker.drain,
            lull=self._worker.lull,
        )
        settings = faust_settings(cluster.access, cluster.partitions, cluster.state, cluster.member)
        return PatchedApp(group_id(cluster.prefix, self._worker.name), parts, **settings)

    @asynccontextmanager
    async def _services(self) -> AsyncIterator[None]:
        """Start everything that needs a running loop; stop it in the opposite order."""
        async with AsyncExitStack() as stack:
            # The producer is started first and stopped last: all others send with it.
            await self._producer.start()
            stack.push_async_callback(self._producer.stop)
            positions = self._positions()
            stack.push_async_callback(self._log_reader.stop)
            stack.push_async_callback(positions.stop)
            stage = await self._start_stage(stack)
            gauges = Gauges(
                self._worker.name, self._flow, self._tables, partial(self._worker.sizes, stage)
            )
            self._registry.register(gauges)
            await stack.enter_async_context(self._serve_metrics())
            _in_background(stack, self._pulse.run())
            _in_background(stack, watch(positions, gauges.note, self._flow.end))
            if self._worker.timer is not None:
                _in_background(stack, self._tick(partial(self._worker.timer, stage)))
            yield

    async def _start_stage(self, stack: AsyncExitStack) -> Any:
        """Build the stage, traced if that is wanted, and let it handle the flow's events."""
        traces = tracing(self._worker.name)
        if traces is not None:
            stack.callback(traces.stop)
        stage, runner = await self._build_stage(self._tools(traces), stack)
        handles = stage if traces is None else traces.stage(self._worker.name, stage)
        writer = OutcomeWriter(self._producer, self._tables)
        self._flow.runner = runner(self._worker.name, handles, writer, self._flow)
        return stage

    def _tools(self, traces: "Tracing | None") -> Tools:
        tools = Tools(self._producer.publish, self._cluster.partitions, self._registry, traces)
        if traces is None:
            return tools
        return replace(tools, publish=traces.publishing(tools.publish))

    async def _build_stage(
        self, tools: Tools, stack: AsyncExitStack
    ) -> tuple[Any, Callable[[str, Any, OutcomeWriter, Flow], Runner]]:
        """Return the stage, and the runner of its kind."""
        worker = self._worker
        if worker.lane is not None:
            return worker.lane(tools), LaneRunner
        if worker.pool is not None:
            return await stack.enter_async_context(worker.pool(tools)), PoolRunner
        assert worker.gathered is not None, "a worker has a stage of one kind"
        return await stack.enter_async_context(worker.gathered(tools)), GatheredRunner

    def _positions(self) -> BrokerPositions:
        recovery = self.app.tables.recovery
        return BrokerPositions(
            self._cluster.access,
            self.app.conf.id,
            inputs=self._flow,
            recovered=recovery.offsets,
            log=self._log_reader,
        )

    def _serve_metrics(self) -> AbstractAsyncContextManager[None]:
        cluster, flow = self._cluster, self._flow
        file = cluster.noted / f"{cluster.member}.json"
        return serve_metrics(cluster.metrics, self._registry, file, lambda: flow.is_open)

    async def _tick(self, timer: Callable[[int, int], Iterable[Send]]) -> None:
        async with self._flow.ending("the timer stopped"):
            while True:
                # At whole seconds of the clock, however long the last round took.
                await asyncio.sleep(TIMER_S - time() % TIMER_S)
                now, partitions = int(time() * 1000), self._flow.partitions
                sends = (send for partition in partitions for send in timer(partition, now))
                await self._producer.publish(sends)


def _in_background(stack: AsyncExitStack, work: Coroutine[Any, Any, None]) -> None:
    """Run work until the stack is closed."""
    task = asyncio.create_task(work)

    async def cancel() -> None:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(cancel)


def _allow_open_files() -> None:
    """Raise the limit of open files: each connection and each file of a table is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
