"""A whole deployment on this machine: broker, topics, a process per stage, the API."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from time import monotonic

from aiohttp import ClientError, ClientSession, ClientTimeout

from infra.broker import LocalBroker
from infra.errors import InfraError
from streams.cli.local.children import Child, command
from streams.cli.local.preparation import prepare, prepare_key
from streams.cli.local.running import Running, forget, locked
from streams.cli.text import Say
from streams.pipeline import STAGES
from streams.settings import Settings

READY = 120.0
PATIENCE = 2.0
"""Seconds without a word."""


class NotReady(Exception):
    """The deployment did not get well in time, or cannot start; the text says why."""


@asynccontextmanager
async def deployment(settings: Settings, say: Say) -> AsyncIterator[Settings]:
    """Start everything and give the settings with the brokers in them; stop it all at the end.

    Raises NotReady, AlreadyRunning, InfraError or TopicsError with a text for people.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(locked(settings.data_dir / "up.lock", "'vokter up'"))
        _check_port(settings)
        if settings.kafka is None:
            settings = await _broker(settings, stack, say)
        say(f"Topics on {settings.kafka} ...")
        await prepare(settings)
        await prepare_key(settings)
        await _children(settings, stack, say)
        await _ready(settings, say)
        yield settings


async def _broker(settings: Settings, stack: AsyncExitStack, say: Say) -> Settings:
    broker = LocalBroker(settings.data_dir / "kafka")
    say("Local Kafka broker ...")
    await asyncio.to_thread(broker.start)
    stack.push_async_callback(asyncio.to_thread, broker.stop)
    watching = asyncio.create_task(_keep(broker, say))
    stack.callback(watching.cancel)
    say(f"Local Kafka broker on {broker.bootstrap}")
    return settings.model_copy(update={"kafka": broker.bootstrap, "kafka_security": "PLAINTEXT"})


async def _keep(broker: LocalBroker, say: Say) -> None:
    """Start the broker again should it end."""
    while True:
        await asyncio.sleep(1)
        if not broker.is_running:
            say("The local broker has ended, starting it again")
            try:
                await asyncio.to_thread(broker.start)
            except InfraError as error:
                say(f"It did not start: {error}")


async def _children(settings: Settings, stack: AsyncExitStack, say: Say) -> None:
    logs = settings.data_dir / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    env = settings.environment()
    lines = {name: command("worker", name) for name in STAGES}
    lines["api"] = command("api")
    children = [Child(name, line, env, logs, say) for name, line in lines.items()]
    stack.push_async_callback(_stop, children, say)
    for child in children:
        running = asyncio.create_task(child.run())
        stack.callback(running.cancel)
    say(f"Starting {', '.join(lines)}; logs are in {logs}")
    stack.callback(forget, settings.data_dir)
    Running(
        settings.kafka or "",
        settings.port,
        settings.topic_prefix,
        settings.partitions,
        settings.min_interval,
    ).write(settings.data_dir)


async def _stop(children: list[Child], say: Say) -> None:
    say("Stopping ...")
    await asyncio.gather(*(child.stop() for child in children))


async def _ready(settings: Settings, say: Say) -> None:
    """Wait until the API says that all is well."""
    url = f"http://{settings.host}:{settings.port}/vokter/v1/health"
    problems = ["the API does not answer"]
    told = monotonic()
    with suppress(TimeoutError):
        async with asyncio.timeout(READY), ClientSession(timeout=ClientTimeout(5)) as http:
            while problems:
                await asyncio.sleep(0.3)
                with suppress(ClientError, TimeoutError):
                    async with http.get(url) as response:
                        problems = (await response.json())["problems"]
                if problems and monotonic() - told > PATIENCE:
                    say(f"Waiting: {'; '.join(problems)}")
                    told = monotonic()
    if problems:
        raise NotReady(f"Not ready after {READY:g} s: {'; '.join(problems)}")
    say(f"Ready: http://{settings.host}:{settings.port}/vokter/v1")


def _check_port(settings: Settings) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            raise NotReady(
                f"The API cannot listen on {settings.host}:{settings.port} ({error.strerror}). "
                "Choose another port with --port or VOKTER_PORT."
            ) from None
