"""``vokter credentials …``: set, list and remove the credentials of pages behind a login."""

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from streams.cli.discovery import with_broker
from streams.cli.durations import shown_age
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import parse_url
from streams.cli.options import DataDir, Manager, result_of, settings_of
from streams.cli.output import print_table, printable, say
from streams.effects.clock import now

if TYPE_CHECKING:
    from schemas.records.credentials import Credentials, SealedCredentials
    from streams.settings import Settings

app = command_app("Set, list and remove credentials for pages behind a login.")

Name = Annotated[str, typer.Argument(help="The name by which views use the credentials.")]


@app.command("set")
def set_command(
    name: Name,
    url: Annotated[
        str | None,
        typer.Option(
            "--for",
            help="The site that they are sent to: scheme, host and port of this URL.",
            parser=parse_url,
            metavar="URL",
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(help="Name of a header; its value is asked for, or read from stdin."),
    ] = None,
    header_file: Annotated[
        str | None,
        typer.Option(help="File with lines 'Name: value'; - for stdin.", metavar="FILE"),
    ] = None,
    basic: Annotated[
        str | None,
        typer.Option(
            help="User name; its password is asked for, or read from stdin.", metavar="USER"
        ),
    ] = None,
    cookies: Annotated[
        str | None,
        typer.Option(help="File of cookies in the Netscape format; - for stdin.", metavar="FILE"),
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(help="File of a storage state of Playwright; - for stdin.", metavar="FILE"),
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option(
            help="Name of a secret that steps write; its value is asked for, or read from stdin."
        ),
    ] = None,
    channel: Annotated[
        bool,
        typer.Option(
            "--channel",
            help="Send notifications to an address of Apprise, which is asked for, or read from "
            "stdin.",
        ),
    ] = False,
    title: Annotated[
        str, typer.Option(help="Template of the titles of a channel's messages.")
    ] = "",
    body: Annotated[
        str | None,
        typer.Option(help="File with the template of their texts.", metavar="FILE"),
    ] = None,
    digest: Annotated[
        str | None,
        typer.Option(help="Send them together: daily or weekly.", metavar="PERIOD"),
    ] = None,
    hour: Annotated[
        str | None, typer.Option(help="Hour of the digest, 0 to 23.", show_default="8")
    ] = None,
    timezone: Annotated[
        str | None,
        typer.Option(help="Its time zone, such as Europe/Berlin.", show_default="UTC"),
    ] = None,
    weekday: Annotated[
        str | None, typer.Option(help="Day of a weekly digest.", show_default="monday")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(help="Language of a channel's messages.", show_default="VOKTER_LANGUAGE"),
    ] = None,
    manager: Manager = "default",
    data_dir: DataDir = None,
) -> None:
    """Store credentials, encrypted, in place of those of the same name."""
    from streams.cli.credentials.asking import CredentialsOptions, read_credentials

    headers, secrets = tuple(header or ()), tuple(secret or ())
    options = {"digest": digest, "hour": hour, "timezone": timezone, "weekday": weekday}
    options["language"] = language
    asked = CredentialsOptions(
        *(url, headers, header_file, basic, cookies, storage, secrets, channel, title, body),
        options=tuple((name, value) for name, value in options.items() if value is not None),
    )
    given = read_credentials(asked)
    settings = with_broker(settings_of(data_dir=data_dir))
    row = result_of(_store_credentials(settings, manager, name, given))
    say(f"Stored {row.name} ({row.kind}) for {row.sent_to}.")


@app.command("list")
def list_command(manager: Manager = "default", data_dir: DataDir = None) -> None:
    """List credentials, without their secrets."""
    from streams.cli.setup.existing_store import existing_store

    settings = settings_of(data_dir=data_dir)

    async def listed() -> "list[SealedCredentials]":
        async with existing_store(settings) as store:
            return await store.credentials.all_of(manager)

    print_credentials(result_of(listed()), now())


@app.command("remove")
def remove_command(name: Name, manager: Manager = "default", data_dir: DataDir = None) -> None:
    """Delete credentials; visits that use them fail from then on."""
    from streams.cli.setup.existing_store import existing_store

    settings = settings_of(data_dir=data_dir)

    async def remove() -> None:
        async with existing_store(settings) as store:
            if not await store.credentials.remove(manager, name):
                raise LookupError(f"the manager {manager!r} has no credentials {name!r}")

    result_of(remove())
    say(f"Removed {name}.")


async def _store_credentials(
    settings: "Settings", manager: str, name: str, given: "Credentials"
) -> "SealedCredentials":
    """Encrypt and store credentials; raises the errors of ``Vault.put`` and of the store."""
    from connectors.credentials.errors import CredentialsUnusable
    from connectors.credentials.vault import Vault
    from streams.cli.setup.existing_store import existing_store
    from streams.cli.setup.preparation import deployed_signing_key
    from streams.effects.deliver import opened_sender

    async with existing_store(settings) as store:
        key = await deployed_signing_key(settings)
        if key is None:
            raise CredentialsUnusable(
                "credentials are encrypted with the deployment's signing key, and this machine "
                "does not have it: set VOKTER_SIGNING_KEY, or use PUT /credentials/NAME"
            )
        vault = Vault(store.credentials, lambda: key, now, monotonic)
        async with opened_sender(settings, vault.open) as announcer:
            await announcer.check(manager, given)
        return await vault.put(manager, name, given)


def print_credentials(found: Sequence["SealedCredentials"], now: int) -> None:
    """Print a table with whole names and sites, on as many lines as they need."""
    from rich.table import Table

    table = Table()
    for title in ("name", "kind", "for", "set", "last used"):
        table.add_column(title, overflow="fold", no_wrap=title not in {"name", "for"})
    for row in found:
        used = "never" if row.used_at is None else shown_age(now - row.used_at)
        cells = row.name, row.kind, row.sent_to, shown_age(now - row.set_at), used
        table.add_row(*map(printable, cells))
    print_table(table)
    say(f"{len(found)} credentials.")
