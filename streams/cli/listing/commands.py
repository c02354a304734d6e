"""The command ``list``."""

import asyncio
from typing import Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.options import DataDir, settings_of
from streams.effects.clock import now

app = command_app()


@app.command("list")
def list_command(
    manager: Annotated[str, typer.Option(help="Only those of this manager.")] = "default",
    url: Annotated[str, typer.Option(help="Only documents with this text in their URL.")] = "",
    client: Annotated[
        str, typer.Option("--to", help="Only webhooks or sessions with this text in their name.")
    ] = "",
    tag: Annotated[str, typer.Option(help="Only those with this tag.")] = "",
    failing: Annotated[
        bool, typer.Option("--failing", help="Only documents that could not be fetched last time.")
    ] = False,
    lost: Annotated[
        bool,
        typer.Option(
            "--lost", help="Only those that no longer find their part, or are logged out."
        ),
    ] = False,
    flapping: Annotated[
        bool, typer.Option("--flapping", help="Only documents that go back to earlier texts.")
    ] = False,
    ended: Annotated[
        bool, typer.Option("--all", help="Also those that were cancelled or expired.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List subscriptions with the state of their documents.

    Reads the store, which may lag by some seconds.
    """
    from streams.cli.listing.display import print_lines, print_list
    from streams.cli.listing.reading import Filter, read_subscriptions

    at = now() if flapping else None
    wanted = Filter(url, client, failing, lost, ended, flapping_at=at, tag=tag)
    found = asyncio.run(read_subscriptions(settings_of(data_dir=data_dir), manager, wanted))
    (print_lines if as_json else print_list)(found, now())
