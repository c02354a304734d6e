"""The commands ``vokter keys …``: who may call the API."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from connectors.api.access.keys import load_keys, new_key, save_keys
from streams.cli.options import DataDir, settings_of
from streams.cli.output import say

app = typer.Typer(help="The API keys, in VOKTER_API_KEYS.", no_args_is_help=True)

Manager = Annotated[str, typer.Argument(help="The name space that the key speaks for.")]
Subscriptions = Annotated[
    int | None, typer.Option(min=1, help="How many subscriptions the manager may have.")
]
PerMinute = Annotated[
    int | None, typer.Option(min=1, help="How many requests a minute it may make.")
]
Id = Annotated[str, typer.Argument(help="As `vokter keys list` shows it.")]


@app.command("add")
def add(
    manager: Manager,
    subscriptions: Subscriptions = None,
    per_minute: PerMinute = None,
    data_dir: DataDir = None,
) -> None:
    """Make a key and print it, this once. A running API knows it at once."""
    path = settings_of(data_dir=data_dir).keys_file
    known = load_keys(path)
    secret, key = new_key(manager, subscriptions, per_minute)
    save_keys(path, (*known, key))
    say(f"Key {key.id} for the manager {manager!r}; only its hash is kept, in {path}:")
    print(secret)
    if not known:
        say("It is the first one: an API that already runs needs a key from now on, and listens")
        say("beyond this machine (VOKTER_HOST) after its next start. Webhooks have to answer a")
        say("challenge (VOKTER_VERIFY_WEBHOOKS) after the next start of deliver.")


@app.command("list")
def show(data_dir: DataDir = None) -> None:
    """Show all keys but their secrets."""
    table = Table("id", "manager", "subscriptions", "per minute")
    for key in load_keys(settings_of(data_dir=data_dir).keys_file):
        quotas = (key.subscriptions, key.per_minute)
        table.add_row(key.id, key.manager, *(str(each or "any") for each in quotas))
    Console().print(table)


@app.command("remove")
def remove(key_id: Id, data_dir: DataDir = None) -> None:
    """Make a key worthless, at once."""
    path = settings_of(data_dir=data_dir).keys_file
    known = load_keys(path)
    if key_id not in {key.id for key in known}:
        raise LookupError(f"there is no API key {key_id!r} in {path}")
    save_keys(path, (key for key in known if key.id != key_id))
    say(f"Removed {key_id}.")
