"""An agent in its process: put together from what it declares, with all that it needs to run."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry

from connectors.kafka.admin import admin_client
from connectors.kafka.log_reader import LogReader
from connectors.kafka.partitioning import are, partitioned
from connectors.metrics.counters import AgentMetrics
from connectors.metrics.gauges import Gauges
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.capacity import Capacity
from streams.engine.acks.flow import Flow
from streams.engine.acks.process_agents import ProcessAgents
from streams.engine.acks.producer import Producer
from streams.engine.acks.runner import Runner
from streams.engine.acks.topic_ids import watch_topics
from streams.engine.acks.watchdog import BrokerPositions, watch
from streams.engine.faust.app import PatchedApp
from streams.engine.faust.changelog import ChangelogReader
from streams.engine.faust.foreign_records import ChangelogWatch
from streams.engine.faust.parts import AppParts
from streams.engine.faust.settings import faust_settings
from streams.engine.faust.table import ChangelogTable
from streams.engine.gauges import AgentGauges
from streams.engine.life.loop_watch import LoopWatch, end_process, running
from streams.engine.members import Cluster, Member, Tools
from streams.engine.runners.batched import BatchedRunner
from streams.engine.runners.handling import Handling
from streams.engine.runners.ordered import OrderedRunner
from streams.engine.runners.outcomes import OutcomeWriter
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from streams.engine.timer import Timer, sending
from streams.engine.traces.tracing import tracing
from streams.values.agent import group_id


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """The parts that the agents of one process share."""

    cluster: Cluster
    agents: ProcessAgents
    counters: AgentMetrics
    gauges: Gauges
    registry: CollectorRegistry
    beat_s: float


class AgentWorker:
    """The parts of one agent in its process; ``app`` starts and stops them."""

    def __init__(self, member: Member, process: WorkerProcess) -> None:
        """Build what needs no running event loop."""
        agent, cluster = member.agent, process.cluster
        self._member = member
        self._agent = agent
        self._process = process
        self._loop_watch = LoopWatch(cluster.session)
        self._changelogs = ChangelogReader(cluster.access)
        self.acks = Acknowledgements(
            {cluster.prefix + topic.name: topic for topic in agent.reads},
            LogReader(cluster.access),
            self._loop_watch,
            Capacity(agent.max_in_flight, agent.max_in_flight_bytes),
            first=agent.first,
        )
        sent = partial(process.counters.sent, agent.name)
        self._producer = Producer(
            cluster.access, cluster.prefix, self._loop_watch, cluster.codec, sent
        )
        self.app = self._build_app(member)
        # Both before the app starts: after that Faust takes no more tables.
        self.app.subscribe(list(self.acks.topics))
        self._tables = {
            table.name: ChangelogTable(
                self.app,
                table.name,
                cluster.partitions,
                self._producer,
                self._changelogs,
                table.ttl_s(cluster.retention_ms),
            )
            for table in agent.tables
        }
        self._writer = OutcomeWriter(
            lambda sends: self._producer.publish(agent.joined(sends)),
            self._tables,
            agent.linger_ms / 1000,
        )

    def _build_app(self, member: Member) -> PatchedApp:
        cluster, agent = self._process.cluster, member.agent
        parts = AppParts(
            acks=self.acks,
            producer=self._producer,
            loop_watch=self._loop_watch,
            changelogs=self._changelogs,
            services=self._services,
            recovered=partial(self._process.counters.recovered, agent.name),
            agent=agent,
            beat_s=self._process.beat_s,
            check=self._check_partitions,
            drop_id=member.drop_id,
        )
        settings = faust_settings(
            cluster.access,
            cluster.partitions,
            member.folder,
            member.id,
            cluster.session.timeout_s,
        )
        return PatchedApp(group_id(cluster.prefix, agent.name), parts, **settings)

    async def _check_partitions(self) -> None:
        """End the process if its deployment has other partitions, or will; raises KafkaError."""
        cluster = self._process.cluster
        if not are(await partitioned(cluster.access, cluster.deployment), cluster.partitions):
            end_process("partitions are added; it starts again with them")

    @asynccontextmanager
    async def _services(self) -> AsyncIterator[Flow]:
        """Start everything that needs a running loop; stop it in the opposite order."""
        process = self._process.agents
        async with AsyncExitStack() as stack:
            # The producer is started first and stopped last: all others send with it.
            await self._producer.start()
            stack.push_async_callback(self._producer.stop)
            admin = await stack.enter_async_context(admin_client(self._process.cluster.access))
            positions = BrokerPositions(
                admin,
                self.app.conf.id,
                acks=self.acks,
                recovered=self.app.tables.recovery.offsets,
            )
            stack.push_async_callback(self.acks.log_reader.stop)
            process.add(self.acks, self.app.commit_now)
            processor, flow, timer = await self._start(stack)
            gauges = AgentGauges(self.acks, self._tables, processor.sizes, timer=timer)
            self._process.gauges.add(self._agent.name, gauges.values)
            end_blameless = partial(process.end, self.acks, is_blameless=True)
            works = [
                self._loop_watch.run(self._process.beat_s),
                watch(positions, gauges.note, partial(process.end, self.acks)),
                watch_topics(self.acks.topic_ids, end_blameless),
            ]
            if timer is not None:
                works.append(timer.run())
            if self._tables:
                works.append(ChangelogWatch(self._tables, self.acks, self._writer.apply).run())
            for work in works:
                await stack.enter_async_context(running(work))
            yield flow

    async def _start(self, stack: AsyncExitStack) -> tuple[Any, Flow, Timer | None]:
        """Build the processor, traced if that is wanted, the flow of its events, and its timer."""
        agent, process = self._agent, self._process
        traces = tracing(agent.name)
        if traces is not None:
            stack.callback(traces.stop)
        plain = self._producer.publish
        publish = plain if traces is None else traces.publishing(plain)
        tools = Tools(publish, process.cluster.partitions, process.registry, traces)
        processor = await stack.enter_async_context(self._member.build(tools))
        handles = processor if traces is None else traces.agent(agent.name, processor)
        count = partial(process.counters.event, agent.name)
        elsewhere = {topic.name for topic in self._member.reported_elsewhere}
        handling = Handling(agent.name, self.acks, process.agents, count, elsewhere)
        runner = self._runner(handles, handling)
        codec, commit = process.cluster.codec, self.app.commit_now
        flow = Flow(self.acks, codec, runner, process.agents, commit=commit)
        timer = None
        if agent.timer_s is not None:  # it decides in the lanes, or sends
            tick = sending(processor.tick, plain)
            if isinstance(runner, OrderedRunner):
                tick = runner.tick
            timer = Timer(self.acks, process.agents, tick, agent.timer_s)
        return processor, flow, timer

    def _runner(self, processor: Any, handling: Handling) -> Runner:
        agent, writer = self._agent, self._writer
        if agent.runner == "ordered":
            return OrderedRunner(processor, writer, handling)
        if agent.runner == "batched":
            return BatchedRunner(processor, writer, handling)
        throttle = Throttle(agent.max_in_progress or agent.max_in_flight)
        return PoolRunner(processor, writer, handling, throttle)
