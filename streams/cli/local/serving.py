"""``vokter api``."""

import asyncio
from functools import partial

import structlog
from structlog.contextvars import bind_contextvars

from connectors.access.keys import ApiKeys
from connectors.access.loopback import is_loopback
from connectors.api.health import CallPause
from connectors.api.server import HEALTH
from connectors.kafka.partitioning import await_repartition
from connectors.kafka_patches.reconnects import pause_between_connections
from connectors.page.operate.pipeline_view import ShownFinding
from schemas.records.topics import DEPLOYMENT
from streams.cli.checks.deployment import all_findings
from streams.cli.discovery import with_broker
from streams.cli.options import log_as_service, run_until_stopped
from streams.cli.output import say
from streams.cli.setup.preparation import (
    await_partitions,
    claim_signing_key,
    prepare_deployment,
)
from streams.effects.api import serve_api
from streams.effects.connections import kafka_access
from streams.settings import Settings

log = structlog.get_logger()

LOOPBACK = "127.0.0.1"


def serve(settings: Settings) -> None:
    """Serve the REST API until SIGTERM or SIGINT."""
    log_as_service(settings)
    bind_contextvars(agent="api")
    pause_between_connections()
    settings = with_broker(settings)
    asyncio.run(prepare_deployment(settings))
    signing_key = asyncio.run(claim_signing_key(settings))
    keys = ApiKeys(settings.keys_file, is_required=settings.oidc_issuer is not None)
    host = settings.host
    if not keys.required and not is_loopback(host):
        say(f"There are no API keys, so the API listens on {LOOPBACK} instead of {host}.")
        say("  To open it to other machines, create a key: vokter keys add MANAGER")
        host = LOOPBACK
    run_until_stopped(_serve(settings, keys, host, signing_key))


async def _serve(settings: Settings, keys: ApiKeys, host: str, signing_key: bytes) -> None:
    """Serve until cancelled; with new clients of Kafka whenever partitions were added."""
    while True:
        settings = await await_partitions(settings)
        pause, check = CallPause(HEALTH), partial(_findings, settings)
        serving = asyncio.create_task(serve_api(settings, keys, host, signing_key, check, pause))
        changing = asyncio.create_task(_repartitioned(settings, pause))
        try:
            await asyncio.wait([serving, changing], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (serving, changing):
                task.cancel()
            ends = await asyncio.gather(serving, changing, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end


async def _repartitioned(settings: Settings, pause: CallPause) -> None:
    """Refuse calls as soon as partitions are added, and return when done."""
    topic = settings.topic_prefix + DEPLOYMENT.name
    await await_repartition(kafka_access(settings), topic, settings.partitions)
    pause.begin()
    log.info("partitions are added; calls are refused until that is done")
    await await_partitions(settings)


async def _findings(settings: Settings) -> list[ShownFinding]:
    """Return the findings of ``vokter doctor``, for the page."""
    return [
        ShownFinding(each.level.value, each.about, each.text, each.remedy)
        async for each in all_findings(settings)
    ]
