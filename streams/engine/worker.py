"""One process of one stage: a Faust app, started from code."""

import asyncio
import gc
import logging
import resource
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, NoReturn

import faust
import uvloop
from prometheus_client import CollectorRegistry

from connectors.kafka.access import MAX_MESSAGE_BYTES, Access
from connectors.metrics.counters import StageMetrics
from connectors.metrics.server import new_metrics_registry, serve_metrics
from connectors.registry.codec import Codec
from streams.core.outcome import Publish, Send
from streams.engine.acks.flow import Flow, Runner
from streams.engine.acks.log_reader import LogReader
from streams.engine.acks.producer import Producer
from streams.engine.faust.changelog import Changelogs
from streams.engine.faust.patches import PatchedApp, PatchedTables
from streams.engine.faust.state import PatchedTable
from streams.engine.faust.table import Table, TableSpec
from streams.engine.gauges import Gauges
from streams.engine.life.lag import Standings
from streams.engine.life.pulse import BROKEN, Pulse, ending_on_error, leave
from streams.engine.life.watchdog import watch
from streams.engine.runners.effects import Effects
from streams.engine.runners.gathered import GatheredRunner, GatheredStage
from streams.engine.runners.lanes import LaneRunner, LaneStage
from streams.engine.runners.pool import PoolRunner, PoolStage
from streams.engine.traces.tracing import tracing
from streams.topics import Topic, group_id

if TYPE_CHECKING:
    from streams.engine.traces.spans import Tracing

TIMER = 1.0
NEW_OBJECTS = 20_000
"""So many are made between two looks for garbage; Python's 700 are a few events of ours."""
FILES = 10_240
"""Open files that a worker may have, where the system lets it; macOS allows no more."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a stage is built with: a way to publish, the partition count, a place for metrics.

    ``tracing`` is None where no traces are wanted.
    """

    publish: Publish
    partitions: int
    registry: CollectorRegistry
    tracing: "Tracing | None" = None


def _nothing(_: object) -> Mapping[str, int]:
    return {}


@dataclass(frozen=True, slots=True)
class Worker:
    """A stage as a process: what it reads, its tables, how it is built.

    Exactly one of ``lane``, ``pool`` and ``gathered`` builds the stage. ``timer`` gives what
    to send each second for an owned partition of the stage at a time (epoch
    ms). ``room`` is the number of events at work at a time. What is on the topic
    ``first`` at an assignment is done before anything else of its partition is read.
    At a stop, what is at work has ``drain`` s to finish; the rest is read again.
    After each look for messages there is none for ``lull`` s, so that more come at once.
    ``sizes`` counts what the stage has in its memory, by kind.
    """

    name: str
    reads: tuple[Topic, ...]
    lane: Callable[[Tools], LaneStage] | None = None
    pool: Callable[[Tools], AbstractAsyncContextManager[PoolStage]] | None = None
    gathered: Callable[[Tools], AbstractAsyncContextManager[GatheredStage]] | None = None
    tables: tuple[TableSpec, ...] = ()
    timer: Callable[[Any, int, int], Iterable[Send]] | None = None
    room: int = 1000
    first: Topic | None = None
    drain: float = 5.0
    lull: float = 0.0
    sizes: Callable[[Any], Mapping[str, int]] = _nothing


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where a worker runs: the way to the brokers, names, and its own state folder.

    ``member`` is unique per group and stays over restarts (Kafka's static
    membership): a worker that comes back within the session takes its
    partitions up again at once. Metrics are served on the address ``metrics``, which
    is noted in the folder ``noted``. ``codec`` is started.
    """

    access: Access
    prefix: str
    partitions: int
    state: Path
    member: str
    metrics: str
    noted: Path
    codec: Codec


def run(worker: Worker, cluster: Cluster) -> NoReturn:
    """Work until SIGTERM or SIGINT; leaves the process with a status."""
    cluster.state.mkdir(parents=True, exist_ok=True)
    _open_files()
    gc.set_threshold(NEW_OBJECTS, 20, 20)
    uvloop.install()
    logging.getLogger("faust").setLevel(logging.WARNING)
    logging.getLogger("mode").setLevel(logging.WARNING)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    app = _app(worker, cluster)
    app.finalize()
    running = faust.Worker(
        app, loop=loop, override_logging=False, redirect_stdouts=False, quiet=True
    )
    running.spinner = None
    running.execute_from_commandline()
    sys.exit(0)


def _open_files() -> None:
    """Take what the system allows of open files: a connection and a table's file is one each."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class _StageApp(PatchedApp):
    """A Faust app that has its stage built and its timer running while it is started."""

    outside: Callable[[], AbstractAsyncContextManager[None]]
    registry: CollectorRegistry

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stack = AsyncExitStack()

    async def on_start(self) -> None:
        await super().on_start()
        await self._stack.enter_async_context(self.outside())

    async def on_stop(self) -> None:
        """Leave at once when all is committed: Faust would wait for a rebalance that is on."""
        await self.finish()
        await self._stack.aclose()
        leave(BROKEN if self.crashed else 0)


def _app(worker: Worker, cluster: Cluster) -> _StageApp:
    codec = cluster.codec
    topics = {cluster.prefix + topic.name: topic for topic in worker.reads}
    app = _StageApp(group_id(cluster.prefix, worker.name), **_settings(cluster))
    app.pulse = pulse = Pulse()
    holes = LogReader(cluster.access)
    app.registry = new_metrics_registry()
    app.metrics = StageMetrics(worker.name, app.registry)
    app.changelogs = Changelogs(cluster.access)
    app.drain = worker.drain
    app.lull = worker.lull
    app.flow = Flow(topics, pulse, holes, worker.room, worker.first, app.metrics.event, codec)
    app.outputs = Producer(cluster.access, cluster.prefix, pulse, codec, app.metrics.sent)
    tables = {t.name: Table(app, t, cluster.partitions, app.outputs) for t in worker.tables}
    effects = Effects(app.outputs, tables)
    app.outside = lambda: _outside(worker, cluster, app, effects, holes)
    for name in topics:
        app.topics.add(app.topic(name))
    return app


@asynccontextmanager
async def _outside(
    worker: Worker,
    cluster: Cluster,
    app: _StageApp,
    effects: Effects,
    holes: LogReader,
) -> AsyncIterator[None]:
    """Everything that needs a running loop, from start to stop."""
    async with AsyncExitStack() as stack:
        await app.outputs.start()
        stack.push_async_callback(app.outputs.stop)
        standings = Standings(cluster.access, app, holes)
        stack.push_async_callback(holes.stop)
        stack.push_async_callback(standings.stop)
        traces = tracing(worker.name)
        tools = Tools(app.outputs.publish, cluster.partitions, app.registry, traces)
        if traces is not None:
            stack.callback(traces.stop)
            tools = replace(tools, publish=traces.publishing(tools.publish))
        stage, kind = await _stage(worker, tools, stack)
        handles = stage if traces is None else traces.stage(worker.name, stage)
        app.flow.runner = kind(worker.name, handles, effects, app.flow)
        gauges = Gauges(worker.name, app.flow, effects.tables, partial(worker.sizes, stage))
        app.registry.register(gauges)
        await stack.enter_async_context(_serving(cluster, app))
        watching = watch(standings, gauges.note)
        tasks = [asyncio.create_task(app.pulse.run()), asyncio.create_task(watching)]
        if worker.timer is not None:
            tasks.append(asyncio.create_task(_ticking(partial(worker.timer, stage), app)))
        stack.push_async_callback(_cancel, tasks)
        yield


def _serving(cluster: Cluster, app: _StageApp) -> AbstractAsyncContextManager[None]:
    file = cluster.noted / f"{cluster.member}.json"
    return serve_metrics(cluster.metrics, app.registry, file, lambda: app.flow.is_open)


async def _stage(
    worker: Worker, tools: Tools, stack: AsyncExitStack
) -> tuple[Any, Callable[[str, Any, Effects, Flow], Runner]]:
    """Build the stage, and give it with what runs its kind."""
    if worker.lane is not None:
        return worker.lane(tools), LaneRunner
    if worker.pool is not None:
        return await stack.enter_async_context(worker.pool(tools)), PoolRunner
    assert worker.gathered is not None, "a worker has a stage of one kind"
    return await stack.enter_async_context(worker.gathered(tools)), GatheredRunner


async def _ticking(timer: Callable[[int, int], Iterable[Send]], app: _StageApp) -> None:
    with ending_on_error("the timer stopped"):
        while True:
            await asyncio.sleep(TIMER - time() % TIMER)
            now, partitions = int(time() * 1000), app.flow.partitions
            await app.outputs.publish(send for each in partitions for send in timer(each, now))


async def _cancel(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _settings(cluster: Cluster) -> dict[str, Any]:
    """Faust's settings; see docs/decisions/0002 for why each differs from its default."""
    return {
        "broker": [f"kafka://{server}" for server in cluster.access.bootstrap.split(",")],
        "broker_credentials": _credentials(cluster.access),
        "store": "rocksdb://",
        "datadir": str(cluster.state),
        "topic_partitions": cluster.partitions,
        "topic_allow_declare": False,
        "topic_disable_leader": True,
        "table_standby_replicas": 0,
        "web_enabled": False,
        "stream_wait_empty": False,
        "stream_recovery_delay": 0.0,
        "key_serializer": "raw",
        "value_serializer": "raw",
        "broker_commit_interval": 1.0,
        "consumer_group_instance_id": cluster.member,
        "broker_session_timeout": 10.0,
        "broker_heartbeat_interval": 2.0,
        "consumer_auto_offset_reset": "earliest",
        "consumer_max_fetch_size": MAX_MESSAGE_BYTES,
        "Table": PatchedTable,
        "TableManager": PatchedTables,
    }


def _credentials(access: Access) -> faust.auth.Credentials | None:
    """Translate for Faust's own consumer."""
    if access.uses_sasl:
        return faust.SASLCredentials(
            username=access.user,
            password=access.password,
            ssl_context=access.ssl_context,
            mechanism=access.mechanism,
        )
    return faust.SSLCredentials(access.ssl_context) if access.ssl_context else None
