"""Run agents in this process, and leave it with a status."""

import asyncio
import gc
import resource
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import NoReturn

import uvloop

from connectors.kafka.partitioning import await_repartition
from connectors.kafka_patches.batches import read_every_batch
from connectors.kafka_patches.closed_connections import report_closed_connections
from connectors.kafka_patches.planned_schemas import plan_schemas
from connectors.kafka_patches.reconnects import pause_between_connections
from connectors.metrics.counters import AgentMetrics
from connectors.metrics.server import new_metrics_registry, serve_metrics
from connectors.processes.malloc_trim import returning_free_memory
from streams.engine.acks.process_agents import ProcessAgents
from streams.engine.agent_worker import AgentWorker, WorkerProcess
from streams.engine.faust.expectations import check_libraries
from streams.engine.faust.running import run_apps
from streams.engine.gauges import Gauges
from streams.engine.life.long_turns import take_long_turns
from streams.engine.life.loop_watch import beat_of, running
from streams.engine.members import Cluster, Member

NEW_OBJECTS = 20_000
"""Objects made between two collections of garbage; Python's 700 are a few events of ours."""
OPEN_FILES = 10_240
"""Files that a process may have, if the system lets it; macOS allows no more."""
RETURN_MEMORY_S = 60.0


def run_workers(members: Sequence[Member], cluster: Cluster) -> NoReturn:
    """Run a worker of each of some agents until SIGTERM or SIGINT; leaves the process.

    Raises UnexpectedLibrary if the patches of Faust would not be in force.
    """
    check_libraries()
    take_long_turns()
    read_every_batch()
    report_closed_connections()
    pause_between_connections()
    plan_schemas()
    _allow_open_files()
    gc.set_threshold(NEW_OBJECTS, 20, 20)
    # Much faster under load than asyncio's own loop.
    uvloop.install()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    registry, gauges = new_metrics_registry(), Gauges()
    registry.register(gauges)
    beat_s = beat_of(members[0].id)
    process = WorkerProcess(
        cluster, ProcessAgents(), AgentMetrics(registry), gauges, registry, beat_s
    )
    agents = {member.agent.name: AgentWorker(member, process) for member in members}
    acks = [agent.acks for agent in agents.values()]
    noted = cluster.noted / f"{_process_id(members)}.json"
    metrics = serve_metrics(
        cluster.metrics, registry, noted, lambda: all(each.capacity.is_open for each in acks)
    )
    leaving = partial(await_repartition, cluster.access, cluster.deployment, cluster.partitions)
    apps = {name: agent.app for name, agent in agents.items()}
    run_apps(apps, _beside(metrics), loop, leaving)


@asynccontextmanager
async def _beside(metrics: AbstractAsyncContextManager[None]) -> AsyncIterator[None]:
    async with metrics, running(returning_free_memory(RETURN_MEMORY_S)):
        yield


def _process_id(members: Sequence[Member]) -> str:
    """Return an id that no other process has now: no other has the first member's folder."""
    agents = "+".join(member.agent.name for member in members)
    return f"{agents}-{socket.gethostname()}-{members[0].folder.name}"


def _allow_open_files() -> None:
    """Raise the limit of open files: each connection and each file of a table is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
