"""A stage in its process: put together from what it declares, with all that it needs to run."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from time import time
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry

from connectors.metrics.counters import StageMetrics
from streams.engine.acks.flow import Flow
from streams.engine.acks.log_reader import LogReader
from streams.engine.acks.process_flows import ProcessFlows
from streams.engine.acks.producer import Producer
from streams.engine.acks.room import Room
from streams.engine.acks.runner import Runner
from streams.engine.acks.topic_ids import watch_topics
from streams.engine.faust.app import PatchedApp
from streams.engine.faust.changelog import ChangelogReader
from streams.engine.faust.parts import AppParts
from streams.engine.faust.settings import faust_settings
from streams.engine.faust.table import ChangelogTable
from streams.engine.gauges import Gauges, StageGauges
from streams.engine.life.lag import BrokerPositions
from streams.engine.life.partitions import check_partitions
from streams.engine.life.pulse import Pulse
from streams.engine.life.watchdog import watch
from streams.engine.runners.gathered import GatheredRunner
from streams.engine.runners.lanes import LaneRunner
from streams.engine.runners.outcomes import OutcomeWriter
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from streams.engine.traces.tracing import tracing
from streams.engine.worker import Cluster, Member, Tools
from streams.values.outcome import Send
from streams.values.topics import group_id

if TYPE_CHECKING:
    from streams.engine.traces.spans import Tracing

TIMER_S = 1.0


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """What the stages of one process share."""

    cluster: Cluster
    flows: ProcessFlows
    counters: StageMetrics
    gauges: Gauges
    registry: CollectorRegistry


class RunningStage:
    """The parts of one stage in its process; ``app`` starts and stops them."""

    def __init__(self, member: Member, process: WorkerProcess) -> None:
        """Build what needs no running event loop."""
        worker, cluster = member.worker, process.cluster
        self._worker = worker
        self._process = process
        self._pulse = Pulse()
        self._log_reader = LogReader(cluster.access)
        topics = {cluster.prefix + topic.name: topic for topic in worker.reads}
        self.flow = Flow(
            topics,
            self._pulse,
            self._log_reader,
            Room(worker.room, worker.room_bytes),
            first=worker.first,
            codec=cluster.codec,
            process=process.flows,
        )
        self.flow.count = partial(process.counters.event, worker.name)
        self.flow.reported_elsewhere = {topic.name for topic in worker.reported_elsewhere}
        sent = partial(process.counters.sent, worker.name)
        self._producer = Producer(
            cluster.access, cluster.prefix, self._pulse, cluster.codec, sent, worker.linger_ms
        )
        self.app = self._build_app(member)
        # Both before the app starts: after that Faust takes no more tables.
        self.app.subscribe(list(topics))
        self._tables = {
            spec.name: ChangelogTable(
                self.app, spec.name, cluster.partitions, self._producer, spec.ttl
            )
            for spec in worker.tables
        }

    def _build_app(self, member: Member) -> PatchedApp:
        cluster, worker = self._process.cluster, member.worker
        parts = AppParts(
            flow=self.flow,
            producer=self._producer,
            pulse=self._pulse,
            changelogs=ChangelogReader(cluster.access),
            services=self._services,
            recovered=partial(self._process.counters.recovered, worker.name),
            drain=worker.drain,
            lull=worker.lull,
            turn=worker.turn,
            check=partial(check_partitions, cluster.access, cluster.deployment, cluster.partitions),
        )
        settings = faust_settings(cluster.access, cluster.partitions, member.folder, member.id)
        return PatchedApp(group_id(cluster.prefix, worker.name), parts, **settings)

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
            gauges = StageGauges(
                self._worker.name, self.flow, self._tables, partial(self._worker.sizes, stage)
            )
            self._process.gauges.add(gauges)
            _in_background(stack, self._pulse.run())
            _in_background(stack, watch(positions, gauges.note, self.flow.end))
            _in_background(stack, watch_topics(self.flow.topic_ids, self.flow.end_blameless))
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
        self.flow.runner = runner(self._worker.name, handles, writer, self.flow)
        return stage

    def _tools(self, traces: "Tracing | None") -> Tools:
        process = self._process
        publish, count = self._producer.publish, process.cluster.partitions
        tools = Tools(publish, count, process.registry, traces)
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
            throttle = Throttle(worker.on_way or worker.room)
            stage = await stack.enter_async_context(worker.pool(tools))
            return stage, partial(PoolRunner, throttle=throttle)
        assert worker.gathered is not None, "a worker has a stage of one kind"
        return await stack.enter_async_context(worker.gathered(tools)), GatheredRunner

    def _positions(self) -> BrokerPositions:
        recovery = self.app.tables.recovery
        return BrokerPositions(
            self._process.cluster.access,
            self.app.conf.id,
            inputs=self.flow,
            recovered=recovery.offsets,
            log=self._log_reader,
        )

    async def _tick(self, timer: Callable[[int, int], Iterable[Send]]) -> None:
        async with self.flow.ending("the timer stopped"):
            while True:
                # At whole seconds of the clock, however long the last round took.
                due = (time() // TIMER_S + 1) * TIMER_S
                await asyncio.sleep(due - time())
                # A loop may wake up a little early, which would still be the second before: its
                # tick is sent already, and that of this second would come a second late.
                now, partitions = int(max(due, time()) * 1000), self.flow.partitions
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
