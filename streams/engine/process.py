"""Run agents in this process until a signal, or until one of them crashes."""

import asyncio
import gc
import logging
import socket
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from contextvars import copy_context
from functools import partial
from signal import SIGINT, SIGTERM, Signals
from threading import Timer
from typing import Any, NoReturn

import structlog
import uvloop
from structlog.contextvars import bind_contextvars

from connectors.kafka.partitioning import await_repartition
from connectors.kafka_patches.batches import read_every_batch
from connectors.kafka_patches.closed_connections import report_closed_connections
from connectors.kafka_patches.planned_schemas import plan_schemas
from connectors.kafka_patches.reconnects import pause_between_connections
from connectors.metrics.counters import AgentMetrics
from connectors.metrics.gauges import Gauges
from connectors.metrics.server import new_metrics_registry, serve_metrics
from connectors.processes.malloc_trim import returning_free_memory
from connectors.processes.system import allow_open_files, remove_sockets, take_long_turns
from streams.engine.acks.process_agents import ProcessAgents
from streams.engine.agent_worker import AgentWorker, WorkerProcess
from streams.engine.faust.app import PatchedApp
from streams.engine.faust.expectations import check_libraries
from streams.engine.life.loop_watch import (
    BROKEN,
    beat_of,
    end_process,
    ending_on_error,
    leave,
    running,
)
from streams.engine.members import Cluster, Member

NEW_OBJECTS = 20_000
"""Objects made between two collections of garbage; Python's 700 are a few events of ours."""
RETURN_MEMORY_S = 60.0
STOP_TIMEOUT_S = 28.0
"""A stop ends then, however far it is: its broker may be gone."""

log = structlog.get_logger()

Leaving = Callable[[], Coroutine[Any, Any, None]]
"""Returns when the process is to let go and start again."""


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
    allow_open_files()
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
    run_apps(apps, metrics, loop, leaving)


def run_apps(
    apps: Mapping[str, PatchedApp],
    metrics: AbstractAsyncContextManager[None],
    loop: asyncio.AbstractEventLoop,
    leaving: Leaving,
) -> NoReturn:
    """Run apps, by the names of their agents, within ``metrics`` until SIGTERM or SIGINT.

    The process leaves with status 0 once all have let go. When one of them crashes, the
    others let go as at a stop, and the status is 70: the supervisor starts all of them again.
    So it is when ``leaving`` returns.
    """
    # At INFO both log every rebalance in many lines; "ready" is what an operator needs.
    logging.getLogger("faust").setLevel(logging.WARNING)
    logging.getLogger("mode").setLevel(logging.WARNING)
    for app in apps.values():
        app.finalize()

    async def run() -> int:
        async with metrics, running(returning_free_memory(RETURN_MEMORY_S)):
            return await _run(apps, leaving)

    status = loop.run_until_complete(run())
    remove_sockets()
    leave(status)


def _process_id(members: Sequence[Member]) -> str:
    """Return an id that no other process has now: no other has the first member's folder."""
    agents = "+".join(member.agent.name for member in members)
    return f"{agents}-{socket.gethostname()}-{members[0].folder.name}"


async def _run(apps: Mapping[str, PatchedApp], leaving: Leaving) -> int:
    """Return the status to leave with, once all apps have let go."""
    loop, asked = asyncio.get_running_loop(), asyncio.Event()

    def ask(signal: Signals) -> None:
        log.info("a stop was asked for", signal=signal.name)
        asked.set()

    for signal in (SIGINT, SIGTERM):
        loop.add_signal_handler(signal, ask, signal)
    contexts = {agent: copy_context() for agent in apps}
    for agent, context in contexts.items():
        context.run(bind_contextvars, agent=agent)  # each line of the log names its agent
    running = [
        asyncio.create_task(_until_crashed(app), context=contexts[agent])
        for agent, app in apps.items()
    ]
    asking, left = asyncio.create_task(asked.wait()), asyncio.create_task(_until_left(leaving))
    await asyncio.wait([asking, left, *running], return_when=asyncio.FIRST_COMPLETED)
    if left.done():
        log.info("partitions are added; this process ends, and starts again with them")
    # In a thread: the loop may wait for a broker that is gone.
    late = Timer(STOP_TIMEOUT_S, end_process, ["it could not stop in time; the rest is read again"])
    late.daemon = True
    late.start()
    try:
        # All let go before any of them closes what the others' last events may still need.
        for step in (PatchedApp.stop, PatchedApp.close_services):
            await asyncio.gather(
                *(
                    asyncio.create_task(step(app), context=contexts[agent])
                    for agent, app in apps.items()
                )
            )
    except Exception as error:  # noqa: BLE001 - whatever it is, the rest is read again
        end_process("an agent could not let go", error)
    # Only a process that is asked to leaves with status 0, unless a part crashes as its app stops.
    return 0 if asked.is_set() and not any(app.crashed for app in apps.values()) else BROKEN


async def _until_crashed(app: PatchedApp) -> None:
    """Start an app, and return when it has crashed; Faust logs why."""
    try:
        await app.start()
    except Exception as error:  # noqa: BLE001 - whatever it is, the app does not run
        await app.crash(error)
    await app.wait_until_stopped()


async def _until_left(leaving: Leaving) -> None:
    """Return when ``leaving`` does; without it no agent would see that partitions are added."""
    with ending_on_error("what says how many partitions there are cannot be read"):
        await leaving()
