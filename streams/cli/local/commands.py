"""The commands that run something until they are stopped: ``up``, ``worker``, ``api``."""

import asyncio
from typing import Annotated

import typer
from structlog.contextvars import bind_contextvars

from streams.cli.local import up
from streams.cli.local.api import serve_api
from streams.cli.local.preparation import prepare, prepare_key
from streams.cli.local.running import place, with_broker
from streams.cli.options import DataDir, run, settings_of
from streams.engine import worker as engine
from streams.pipeline import pipeline

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
    workers = pipeline(settings)
    if stage not in workers:
        raise typer.BadParameter(f"choose one of: {', '.join(workers)}", param_hint="STAGE")
    bind_contextvars(stage=stage)
    asyncio.run(prepare(settings))
    if stage == "deliver":
        asyncio.run(prepare_key(settings))
    codec = asyncio.run(settings.started_codec())
    with place(settings, stage) as (folder, member):
        where = settings.access, settings.topic_prefix, settings.partitions
        seen = settings.metrics, settings.metrics_folder
        engine.run(workers[stage], engine.Cluster(*where, folder, member, *seen, codec))


@app.command("api")
def api_command(
    port: Annotated[int | None, typer.Option(help="Port to listen on. [VOKTER_PORT]")] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the REST API."""
    bind_contextvars(stage="api")
    settings = with_broker(settings_of(port=port, data_dir=data_dir))
    asyncio.run(prepare(settings))
    run(serve_api(settings, asyncio.run(prepare_key(settings))))
