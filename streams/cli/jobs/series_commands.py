"""The command ``series``."""

import asyncio
from typing import Annotated, Literal

import typer

from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Url
from streams.cli.options import DataDir, settings_of

app = command_app()


@app.command("series")
def series_command(
    url: Url,
    manager: Annotated[str, typer.Option(help="The manager that watches the page.")] = "default",
    subscription: Annotated[
        str | None, typer.Option(help="Id of the subscription whose view is meant.")
    ] = None,
    form: Annotated[
        Literal["csv", "json"], typer.Option("--as", help="Lines of CSV or of JSON.")
    ] = "csv",
    data_dir: DataDir = None,
) -> None:
    """Print what the number of a page has been, oldest first (view.number)."""
    from streams.cli.jobs.series import SeriesAsked, print_series, read_series

    asked = SeriesAsked(manager, url, subscription)
    print_series(asyncio.run(read_series(settings_of(data_dir=data_dir), asked)), form)
