"""``vokter worker``."""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack

import structlog
from aiokafka.errors import KafkaConnectionError, KafkaError, KafkaTimeoutError
from structlog.contextvars import bind_contextvars

from connectors.registry.codec import Codec
from streams.app import AGENTS, DELIVER
from streams.cli.discovery import with_broker
from streams.cli.local.locks import shared_folder_notes, worker_folder
from streams.cli.options import log_as_service
from streams.cli.setup.preparation import (
    await_partitions,
    claim_signing_key,
    create_all_topics,
    prepare_deployment,
)
from streams.effects.agents import cluster, member
from streams.effects.connections import started_codec
from streams.engine.life.membership import ALONE, SHARED
from streams.engine.process import run_workers
from streams.settings import Settings

log = structlog.get_logger()

RETRY_PAUSE_S = 0.5


def work(settings: Settings, agents: Sequence[str], *, is_alone: bool = False) -> None:
    """Run a worker of each of these agents in this process until SIGTERM or SIGINT.

    ``is_alone``: no other worker of them waits for the partitions of a gone worker.
    """
    log_as_service(settings)
    settings = with_broker(settings)
    bind_contextvars(agent=" ".join(agents))
    for note in shared_folder_notes(settings):
        log.warning(note)
    settings, codec = asyncio.run(_prepared(settings, agents))
    with ExitStack() as stack:
        members = [
            member(settings, AGENTS[name], *stack.enter_context(worker_folder(settings, name)))
            for name in agents
        ]
        run_workers(members, cluster(settings, codec, ALONE if is_alone else SHARED))


async def _prepared(settings: Settings, agents: Sequence[str]) -> tuple[Settings, Codec]:
    """Prepare the deployment for workers; return its settings, and the codec for them.

    Waits while some brokers answer, but not yet all, as with others unavailable. Raises
    KafkaConnectionError if none answers.
    """
    while True:
        try:
            return await _prepared_once(settings, agents)
        except (KafkaError, TimeoutError) as error:
            is_slow = isinstance(error, TimeoutError | KafkaTimeoutError)
            is_nobody = isinstance(error, KafkaConnectionError)
            if not is_slow and (is_nobody or not getattr(error, "retriable", False)):
                raise
            log.warning(
                "brokers are away or not ready; this process starts once they are back",
                error=repr(error),
                once_a_minute="brokers",
            )
        await asyncio.sleep(RETRY_PAUSE_S)


async def _prepared_once(settings: Settings, agents: Sequence[str]) -> tuple[Settings, Codec]:
    """Prepare the deployment for workers.

    A worker without store and signing key runs without their secrets.
    """
    settings = await await_partitions(settings)
    if any(AGENTS[name].has_store for name in agents):
        await prepare_deployment(settings)
    else:
        await create_all_topics(settings)
    if DELIVER.name in agents:
        await claim_signing_key(settings)
    return settings, await started_codec(settings)
