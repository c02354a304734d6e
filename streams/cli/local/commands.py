"""The command ``up``."""

import asyncio
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.options import DataDir, run, settings_of
from streams.cli.output import say

if TYPE_CHECKING:
    from streams.cli.local.fork_server import ForkServer
    from streams.settings import Settings

app = command_app()


@app.command("up")
def up_command(
    port: Annotated[int | None, typer.Option(help="Port of the API. [VOKTER_PORT]")] = None,
    data_dir: DataDir = None,
    processes: Annotated[
        bool,
        typer.Option(
            "--processes", help="One process for each agent, which takes more memory and cores."
        ),
    ] = False,
    first_key: Annotated[
        bool,
        typer.Option(
            "--first-key", help="Create an API key if there is none, and print it: in containers."
        ),
    ] = False,
) -> None:
    """Run everything on this machine: all agents, the API, and a broker if you have none.

    A local broker is started unless VOKTER_KAFKA names yours.
    """
    settings = settings_of(port=port, data_dir=data_dir)
    if first_key:
        _add_first_key(settings.keys_file)
    from streams.cli.local.fork_server import IS_SAFE, fork_server

    with fork_server() if IS_SAFE else nullcontext() as server:
        run(_up(settings, server, is_apart=processes))


def _add_first_key(path: Path) -> None:
    """Create the key of an administrator unless there are keys; raises InvalidApiKeys."""
    from connectors.access.keys import load_keys, new_key, save_keys
    from connectors.access.roles import Role

    if load_keys(path):
        return
    secret, key = new_key("default", None, None, Role.ADMIN)
    save_keys(path, [key])
    say(f"Sign in with this API key, which is not shown again: {secret}")


async def _up(settings: "Settings", server: "ForkServer | None", *, is_apart: bool) -> None:
    from streams.cli.local.deployment import deployment

    async with deployment(settings, say, is_apart=is_apart, server=server):
        say("Press Ctrl-C to stop.")
        await asyncio.Event().wait()
