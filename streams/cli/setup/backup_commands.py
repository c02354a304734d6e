"""The commands to save a deployment of a machine, and to restore a deployment."""

import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.options import DataDir, run, settings_of

app = command_app()

Encrypt = Annotated[
    bool, typer.Option("--encrypt", help="Ask for a passphrase, and encrypt the file with it.")
]


@app.command("backup")
def backup_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="New file to write.")],
    encrypt: Encrypt = False,
    data_dir: DataDir = None,
) -> None:
    """Save a deployment of one machine, running or not: topics, store, keys and credentials.

    A running one stands still for some milliseconds. The file has the signing key and everything
    else that is needed to go on elsewhere: keep it as you keep secrets.
    """
    from streams.cli.setup.backup import back_up

    back_up(settings_of(data_dir=data_dir), file, _new_passphrase() if encrypt else None)


@app.command("restore")
def restore_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What 'vokter backup' has saved.")],
    data_dir: DataDir = None,
) -> None:
    """Bring a saved deployment back in an empty data folder.

    It goes on where it was: subscriptions, secrets, histories and notifications that wait are
    there again. What was notified after the backup is notified again, with the same ids.
    """
    from streams.cli.setup.archive import is_encrypted
    from streams.cli.setup.backup import restore

    passphrase = _passphrase("Passphrase") if is_encrypted(file) else None
    run(restore(settings_of(data_dir=data_dir), file, passphrase))


def _new_passphrase() -> str:
    passphrase = _passphrase("Passphrase")
    if not passphrase:
        raise typer.BadParameter("the passphrase is empty")
    if sys.stdin.isatty() and _passphrase("The same again") != passphrase:
        raise typer.BadParameter("the two differ")
    return passphrase


def _passphrase(question: str) -> str:
    """Ask at a terminal, else read a line of standard input."""
    if sys.stdin.isatty():
        return getpass(f"{question}: ")
    return sys.stdin.readline().rstrip("\n")
