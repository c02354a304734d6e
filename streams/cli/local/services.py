"""The commands that run one process until it is stopped: ``worker`` and ``api``."""

from typing import Annotated

import typer

from streams.app import AGENTS
from streams.cli.groups import command_app
from streams.cli.options import DataDir, settings_of

app = command_app()

_AGENTS_HELP = "; or ".join(
    (
        ", ".join(name for name, agent in AGENTS.items() if not agent.apart),
        *(f"{name} alone" for name, agent in AGENTS.items() if agent.apart),
    )
)


@app.command("worker")
def worker_command(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help=_AGENTS_HELP)],
    data_dir: DataDir = None,
) -> None:
    """Run one worker of an agent, or of several in one process. Run as many as you like."""
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

    work(settings, list(dict.fromkeys(agents)))


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
