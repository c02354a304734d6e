"""The commands that prepare a deployment, or save, restore and grow one; and the shell's."""

import sys
from enum import StrEnum
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from streams.cli.discovery import with_broker
from streams.cli.groups import COMPLETION_VARIABLE, command_app
from streams.cli.options import DataDir, result_of, run, settings_of, stops_as_exits
from streams.cli.output import say

app = command_app()
topics = command_app("Create the topics of a deployment.")
store = command_app("Copy the store, or move a deployment to another.")
signing_key = command_app("Change the key that webhooks are signed with.")

Encrypt = Annotated[
    bool, typer.Option("--encrypt", help="Ask for a passphrase, and encrypt the file with it.")
]


class Shell(StrEnum):
    """A shell with completion."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@topics.command("create")
def topics_create(data_dir: DataDir = None) -> None:
    """Create the topics that are missing, and check the partitions of the others."""
    from streams.cli.setup.preparation import create_all_topics
    from streams.effects.topics import topic_specs

    settings = with_broker(settings_of(data_dir=data_dir))
    say(f"Creating topics on {settings.kafka} ...")
    created = result_of(create_all_topics(settings))
    for name in created:
        print(name)
    say(f"{len(created)} created, {len(topic_specs(settings)) - len(created)} already existed.")


@store.command("claim")
def store_claim(data_dir: DataDir = None) -> None:
    """Make the store in VOKTER_STORE the deployment's, in place of the one that it used."""
    from streams.cli.setup.preparation import prepare_deployment

    settings = with_broker(settings_of(data_dir=data_dir))

    async def claim() -> None:
        location = await prepare_deployment(settings, replace=True)
        say(f"The deployment now uses the store {location}.")

    run(claim())


@store.command("copy")
def store_copy(
    source: Annotated[
        str, typer.Argument(metavar="FROM", help="Store to copy, spelled as in VOKTER_STORE.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TO", help="Store to copy into, spelled as in VOKTER_STORE.")
    ],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Copy into a store that is not empty.")
    ] = False,
) -> None:
    """Copy a whole store into another one, for example from SQLite to MongoDB.

    Stop all workers first. The same command continues a copy that was interrupted.
    """
    from streams.cli.setup.store_copy import copy_store

    run(copy_store(source, target, overwrite, settings_of().bodies))


@signing_key.command("claim")
def signing_key_claim(data_dir: DataDir = None) -> None:
    """Make this machine's signing key the deployment's; the secrets of all webhooks change.

    Restart the API and all deliver workers afterwards.
    """
    from schemas.codec.signing import fingerprint
    from streams.cli.setup.preparation import claim_signing_key, create_all_topics

    settings = with_broker(settings_of(data_dir=data_dir))
    result_of(create_all_topics(settings))
    key = result_of(claim_signing_key(settings, replace=True))
    say(f"The deployment now signs with the key {fingerprint(key)}.")
    say("Restart the API and deliver. Clients get their new secrets with POST /rotate.")


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

    settings, passphrase = settings_of(data_dir=data_dir), None
    if encrypt:
        passphrase = _passphrase("Passphrase")
        if not passphrase:
            raise typer.BadParameter("the passphrase is empty")
        if sys.stdin.isatty() and _passphrase("The same again") != passphrase:
            raise typer.BadParameter("the two differ")
    with stops_as_exits():
        back_up(settings, file, passphrase)


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


@app.command("completion")
def completion_command(
    shell: Annotated[Shell, typer.Argument(help="The shell.", metavar="bash|zsh|fish")],
) -> None:
    """Print the script with which a shell completes commands and options.

    For bash: eval "$(vokter completion bash)" in ~/.bashrc; for zsh the same with zsh in ~/.zshrc,
    after compinit; for fish: vokter completion fish > ~/.config/fish/completions/vokter.fish
    """
    from typer._completion_shared import get_completion_script

    print(get_completion_script(prog_name="vokter", complete_var=COMPLETION_VARIABLE, shell=shell))


def _passphrase(question: str) -> str:
    """Ask at a terminal, else read a line of standard input."""
    if sys.stdin.isatty():
        return getpass(f"{question}: ")
    return sys.stdin.readline().rstrip("\n")
