"""The commands of processes that run on: ``up``, ``worker`` and ``api``."""

import asyncio
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

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
        from connectors.access.keys import change_keys, new_key
        from connectors.access.roles import Role

        secret, key = new_key("default", None, None, Role.ADMIN)
        if not change_keys(settings.keys_file, lambda keys: keys or (key,)):
            say(f"Sign in with this API key, which is not shown again: {secret}")
    from streams.cli.local.fork_server import IS_SAFE, fork_server

    with fork_server() if IS_SAFE else nullcontext() as server:
        run(_up(settings, server, is_apart=processes), until_stopped=True)


class AgentsListed(typer.core.TyperCommand):
    """A command whose help ends with the agents: importing them takes time, which help may."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """List the agents, and the purpose of each."""
        from streams.app import AGENTS

        with formatter.section("Agents"):
            formatter.write_dl(
                [
                    (name, f"{agent.does}; in a process apart" if agent.apart else agent.does)
                    for name, agent in AGENTS.items()
                ]
            )


@app.command("worker", cls=AgentsListed)
def worker_command(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="Which agents to run.")],
    data_dir: DataDir = None,
    alone: Annotated[bool, typer.Option("--alone", hidden=True)] = False,
) -> None:
    """Run one worker of an agent, or of several in one process. Run as many as you like."""
    from streams.app import AGENTS

    for name in agents:
        if name not in AGENTS:
            raise typer.BadParameter(
                f"{name!r} is not an agent; choose one of: {', '.join(AGENTS)}", param_hint="AGENT"
            )
        if AGENTS[name].apart and len(set(agents)) > 1:
            raise typer.BadParameter(f"{name} runs in a process apart", param_hint="AGENT")
    settings = settings_of(data_dir=data_dir)
    import connectors.plain_structlog  # noqa: F401
    from streams.cli.local.running import work

    work(settings, list(dict.fromkeys(agents)), is_alone=alone)


@app.command("api")
def api_command(
    port: Annotated[int | None, typer.Option(help="Port to listen on. [VOKTER_PORT]")] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the REST API."""
    settings = settings_of(port=port, data_dir=data_dir)
    import connectors.plain_structlog  # noqa: F401
    from streams.cli.local.serving import serve

    serve(settings)


async def _up(settings: "Settings", server: "ForkServer | None", *, is_apart: bool) -> None:
    from streams.cli.local.deployment import deployment

    async with deployment(settings, say, is_apart=is_apart, server=server):
        say("Press Ctrl-C to stop.")
        await asyncio.Event().wait()
