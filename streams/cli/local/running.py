"""``vokter worker``."""

import asyncio

from structlog.contextvars import bind_contextvars

from connectors.registry.codec import Codec
from streams.cli.discovery import with_broker
from streams.cli.local.locks import worker_folder
from streams.cli.options import log_as_service
from streams.cli.setup.preparation import claim_signing_key, create_all_topics, prepare_deployment
from streams.engine.process import run_worker
from streams.pipeline import DELIVER, FETCH, RECORD
from streams.settings import Settings
from streams.wiring.connections import started_codec
from streams.wiring.workers import stage_workers, worker_cluster


def work(settings: Settings, stage: str) -> None:
    """Run one worker of a stage until SIGTERM or SIGINT."""
    log_as_service(settings)
    settings = with_broker(settings)
    bind_contextvars(stage=stage)
    codec = asyncio.run(_prepared(settings, stage))
    with worker_folder(settings, stage) as (folder, member):
        cluster = worker_cluster(settings, folder, member, codec)
        run_worker(stage_workers(settings)[stage], cluster)


async def _prepared(settings: Settings, stage: str) -> Codec:
    """Prepare the deployment for a worker, and start the codec that it needs.

    A worker that needs neither store nor signing key runs without their secrets.
    """
    if stage in (FETCH.name, RECORD.name):
        await prepare_deployment(settings)
    else:
        await create_all_topics(settings)
    if stage == DELIVER.name:
        await claim_signing_key(settings)
    return await started_codec(settings)
