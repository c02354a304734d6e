"""The commands that run processes until they are stopped: ``up``, ``worker``, ``api``."""

import asyncio
from typing import Annotated

import typer
from structlog.contextvars import bind_contextvars

from connectors.api.access.keys import ApiKeys
from connectors.api.access.middleware import is_loopback
from connectors.registry.codec import Codec
from streams.cli.discovery import with_broker
from streams.cli.local.deployment import deployment
from streams.cli.local.locks import worker_folder
from streams.cli.options import DataDir, run, settings_of
from streams.cli.output import say
from streams.cli.setup.preparation import (
    claim_signing_key,
    create_all_topics,
    prepare_deployment,
)
from streams.engine.process import run_worker
from streams.pipeline import DELIVER, FETCH, RECORD, STAGES
from streams.settings import Settings
from streams.wiring.api import serve_api
from streams.wiring.connections import started_codec
from streams.wiring.workers import stage_workers, worker_cluster

LOOPBACK = "127.0.0.1"

app = typer.Typer()


@app.command("up")
def up_command(
    port: Annotated[int | None, typer.Option(help="Port of the API. [VOKTER_PORT]")] = None,
    data_dir: DataDir = None,
) -> None:
    """Run everything on this machine: all stages, the API, and a broker if you have none.

    A local broker is started unless VOKTER_KAFKA names yours.
    """
    run(_up(settings_of(port=port, data_dir=data_dir)))


@app.command("worker")
def worker_command(
    stage: Annotated[
        str, typer.Argument(metavar="STAGE", help="schedule, fetch, match, deliver or record")
    ],
    data_dir: DataDir = None,
) -> None:
    """Run one worker of a stage. Run as many as you like, on one or more machines."""
    if stage not in STAGES:
        raise typer.BadParameter(
            f"{stage!r} is not a stage; choose one of: {', '.join(STAGES)}", param_hint="STAGE"
        )
    settings = with_broker(settings_of(data_dir=data_dir))
    bind_contextvars(stage=stage)
    codec = asyncio.run(_prepared(settings, stage))
    with worker_folder(settings, stage) as (folder, member):
        cluster = worker_cluster(settings, folder, member, codec)
        run_worker(stage_workers(settings)[stage], cluster)


@app.command("api")
def api_command(
    port: Annotated[int | None, typer.Option(help="Port to listen on. [VOKTER_PORT]")] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the REST API."""
    bind_contextvars(stage="api")
    settings = with_broker(settings_of(port=port, data_dir=data_dir))
    asyncio.run(prepare_deployment(settings))
    signing_key = asyncio.run(claim_signing_key(settings))
    keys = ApiKeys(settings.keys_file)
    run(serve_api(settings, keys, _api_host(settings, keys), signing_key))


async def _up(settings: Settings) -> None:
    async with deployment(settings, say):
        say("Press Ctrl-C to stop.")
        await asyncio.Event().wait()


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


def _api_host(settings: Settings, keys: ApiKeys) -> str:
    """Return the address to listen on: loopback as long as there are no API keys."""
    if keys.required or is_loopback(settings.host):
        return settings.host
    say(f"There are no API keys, so the API listens on {LOOPBACK} instead of {settings.host}.")
    say("  To open it to other machines, create a key: vokter keys add MANAGER")
    return LOOPBACK
