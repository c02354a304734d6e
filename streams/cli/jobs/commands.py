"""The commands of those who watch documents, from ``subscribe`` to ``watch``."""

from pathlib import Path
from typing import Annotated

import typer

from schemas.facts import Cancel, ClientRequest, Options, Pause, Receiver, Resume, Subscribe, Test
from streams.cli.discovery import with_broker
from streams.cli.jobs import requests, tail, watch
from streams.cli.jobs.flags import with_option_flags
from streams.cli.options import DataDir, run, settings_of

app = typer.Typer()

Words = Annotated[list[str], typer.Argument(help="Keywords; '*' for any change.")]
Url = Annotated[str, typer.Argument(help="The document to watch, http or https.")]
To = Annotated[str | None, typer.Option(help="Webhook that is told of changes.")]
Session = Annotated[
    str | None, typer.Option(help="Instead of --to: a name; read the topic 'notifications'.")
]


@app.command("subscribe")
@with_option_flags
def subscribe_command(
    url: Url,
    words: Words,
    to: To = None,
    session: Session = None,
    *,
    options: Options,
    replace: Annotated[bool, typer.Option(help="Change the subscription if there is one.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Watch a document for words, for a webhook or a session."""
    request = Subscribe(
        url,
        _receiver(to, session),
        keywords=tuple(words),
        options=options,
        replace=replace,
    )
    run(requests.subscribe(with_broker(settings_of(data_dir=data_dir)), request))


@app.command("cancel")
def cancel_command(
    url: Url, to: To = None, session: Session = None, data_dir: DataDir = None
) -> None:
    """Watch a document no more, for a webhook or a session."""
    request = Cancel(url, _receiver(to, session))
    _ask(request, f"No longer watching {url}", data_dir)


@app.command("pause")
def pause_command(
    url: Url, to: To = None, session: Session = None, data_dir: DataDir = None
) -> None:
    """Tell a webhook or a session of no change of a document until it is resumed.

    A document whose subscriptions are all paused is not fetched; its snapshot stays.
    """
    request = Pause(url, _receiver(to, session))
    _ask(request, f"Paused: nothing is told of {url} until 'vokter resume'.", data_dir)


@app.command("resume")
def resume_command(
    url: Url, to: To = None, session: Session = None, data_dir: DataDir = None
) -> None:
    """Tell a webhook or a session of changes again."""
    request = Resume(url, _receiver(to, session))
    _ask(request, f"Resumed: changes of {url} are told again.", data_dir)


@app.command("test")
def try_command(url: Url, to: To = None, session: Session = None, data_dir: DataDir = None) -> None:
    """Send a webhook or a session a notification that is marked as a test."""
    request = Test(url, _receiver(to, session))
    done = "A test notification is on its way; 'vokter tail notifications' shows it,\n"
    _ask(request, done + "  'vokter tail deliveries' what comes of it at a webhook.", data_dir)


@app.command("rotate")
def rotate_command(
    url: Url,
    to: Annotated[str, typer.Option(help="Webhook whose secret is to be changed.")],
    data_dir: DataDir = None,
) -> None:
    """Change the secret that a webhook's notifications are signed with, and print it."""
    run(requests.rotate(with_broker(settings_of(data_dir=data_dir)), url, to))


@app.command("tail")
def tail_command(
    topic: Annotated[str, typer.Argument(help="Such as notifications, without the prefix.")],
    from_start: Annotated[bool, typer.Option(help="Begin with the oldest that is kept.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Print the facts on a topic as JSON lines, as they come, until Ctrl-C."""
    run(tail.run(with_broker(settings_of(data_dir=data_dir)), topic, from_start))


@app.command("watch")
def watch_command(
    url: Url,
    words: Words,
    interval: Annotated[
        int | None, typer.Option(help="Seconds between looks; default: the smallest allowed.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print changes of a page that concern these words, until Ctrl-C.

    Uses the deployment that runs, or runs one for as long as it watches.
    """
    run(watch.run(settings_of(data_dir=data_dir), url, tuple(words), interval))


def _ask(request: ClientRequest, done: str, data_dir: Path | None) -> None:
    run(requests.ask_for(with_broker(settings_of(data_dir=data_dir)), request, done))


def _receiver(to: str | None, session: str | None) -> Receiver:
    if (to is None) == (session is None):
        raise typer.BadParameter("give either --to WEBHOOK or --session NAME")
    return Receiver(to, session)
