"""The command to add partitions."""

from typing import Annotated

import typer

from streams.cli.discovery import with_broker
from streams.cli.groups import command_app
from streams.cli.options import DataDir, run, settings_of

app = command_app()


@app.command("repartition")
def repartition_command(
    partitions: Annotated[
        int, typer.Argument(metavar="NUMBER", help="How many: a multiple of what there are.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check it and say what would be done, only.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Add partitions to all topics of a running deployment, so that it can have more workers.

    All workers stop, what they have and what waits for them is moved, and they start again, which
    takes about half a minute. Until then the API answers 503 with Retry-After; changes,
    notifications and requests that are sent through Kafka wait. Nothing is lost.

    If it is interrupted, the workers wait: run the same command again. As long as nothing has been
    moved, the present number calls it off.
    """
    from streams.cli.setup.repartition import add_partitions

    settings = with_broker(settings_of(data_dir=data_dir))
    run(add_partitions(settings, partitions, is_dry=dry_run))
