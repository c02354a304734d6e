"""A whole deployment on this machine: broker, topics, the agents and the API."""

import asyncio
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from connectors.browser.finding import HOW_TO_INSTALL, find_browser
from connectors.reads.deployment_health import deployment_id
from infra.broker import LocalBroker
from infra.errors import InfraError
from infra.identity import KAFKA_DEFAULT
from streams.app import AGENTS, API
from streams.cli.discovery import RunningDeployment, forget_deployment
from streams.cli.local.fork_server import ForkServer
from streams.cli.local.locks import UP_LOCK, exclusive_lock, shared_folder_notes
from streams.cli.local.readiness import await_ready, check_port
from streams.cli.local.supervisor import SupervisedProcess, keep_logs_small, vokter_command
from streams.cli.output import Say
from streams.cli.setup.preparation import claim_signing_key, prepare_deployment
from streams.cli.setup.release import note_release
from streams.settings import Settings
from streams.values.agent import COMMON_PROCESS

Keep = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]
"""Runs work until its task is cancelled."""

NO_BROWSER = f"Pages that need scripts wait: {HOW_TO_INSTALL}"


@asynccontextmanager
async def deployment(
    settings: Settings, say: Say, *, is_apart: bool = False, server: ForkServer | None = None
) -> AsyncIterator[Settings]:
    """Start everything, and stop everything at the end.

    Args:
        settings: of the deployment; without ``kafka`` a local broker is started.
        say: prints progress.
        is_apart: start a process for each agent, instead of one or three for all of them.
        server: forks the processes; without one each imports what it needs.

    Yields:
        The settings, with the broker's address.

    Raises:
        NotReady, AlreadyRunning, InfraError, TopicsError: the text says what to do.
    """
    async with AsyncExitStack() as stack:
        for note in shared_folder_notes(settings):
            say(note)
        stack.enter_context(exclusive_lock(settings.data_dir / UP_LOCK, "'vokter up'"))
        check_port(settings)
        keep = await stack.enter_async_context(_keepers())
        if settings.kafka is None:
            settings = await _broker(settings, stack, keep, say)
        say(f"Creating topics on {settings.kafka} ...")
        store = await prepare_deployment(settings)
        note_release(settings.data_dir)
        own = deployment_id(await claim_signing_key(settings), settings.kafka or "", store)
        browser = find_browser(settings.browser)
        say(f"Pages that need scripts are rendered with {browser}" if browser else NO_BROWSER)
        # Each process that is not forked takes as much memory and time to start as the first.
        cores = 1 if server is None else os.cpu_count() or 1
        commands = _commands(is_apart, renders=browser is not None, cores=cores)
        await _processes(settings, stack, keep, say, commands, server)
        await await_ready(settings, own, say)
        yield settings


@asynccontextmanager
async def _keepers() -> AsyncIterator[Keep]:
    """Yield a function to run work in the background; an error of the work ends the block."""
    owner, errors = asyncio.current_task(), list[BaseException]()
    assert owner is not None, "it is run by asyncio"

    def ended(task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            errors.append(error)
            owner.cancel()

    def keep(work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        task.add_done_callback(ended)
        return task

    try:
        yield keep
    except asyncio.CancelledError:
        if not errors:
            raise
        owner.uncancel()
        raise InfraError(f"A part of 'vokter up' has failed: {errors[0]!r}") from errors[0]


async def _broker(settings: Settings, stack: AsyncExitStack, keep: Keep, say: Say) -> Settings:
    broker = LocalBroker(settings.local_broker)
    say("Starting a local Kafka broker ...")
    try:
        await asyncio.to_thread(broker.start)
    except asyncio.CancelledError:
        broker.cancel_start()  # the end of this program waits for its threads
        raise
    broker.keep_port()
    stack.push_async_callback(asyncio.to_thread, broker.stop)
    stack.callback(keep(_keep_running(broker, say)).cancel)
    say(f"Local Kafka broker: {broker.bootstrap}")
    if not broker.bootstrap.endswith(f":{KAFKA_DEFAULT}"):
        say(f"  Port {KAFKA_DEFAULT} was taken. Programs that take the address from there need:")
        say(f"  export VOKTER_KAFKA={broker.bootstrap}")
    return settings.model_copy(update={"kafka": broker.bootstrap, "kafka_security": "PLAINTEXT"})


async def _keep_running(broker: LocalBroker, say: Say) -> None:
    """Restart the broker after each of its ends."""
    while True:
        await asyncio.sleep(1)
        if not broker.is_running:
            say("The local broker ended; restarting it.")
            try:
                await asyncio.to_thread(broker.start)
            except Exception as error:  # noqa: BLE001 - nobody else starts it once this has ended
                say(f"The local broker did not start: {error}")


def _commands(is_apart: bool, *, renders: bool, cores: int) -> dict[str, list[str]]:
    """Return the command line of each process, by the name of its log."""
    workers = defaultdict[str, list[str]](list)
    for name, agent in AGENTS.items():
        if renders or not agent.is_optional:
            shared = agent.process if cores > 1 else COMMON_PROCESS
            workers[name if is_apart or agent.apart else shared].append(name)
    # Each agent has one worker here, so nobody waits for its partitions.
    lines = {name: vokter_command("worker", "--alone", *agents) for name, agents in workers.items()}
    return lines | {API.name: vokter_command("api")}


async def _processes(
    settings: Settings,
    stack: AsyncExitStack,
    keep: Keep,
    say: Say,
    commands: Mapping[str, list[str]],
    server: ForkServer | None,
) -> None:
    logs = settings.data_dir / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    env = settings.environment()
    processes = [
        SupervisedProcess(name, line, env, logs, say, server) for name, line in commands.items()
    ]

    async def stop() -> None:
        say("Stopping ...")
        await asyncio.gather(*(process.stop() for process in processes))

    stack.push_async_callback(stop)
    logs_of = [process.log for process in processes]
    for work in (keep_logs_small(logs_of), *(process.run() for process in processes)):
        stack.callback(keep(work).cancel)
    say(f"Starting all agents and the API; their logs are in {logs}")
    stack.callback(forget_deployment, settings.data_dir)
    RunningDeployment.of(settings).write(settings.data_dir)
