"""The commands that export and import subscriptions."""

from typing import Annotated

import typer

from streams.cli.discovery import with_broker
from streams.cli.options import DataDir, run, settings_of

app = typer.Typer()


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
        typer.Argument(metavar="FILE", help="JSON lines, - for stdin."),
    ],
    manager: Annotated[
        str | None, typer.Option(help="Import for this manager, whatever the lines say.")
    ] = None,
    replace: Annotated[bool, typer.Option(help="Replace subscriptions that differ.")] = False,
    secrets: Annotated[
        bool, typer.Option(help="Print each webhook's secret; needs the deployment's signing key.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Subscribe to what 'vokter export' has printed, and print the result of each line.

    Existing subscriptions stay as they are, so a file can be imported again.

    New subscriptions get new ids and secrets.
    """
    settings = with_broker(settings_of(data_dir=data_dir))
    from streams.cli.jobs import transfer

    run(transfer.import_all(settings, file, manager, replace, secrets))
