"""The commands for subscriptions and their notifications, from ``subscribe`` to ``tail``."""

from pathlib import Path
from typing import Annotated

import typer

from schemas.codec.times import rfc3339
from schemas.records.requests import (
    MAX_BACKFILLED,
    Backfill,
    Cancel,
    ClientRequest,
    Pause,
    Resume,
    Subscribe,
    Test,
)
from schemas.records.subscriptions import Options
from streams.cli.discovery import with_broker
from streams.cli.durations import parse_duration
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Document, Url, Words, parse_client_url, receiver_of
from streams.cli.jobs.flags import with_option_flags
from streams.cli.options import DataDir, run, settings_of
from streams.effects.clock import now

app = command_app()

To = Annotated[
    str | None,
    typer.Option(
        help="URL of the webhook to notify, or channel:NAME.",
        parser=parse_client_url,
        metavar="URL",
    ),
]
Session = Annotated[
    str | None,
    typer.Option(help="Instead of --to: a session, which reads the topic notifications."),
]


@app.command("subscribe")
@with_option_flags()
def subscribe_command(
    url: Document,
    words: Words = None,
    to: To = None,
    session: Session = None,
    *,
    options: Options,
    replace: Annotated[bool, typer.Option(help="Replace an existing subscription.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Watch a document, and notify a webhook or a session when words appear or disappear."""
    from streams.cli.jobs import requests

    request = Subscribe(
        url,
        receiver_of(to, session),
        keywords=tuple(words or ()),
        options=options,
        replace=replace,
    )
    run(requests.subscribe(with_broker(settings_of(data_dir=data_dir)), request))


@app.command("cancel")
def cancel_command(
    url: Document, to: To = None, session: Session = None, data_dir: DataDir = None
) -> None:
    """Cancel the subscription of a webhook or a session to a document."""
    request = Cancel(url, receiver_of(to, session))
    _ask(request, f"No longer watching {url}", data_dir)


@app.command("pause")
def pause_command(
    url: Document, to: To = None, session: Session = None, data_dir: DataDir = None
) -> None:
    """Pause a subscription: no notifications until it is resumed.

    A document is not fetched while all its subscriptions are paused; its snapshot stays.
    """
    request = Pause(url, receiver_of(to, session))
    _ask(request, f"Paused: no notifications of {url} until 'vokter resume'.", data_dir)


@app.command("resume")
def resume_command(
    url: Document, to: To = None, session: Session = None, data_dir: DataDir = None
) -> None:
    """Resume a paused subscription."""
    request = Resume(url, receiver_of(to, session))
    _ask(request, f"Resumed: changes of {url} are notified again.", data_dir)


@app.command("test")
def try_command(
    url: Document, to: To = None, session: Session = None, data_dir: DataDir = None
) -> None:
    """Send a test notification to a webhook or a session."""
    request = Test(url, receiver_of(to, session))
    done = (
        "A test notification is on its way:\n"
        "  'vokter tail notifications --from-start' shows it,\n"
        "  'vokter tail deliveries --from-start' whether a webhook accepted it."
    )
    _ask(request, done, data_dir)


@app.command("backfill")
def backfill_command(
    url: Url,
    to: To = None,
    session: Session = None,
    since: Annotated[
        int | None,
        typer.Option(help="Only changes of this time.", parser=parse_duration, metavar="DURATION"),
    ] = None,
    limit: Annotated[
        int, typer.Option(help="Notifications at most, the newest.", min=1, max=MAX_BACKFILLED)
    ] = MAX_BACKFILLED,
    data_dir: DataDir = None,
) -> None:
    """Notify a webhook or a session of changes that are kept, marked as history.

    What it was notified of already is left out. 'vokter backtest' shows the rest before.
    """
    begin = "" if since is None else rfc3339(max(0, now() - 1000 * since))
    request = Backfill(url, receiver_of(to, session), since=begin, limit=limit)
    done = (
        "Notifications that are new to it follow:\n"
        "  'vokter tail notifications --from-start' shows them,\n"
        "  'vokter tail deliveries --from-start' whether a webhook accepted them."
    )
    _ask(request, done, data_dir)


@app.command("rotate")
def rotate_command(
    url: Document,
    to: Annotated[str, typer.Option(help="URL of the webhook.")],
    data_dir: DataDir = None,
) -> None:
    """Change the secret that signs a webhook's notifications, and print it."""
    from streams.cli.jobs import requests

    run(requests.rotate(with_broker(settings_of(data_dir=data_dir)), url, to))


@app.command("tail")
def tail_command(
    topic: Annotated[str, typer.Argument(help="A topic, such as notifications.")],
    from_start: Annotated[bool, typer.Option(help="Begin with the oldest message.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Print the messages on a topic as JSON lines, as they arrive, until Ctrl-C."""
    settings = with_broker(settings_of(data_dir=data_dir))
    from streams.cli.jobs import tail  # without a deployment no client is needed

    run(tail.run(settings, topic, from_start))


def _ask(request: ClientRequest, done: str, data_dir: Path | None) -> None:
    settings = with_broker(settings_of(data_dir=data_dir))
    from streams.cli.jobs import requests  # as above

    run(requests.ask_for(settings, request, done))
