"""The commands for what a deployment stands on, and for setting it right again."""

import asyncio
from datetime import datetime
from typing import Annotated

import typer

from schemas.signing import fingerprint
from streams.cli.health import doctor, status
from streams.cli.health.store_copy import copy_store
from streams.cli.jobs import redelivery
from streams.cli.local.preparation import create, prepare, prepare_key
from streams.cli.local.running import with_broker
from streams.cli.options import DataDir, run, settings_of
from streams.cli.text import say
from streams.pipeline import topic_specs
from streams.settings import Settings

MOMENTS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"]

app = typer.Typer()
topics = typer.Typer(help="The topics on the cluster.", no_args_is_help=True)
store = typer.Typer(help="The store of the deployment.", no_args_is_help=True)
signing_key = typer.Typer(help="The key that webhooks are signed with.", no_args_is_help=True)


@topics.command("create")
def topics_create(data_dir: DataDir = None) -> None:
    """Create all topics that are missing, and check those that are there."""
    settings = with_broker(settings_of(data_dir=data_dir))
    say(f"Topics on {settings.kafka} ...")
    created = asyncio.run(create(settings))
    for name in created:
        print(name)
    say(f"{len(created)} created, {len(topic_specs(settings)) - len(created)} were there.")


@store.command("claim")
def store_claim(data_dir: DataDir = None) -> None:
    """Have the deployment use this machine's store from now on, instead of the one it used."""
    settings = with_broker(settings_of(data_dir=data_dir))
    run(_claim(settings))


@store.command("copy")
def store_copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="As VOKTER_STORE names it.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="As VOKTER_STORE names it.")],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Copy into a store that is not empty.")
    ] = False,
) -> None:
    """Copy all of a store to another one, such as from SQLite to MongoDB or back.

    Stop all workers first. What was interrupted goes on where it was, by the same command.
    """
    run(copy_store(source, target, overwrite))


@signing_key.command("claim")
def signing_key_claim(data_dir: DataDir = None) -> None:
    """Have the deployment sign with this machine's key from now on: all webhooks' secrets change.

    The API and the workers of deliver have to be started again.
    """
    settings = with_broker(settings_of(data_dir=data_dir))
    asyncio.run(create(settings))
    key = asyncio.run(prepare_key(settings, replace=True))
    say(f"The deployment now signs with the key {fingerprint(key)}.")
    say("Start the API and deliver again; clients get their new secrets from POST /rotate.")


@app.command("doctor")
def doctor_command(data_dir: DataDir = None) -> None:
    """Look at settings, broker, topics, store, clock and stages, and say what to do.

    The schema registry, too, where SCHEMA_REGISTRY_URL names one.

    Ends with status 1 where something is wrong; what only might be is marked by !.
    """
    run(doctor.run(with_broker(settings_of(data_dir=data_dir))))


@app.command("status")
def status_command(
    once: Annotated[bool, typer.Option("--once", help="Print it once, and end.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Show stages, workers, partitions, lag and what is due, until Ctrl-C.

    What is in memory is asked of the processes of this data folder only.
    """
    run(status.run(with_broker(settings_of(data_dir=data_dir)), once))


@app.command("redeliver")
def redeliver_command(
    name: Annotated[
        str | None, typer.Argument(metavar="ID", help="One notification: its webhook-id.")
    ] = None,
    client: Annotated[str | None, typer.Option(help="Or all of one webhook, by its URL:")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=MOMENTS,
            metavar="TIME",
            help="what it was notified of since, such as 2026-01-31 or 2026-01-31T09:30, in UTC.",
        ),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Tell a webhook again, with the same id and body, what was delivered or given up."""
    if (name is None) == (client is None) or (client is None) != (since is None):
        raise typer.BadParameter("give either an ID, or --client URL and --since TIME")
    settings = with_broker(settings_of(data_dir=data_dir))
    if client is not None and since is not None:
        run(redelivery.all_of(settings, client, since))
    else:
        run(redelivery.one(settings, name or ""))


async def _claim(settings: Settings) -> None:
    place = await prepare(settings, replace=True)
    say(f"The deployment now uses {place}")
