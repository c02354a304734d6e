"""The commands ``vokter keys …``, for API keys."""

from typing import Annotated

import typer

from connectors.access.roles import Role
from streams.cli.groups import command_app
from streams.cli.options import AsJson, DataDir, Yes, settings_of
from streams.cli.output import print_json, print_table, printable, say

app = command_app("Add, list and remove API keys. [VOKTER_API_KEYS]")

WITHOUT_KEYS = "default"
"""The manager of those who call without a key."""

Manager = Annotated[str, typer.Argument(help="The manager that the key authenticates.")]
Subscriptions = Annotated[
    int | None, typer.Option(min=1, help="Most subscriptions that the manager may have.")
]
PerMinute = Annotated[int | None, typer.Option(min=1, help="Most requests a minute.")]
KeyRole = Annotated[
    Role,
    typer.Option(help="read: see only; write: also subscribe and cancel; admin: also operate."),
]
Id = Annotated[str, typer.Argument(help="The key's id in `vokter keys list`.")]


@app.command("add")
def add(
    manager: Manager,
    subscriptions: Subscriptions = None,
    per_minute: PerMinute = None,
    role: KeyRole = Role.WRITE,
    data_dir: DataDir = None,
) -> None:
    """Create a key and print it; it is not shown again. A running API accepts it at once."""
    from connectors.access.keys import change_keys, new_key

    path = settings_of(data_dir=data_dir).keys_file
    secret, key = new_key(manager, subscriptions, per_minute, role)
    known = change_keys(path, lambda keys: (*keys, key))
    say(f"Key {key.id} with the role {role} for the manager {manager!r} (only its hash is stored,")
    say(f"in {path}):")
    print(secret)
    if not known:
        say("This is the first key. A running API now requires one; after a restart it listens on")
        say("VOKTER_HOST. After a restart of deliver, webhooks must answer a challenge")
        say("(VOKTER_VERIFY_WEBHOOKS).")
        if manager != WITHOUT_KEYS:
            say(f"What was subscribed without keys belongs to the manager {WITHOUT_KEYS!r}: only a")
            say(f"key of it, from `vokter keys add {WITHOUT_KEYS}`, sees it.")


@app.command("list")
def show(
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List all keys, without their secrets."""
    from rich.table import Table

    from connectors.access.keys import load_keys

    keys = load_keys(settings_of(data_dir=data_dir).keys_file)
    if as_json:
        for key in keys:
            quotas = {"subscriptions": key.subscriptions, "perMinute": key.per_minute}
            print_json({"id": key.id, "manager": key.manager, "role": key.role, **quotas})
        return
    table = Table("id", "manager", "role", "subscriptions", "per minute")
    for key in keys:
        shown = (str(each or "any") for each in (key.subscriptions, key.per_minute))
        table.add_row(key.id, printable(key.manager), key.role, *shown)
    print_table(table)
    if not keys:
        say("There is no key yet: vokter keys add MANAGER creates one.")


@app.command("remove")
def remove(
    key_id: Id,
    yes: Yes = False,
    data_dir: DataDir = None,
) -> None:
    """Remove a key; a running API refuses it at once. Asks first if it is the last one."""
    from connectors.access.keys import change_keys, load_keys

    settings = settings_of(data_dir=data_dir)
    path = settings.keys_file
    known = {key.id for key in load_keys(path)}
    if key_id not in known:
        raise LookupError(f"there is no API key {key_id!r} in {path}")
    if known == {key_id}:
        say("This is the last key. A running API then refuses all calls with a key or without.")
        if settings.oidc_issuer is None:
            say("After a restart it needs no key. It listens on this machine only, and everybody")
            say(f"who can reach it there is the manager {WITHOUT_KEYS!r}.")
        say("After a restart of deliver, webhooks get no challenge (VOKTER_VERIFY_WEBHOOKS).")
        if not yes:
            typer.confirm(f"Remove {key_id}?", abort=True)
    change_keys(path, lambda keys: (key for key in keys if key.id != key_id))
    say(f"Removed {key_id}.")
