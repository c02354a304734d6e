"""The command ``picture``."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Url
from streams.cli.options import DataDir, settings_of
from streams.cli.output import say

app = command_app()


@app.command("picture")
def picture_command(
    url: Url,
    file: Annotated[Path, typer.Argument(help="Where to save it, as a JPEG.")],
    manager: Annotated[str, typer.Option(help="The manager that watches the page.")] = "default",
    subscription: Annotated[
        str | None, typer.Option(help="Id of the subscription whose view is meant.")
    ] = None,
    earlier: Annotated[
        bool, typer.Option("--earlier", help="The one before the last change of the text.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Save the picture that was taken with the text of a page (view.screenshot)."""
    from streams.cli.jobs.pictures import PictureAsked, read_picture

    asked = PictureAsked(manager, url, subscription, earlier)
    file.write_bytes(asyncio.run(read_picture(settings_of(data_dir=data_dir), asked)))
    say(f"Saved {file}.")
