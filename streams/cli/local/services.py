"""The commands that run one process until it is stopped: ``worker`` and ``api``."""

from typing import Annotated

import typer

from schemas.records.topic_names import STAGES
from streams.cli.groups import command_app
from streams.cli.options import DataDir, settings_of

app = command_app()


@app.command("worker")
def worker_command(
    stages: Annotated[
        list[str],
        typer.Argument(
            metavar="STAGE...",
            help="schedule, fetch, match, percolate, deliver, history, record, crawl;"
            " or render alone",
        ),
    ],
    data_dir: DataDir = None,
) -> None:
    """Run one worker of a stage, or of several in one process. Run as many as you like."""
    for stage in stages:
        if stage not in STAGES:
            raise typer.BadParameter(
                f"{stage!r} is not a stage; choose one of: {', '.join(STAGES)}", param_hint="STAGE"
            )
    # Its browsers may use up what the others need.
    if "render" in stages and len(set(stages)) > 1:
        raise typer.BadParameter("render runs in a process apart", param_hint="STAGE")
    settings = settings_of(data_dir=data_dir)
    import connectors.plain_structlog  # noqa: F401
    from streams.cli.local.running import work

    work(settings, list(dict.fromkeys(stages)))


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
