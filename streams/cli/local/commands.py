"""The command ``up``."""

import asyncio
from typing import Annotated

import typer

from streams.cli.local.deployment import deployment
from streams.cli.options import DataDir, run, settings_of
from streams.cli.output import say
from streams.settings import Settings

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


async def _up(settings: Settings) -> None:
    async with deployment(settings, say):
        say("Press Ctrl-C to stop.")
        await asyncio.Event().wait()
