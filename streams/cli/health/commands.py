"""The commands for the health of a deployment: ``doctor``, ``status`` and ``upgrade``."""

from typing import Annotated

import typer

from streams.cli.discovery import with_broker
from streams.cli.groups import command_app
from streams.cli.options import AsJson, DataDir, run, settings_of

app = command_app()


@app.command("doctor")
def doctor_command(
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Also compare all watches with the subscriptions, and repair them."
        ),
    ] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Check the deployment, and say how to fix what is wrong.

    Checks settings, schema registry, brokers, topics, store, signing key, clock, agents and
    whether documents can be fetched.
    Exits with status 1 if it finds an error (✗); a warning (!) alone exits with 0.
    """
    settings = with_broker(settings_of(data_dir=data_dir))
    from streams.cli.health import doctor  # a deployment that does not run needs no clients

    run(doctor.run(settings, repairs=repair, as_json=as_json))


@app.command("status")
def status_command(
    once: Annotated[bool, typer.Option("--once", help="Print the table once and exit.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show workers, partitions, lag and memory of each agent, until Ctrl-C.

    The column "in memory" covers the processes of this data folder. Prints once if its output is no
    terminal, or with --json.
    """
    settings = with_broker(settings_of(data_dir=data_dir))
    from streams.cli.health import status  # as above

    run(status.run(settings, once=once, as_json=as_json), until_stopped=not once)


@app.command("upgrade")
def upgrade_command(
    _: Annotated[bool, typer.Option("--check", help="Say what would change, and change nothing.")],
    data_dir: DataDir = None,
) -> None:
    """Say what this release would change in the data folder of 'vokter up'.

    Compares release, broker, store, topics and settings, whether the deployment runs or not. To
    upgrade, install the release and start 'vokter up'.
    Exits with status 1 if this release cannot start with the folder (✗).
    """
    from streams.cli.health import upgrade
    from streams.settings import Settings

    upgrade.check(Settings() if data_dir is None else Settings(data_dir=data_dir))
