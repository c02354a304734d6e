"""The command ``up``."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from streams.cli.options import DataDir, run, settings_of
from streams.cli.output import say

if TYPE_CHECKING:
    from streams.settings import Settings

app = typer.Typer()


@app.command("up")
def up_command(
    port: Annotated[int | None, typer.Option(help="Port of the API. [VOKTER_PORT]")] = None,
    data_dir: DataDir = None,
    processes: Annotated[
        bool,
        typer.Option(
            "--processes", help="One process for each stage, which takes more memory and cores."
        ),
    ] = False,
) -> None:
    """Run everything on this machine: all stages, the API, and a broker if you have none.

    A local broker is started unless VOKTER_KAFKA names yours.
    """
    run(_up(settings_of(port=port, data_dir=data_dir), processes))


async def _up(settings: "Settings", is_apart: bool) -> None:
    from streams.cli.local.deployment import deployment

    async with deployment(settings, say, is_apart=is_apart):
        say("Press Ctrl-C to stop.")
        await asyncio.Event().wait()
