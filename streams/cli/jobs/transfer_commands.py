"""The commands that export and import subscriptions."""

from functools import partial
from typing import Annotated, Any

import typer

from connectors.imports.names import Tool
from streams.cli.discovery import with_broker
from streams.cli.durations import parse_duration
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import parse_client_url, receiver_of
from streams.cli.options import DataDir, run, settings_of

app = command_app()


@app.command("export")
def export_command(
    manager: Annotated[
        str | None, typer.Option(help="Only those of this manager; default: all.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print all subscriptions as JSON lines, for a backup or another deployment.

    Includes paused ones. Snapshots and secrets are not exported.
    """
    settings = with_broker(settings_of(data_dir=data_dir))
    from streams.cli.jobs import transfer

    run(transfer.export_all(settings, manager))


@app.command("import")
def import_command(
    file: Annotated[
        typer.FileBinaryRead,
        typer.Argument(metavar="FILE", help="JSON lines, or another tool's file; - for stdin."),
    ],
    manager: Annotated[
        str | None, typer.Option(help="Import for this manager, whatever the lines say.")
    ] = None,
    replace: Annotated[bool, typer.Option(help="Replace subscriptions that differ.")] = False,
    secrets: Annotated[
        bool, typer.Option(help="Print each webhook's secret; needs the deployment's signing key.")
    ] = False,
    *,
    tool: Annotated[Tool | None, typer.Option("--from", help="The file is of this tool.")] = None,
    config: Annotated[
        typer.FileBinaryRead | None,
        typer.Option(help="With --from: the tool's configuration, for its job_defaults."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            help="With --from: the webhook to notify; {watch} becomes a watch's id.",
            parser=parse_client_url,
            metavar="URL",
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="With --from, instead of --to: the session to notify.")
    ] = None,
    interval: Annotated[
        int,
        typer.Option(
            help="With --from: time between fetches of watches that say none.",
            parser=parse_duration,
            metavar="DURATION",
        ),
    ] = 600,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --from: print the requests, and make none.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Subscribe to what 'vokter export' has printed, or to watches of another tool.

    Prints the result of each line or watch.

    Existing subscriptions stay as they are, so a file can be imported again.

    New subscriptions get new ids and secrets.

    With --from, each result says what was taken, what differs and what was left out.
    """
    settings = settings_of(data_dir=data_dir)
    from streams.cli.jobs import other_tools, transfer

    if tool is None:
        if to or session or config or dry_run:
            raise typer.BadParameter("--to, --session, --config and --dry-run are for --from")
        outcomes: Any = partial(transfer.Import.all, lines=file)
    else:
        asked = other_tools.asked_watches(tool, file, config, receiver_of(to, session), interval)
        if dry_run:
            other_tools.print_watches(asked)
            return
        outcomes = partial(other_tools.outcomes, asked)
    run(transfer.import_all(with_broker(settings), outcomes, manager, replace, secrets))
