"""A stage in its process: put together from what it declares, with all that it needs to run."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from prometheus_client import CollectorRegistry

from connectors.kafka.partitioning import are, partitioned
from connectors.metrics.counters import StageMetrics
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.broker_positions import BrokerPositions
from streams.engine.acks.capacity import Capacity
from streams.engine.acks.decoding import EventDecoder
from streams.engine.acks.flow import Flow
from streams.engine.acks.log_reader import LogReader
from streams.engine.acks.process_stages import ProcessStages
from streams.engine.acks.producer import Producer
from streams.engine.acks.runner import Runner
from streams.engine.acks.topic_ids import watch_topics
from streams.engine.faust.app import PatchedApp
from streams.engine.faust.changelog import ChangelogReader
from streams.engine.faust.parts import AppParts
from streams.engine.faust.settings import faust_settings
from streams.engine.faust.table import ChangelogTable
from streams.engine.gauges import Gauges, StageGauges
from streams.engine.life.loop_watch import LoopWatch, end_process
from streams.engine.life.watchdog import watch
from streams.engine.runners.batched import BatchedRunner
from streams.engine.runners.handling import Handling
from streams.engine.runners.ordered import LaneTimer, OrderedRunner
from streams.engine.runners.outcomes import OutcomeWriter
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from streams.engine.timer import Timer, sending
from streams.engine.traces.tracing import tracing
from streams.engine.worker import Cluster, Member, Tools
from streams.values.topics import group_id

if TYPE_CHECKING:
    from streams.engine.traces.spans import Tracing
    from streams.values.outcome import Send


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """What the stages of one process share."""

    cluster: Cluster
    stages: ProcessStages
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
        self._loop_watch = LoopWatch()
        self._log_reader = LogReader(cluster.access)
        self._topics = {cluster.prefix + topic.name: topic for topic in worker.reads}
        self.acks = Acknowledgements(
            self._topics,
            self._log_reader,
            self._loop_watch,
            Capacity(worker.max_in_flight, worker.max_in_flight_bytes),
            first=worker.first,
        )
        sent = partial(process.counters.sent, worker.name)
        self._producer = Producer(
            cluster.access, cluster.prefix, self._loop_watch, cluster.codec, sent, worker.linger_ms
        )
        self.app = self._build_app(member)
        # Both before the app starts: after that Faust takes no more tables.
        self.app.subscribe(list(self._topics))
        self._tables = {
            spec.name: ChangelogTable(
                self.app, spec.name, cluster.partitions, self._producer, spec.ttl
            )
            for spec in worker.tables
        }

    def _build_app(self, member: Member) -> PatchedApp:
        cluster, worker = self._process.cluster, member.worker
        parts = AppParts(
            acks=self.acks,
            producer=self._producer,
            loop_watch=self._loop_watch,
            changelogs=ChangelogReader(cluster.access),
            services=self._services,
            recovered=partial(self._process.counters.recovered, worker.name),
            drain_s=worker.drain_s,
            poll_pause_s=worker.poll_pause_s,
            messages_per_yield=worker.messages_per_yield,
            check=self._check_partitions,
        )
        settings = faust_settings(cluster.access, cluster.partitions, member.folder, member.id)
        return PatchedApp(group_id(cluster.prefix, worker.name), parts, **settings)

    async def _check_partitions(self) -> None:
        """End the process if its deployment has other partitions, or will; raises KafkaError."""
        cluster = self._process.cluster
        if not are(await partitioned(cluster.access, cluster.deployment), cluster.partitions):
            end_process("partitions are added; it starts again with them")

    @asynccontextmanager
    async def _services(self) -> AsyncIterator[Flow]:
        """Start everything that needs a running loop; stop it in the opposite order."""
        process = self._process.stages
        async with AsyncExitStack() as stack:
            # The producer is started first and stopped last: all others send with it.
            await self._producer.start()
            stack.push_async_callback(self._producer.stop)
            positions = BrokerPositions(
                self._process.cluster.access,
                self.app.conf.id,
                acks=self.acks,
                recovered=self.app.tables.recovery.offsets,
                log=self._log_reader,
            )
            stack.push_async_callback(self._log_reader.stop)
            stack.push_async_callback(positions.stop)
            process.add(self.acks, self.app.commit_now)
            stage, flow, timer = await self._start_stage(stack)
            gauges = StageGauges(
                self._worker.name,
                self.acks,
                self._tables,
                partial(self._worker.sizes, stage),
                timer=timer,
            )
            self._process.gauges.add(gauges)
            _in_background(stack, self._loop_watch.run())
            _in_background(stack, watch(positions, gauges.note, partial(process.end, self.acks)))
            end_blameless = partial(process.end_blameless, self.acks)
            _in_background(stack, watch_topics(self.acks.topic_ids, end_blameless))
            if timer is not None:
                _in_background(stack, timer.run())
            yield flow

    async def _start_stage(self, stack: AsyncExitStack) -> tuple[Any, Flow, Timer | None]:
        """Build the stage, traced if that is wanted, the flow of its events, and its timer."""
        worker, process = self._worker, self._process
        traces = tracing(worker.name)
        if traces is not None:
            stack.callback(traces.stop)
        stage, new_runner = await self._build_stage(self._tools(traces), stack)
        handles = stage if traces is None else traces.stage(worker.name, stage)
        writer = OutcomeWriter(self._producer.publish, self._tables)
        count = partial(process.counters.event, worker.name)
        elsewhere = {topic.name for topic in worker.reported_elsewhere}
        handling = Handling(worker.name, self.acks, process.stages, count, elsewhere)
        runner = new_runner(handles, writer, self.acks, handling)
        decoder = EventDecoder(self._topics, process.cluster.codec)
        flow = Flow(self.acks, decoder, runner, process.stages, commit=self.app.commit_now)
        return stage, flow, self._timer(stage, runner)

    def _timer(self, stage: Any, runner: Runner) -> Timer | None:
        """Return the timer of the stage, if it has one: it decides in the lanes, or sends."""
        if self._worker.timer is None:
            return None
        if isinstance(runner, OrderedRunner):
            return Timer(self.acks, self._process.stages, runner.tick)
        sends = cast("Callable[[int, int], Iterable[Send]]", partial(self._worker.timer, stage))
        return Timer(self.acks, self._process.stages, sending(sends, self._producer.publish))

    def _tools(self, traces: "Tracing | None") -> Tools:
        process = self._process
        publish, count = self._producer.publish, process.cluster.partitions
        tools = Tools(publish, count, process.registry, traces)
        if traces is None:
            return tools
        return replace(tools, publish=traces.publishing(tools.publish))

    async def _build_stage(
        self, tools: Tools, stack: AsyncExitStack
    ) -> tuple[Any, Callable[[Any, OutcomeWriter, Acknowledgements, Handling], Runner]]:
        """Return the stage, and the runner of its kind."""
        worker = self._worker
        if worker.ordered is not None:
            ordered = worker.ordered(tools)
            timer = None if worker.timer is None else partial(worker.timer, ordered)
            return ordered, partial(OrderedRunner, timer=cast("LaneTimer | None", timer))
        if worker.pool is not None:
            throttle = Throttle(worker.max_in_progress or worker.max_in_flight)
            stage = await stack.enter_async_context(worker.pool(tools))
            return stage, partial(PoolRunner, throttle=throttle)
        assert worker.batched is not None, "a worker has a stage of one kind"
        return await stack.enter_async_context(worker.batched(tools)), BatchedRunner


def _in_background(stack: AsyncExitStack, work: Coroutine[Any, Any, None]) -> None:
    """Run work until the stack is closed."""
    task = asyncio.create_task(work)

    async def cancel() -> None:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(cancel)
