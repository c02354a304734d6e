"""The commands for what a deployment stands on: its topics and its store."""

import asyncio

import typer

from streams.cli.options import DataDir, run, settings_of
from streams.cli.preparing import create, prepare
from streams.cli.running import with_broker
from streams.cli.text import say
from streams.pipeline import topic_specs

topics = typer.Typer(help="The topics on the cluster.", no_args_is_help=True)
store = typer.Typer(help="The store of the deployment.", no_args_is_help=True)


@topics.command("create")
def topics_create(data_dir: DataDir = None) -> None:
    """Create all topics that are missing, and check those that are there."""
    settings = with_broker(settings_of(data_dir=data_dir))
    created = asyncio.run(create(settings))
    for name in created:
        print(name)
    say(f"{len(created)} created, {len(topic_specs(settings)) - len(created)} were there.")


@store.command("claim")
def store_claim(data_dir: DataDir = None) -> None:
    """Have the deployment use this machine's store from now on, instead of the one it used."""
    settings = with_broker(settings_of(data_dir=data_dir))
    run(prepare(settings, replace=True))
    say(f"The deployment now uses {settings.store_url}")
