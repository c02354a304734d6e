"""The commands that run something until they are stopped: ``up``, ``worker``, ``api``."""

import asyncio
from typing import Annotated

import typer
from structlog.contextvars import bind_contextvars

from connectors.api.access.keys import ApiKeys
from connectors.api.access.middleware import is_loopback
from connectors.registry.codec import Codec
from streams.cli.local import up
from streams.cli.local.preparation import prepare, prepare_key
from streams.cli.local.running import place, with_broker
from streams.cli.options import DataDir, run, settings_of
from streams.cli.text import say
from streams.engine import worker as engine
from streams.pipeline import DELIVER, STAGES
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
    """Run everything on this machine: broker (if VOKTER_KAFKA names none), stages, API."""
    run(up.run(settings_of(port=port, data_dir=data_dir)))


@app.command("worker")
def worker_command(
    stage: Annotated[str, typer.Argument(help="schedule, fetch, match, deliver or record")],
    data_dir: DataDir = None,
) -> None:
    """Run one worker of a stage; start as many as you like, on as many machines."""
    settings = with_broker(settings_of(data_dir=data_dir))
    if stage not in STAGES:
        raise typer.BadParameter(f"choose one of: {', '.join(STAGES)}", param_hint="STAGE")
    bind_contextvars(stage=stage)
    codec = asyncio.run(_prepared(settings, stage))
    with place(settings, stage) as (folder, member):
        cluster = worker_cluster(settings, folder, member, codec)
        engine.run(stage_workers(settings)[stage], cluster)


@app.command("api")
def api_command(
    port: Annotated[int | None, typer.Option(help="Port to listen on. [VOKTER_PORT]")] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the REST API."""
    bind_contextvars(stage="api")
    settings = with_broker(settings_of(port=port, data_dir=data_dir))
    asyncio.run(prepare(settings))
    signing_key = asyncio.run(prepare_key(settings))
    keys = ApiKeys(settings.keys_file)
    run(serve_api(settings, keys, _api_host(settings, keys), signing_key))


async def _prepared(settings: Settings, stage: str) -> Codec:
    """Prepare the deployment for a worker, and start the codec that it needs."""
    await prepare(settings)
    if stage == DELIVER.name:
        await prepare_key(settings)
    return await started_codec(settings)


def _api_host(settings: Settings, keys: ApiKeys) -> str:
    """Return the address to listen on: without API keys only this machine is served."""
    if keys.required or is_loopback(settings.host):
        return settings.host
    say(f"There are no API keys, so the API listens on {LOOPBACK}, not on {settings.host}.")
    say("  To open it to others, add a key: vokter keys add MANAGER")
    return LOOPBACK
