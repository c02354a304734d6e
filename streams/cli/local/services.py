"""The commands of long-running processes: ``worker`` and ``api``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from streams.cli.groups import command_app
from streams.cli.options import DataDir, settings_of

if TYPE_CHECKING:
    from streams.values.agent import Agent

app = command_app()


class AgentsListed(typer.core.TyperCommand):
    """A command whose help ends with the agents: importing them takes time, which help may."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """List the agents, and the purpose of each."""
        from streams.app import AGENTS

        with formatter.section("Agents"):
            formatter.write_dl([(name, _does(agent)) for name, agent in AGENTS.items()])


def _does(agent: "Agent") -> str:
    return f"{agent.does}; in a process apart" if agent.apart else agent.does


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
