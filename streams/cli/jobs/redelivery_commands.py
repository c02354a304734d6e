"""The command that delivers notifications again."""

from datetime import datetime
from typing import Annotated

import typer

from streams.cli.discovery import with_broker
from streams.cli.groups import command_app
from streams.cli.options import DataDir, run, settings_of

TIME_FORMATS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"]

app = command_app()


@app.command("redeliver")
def redeliver_command(
    name: Annotated[
        str | None, typer.Argument(metavar="ID", help="One notification: its webhook-id.")
    ] = None,
    client: Annotated[
        str | None,
        typer.Option(
            help="URL of a webhook, or channel:NAME: all its notifications since --since."
        ),
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=TIME_FORMATS,
            metavar="TIME",
            help="With --client: a UTC time, such as 2026-01-31 or 2026-01-31T09:30.",
        ),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Notify a webhook again, with the same id and body, whether delivered before or given up."""
    if (name is None) == (client is None) or (client is None) != (since is None):
        raise typer.BadParameter("give either an ID, or --client URL and --since TIME")
    from streams.cli.jobs import redelivery

    settings = with_broker(settings_of(data_dir=data_dir))
    if client is not None and since is not None:
        run(redelivery.all_of(settings, client, since))
    else:
        run(redelivery.one(settings, name or ""))
