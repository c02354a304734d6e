"""The commands for the credentials of pages behind a login."""

from typing import Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.jobs.arguments import parse_url
from streams.cli.options import DataDir, result_of, settings_of
from streams.cli.output import say
from streams.effects.clock import now

app = command_app("Set, list and remove credentials for pages behind a login.")

Name = Annotated[str, typer.Argument(help="The name by which views use the credentials.")]
Manager = Annotated[str, typer.Option(help="The manager that they belong to.")]


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
    manager: Manager = "default",
    data_dir: DataDir = None,
) -> None:
    """Store credentials, encrypted, in place of those of the same name."""
    from streams.cli.credentials.asking import Asked, read_credentials
    from streams.cli.credentials.work import store_credentials
    from streams.cli.discovery import with_broker

    headers, secrets = tuple(header or ()), tuple(secret or ())
    options = {"digest": digest, "hour": hour, "timezone": timezone, "weekday": weekday}
    asked = Asked(
        *(url, headers, header_file, basic, cookies, storage, secrets, channel, title, body),
        digest=tuple((name, value) for name, value in options.items() if value is not None),
    )
    given = read_credentials(asked)
    settings = with_broker(settings_of(data_dir=data_dir))
    row = result_of(store_credentials(settings, manager, name, given))
    say(f"Stored {row.name} ({row.kind}) for {row.sent_to}.")


@app.command("list")
def list_command(manager: Manager = "default", data_dir: DataDir = None) -> None:
    """List credentials, without their secrets."""
    from streams.cli.credentials.display import print_credentials
    from streams.cli.credentials.work import list_credentials

    found = result_of(list_credentials(settings_of(data_dir=data_dir), manager))
    print_credentials(found, now())


@app.command("remove")
def remove_command(name: Name, manager: Manager = "default", data_dir: DataDir = None) -> None:
    """Delete credentials; visits that use them fail from then on."""
    from streams.cli.credentials.work import remove_credentials

    result_of(remove_credentials(settings_of(data_dir=data_dir), manager, name))
    say(f"Removed {name}.")
