"""The commands that carry subscriptions out of a deployment and into one."""

from typing import Annotated

import typer

from streams.cli.discovery import with_broker
from streams.cli.jobs import transfer
from streams.cli.options import DataDir, run, settings_of

app = typer.Typer()


@app.command("export")
def export_command(
    manager: Annotated[
        str | None, typer.Option(help="Only this manager's; default: those of all.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print all subscriptions as JSON lines, for a backup or another deployment.

    Paused ones too. Neither snapshots nor secrets are among them.
    """
    settings = with_broker(settings_of(data_dir=data_dir))
    run(transfer.export_all(settings, manager))


@app.command("import")
def import_command(
    file: Annotated[
        typer.FileBinaryRead, typer.Argument(metavar="FILE", help="JSON lines, or - for the input.")
    ],
    manager: Annotated[
        str | None, typer.Option(help="Subscribe for this manager, whatever the lines say.")
    ] = None,
    replace: Annotated[bool, typer.Option(help="Change what is there and differs.")] = False,
    secrets: Annotated[
        bool, typer.Option(help="Tell each webhook's secret, where this machine can know it.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Subscribe to what 'vokter export' has printed, and print what came of each line.

    What is there already stays as it is, so a file can be imported again.

    New subscriptions get ids and secrets of their own.
    """
    settings = with_broker(settings_of(data_dir=data_dir))
    run(transfer.import_all(settings, file, manager, replace, secrets))
