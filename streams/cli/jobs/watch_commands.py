"""The command ``watch``."""

from typing import Annotated

import typer

from schemas.records.subscriptions import Options
from streams.cli.durations import parse_duration
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Url, Words
from streams.cli.jobs.flags import with_option_flags
from streams.cli.options import DataDir, run, settings_of

app = command_app()


@app.command("watch")
@with_option_flags(
    "view",
    "scope",
    "ignore_returns",
    "ignore_noise",
    "notify_moves",
    "notify_failures",
    "when",
)
def watch_command(
    url: Url,
    words: Words = None,
    *,
    options: Options,
    interval: Annotated[
        int | None,
        typer.Option(
            help="Time between fetches, such as 30s or 5m; default: the smallest allowed.",
            parser=parse_duration,
            metavar="DURATION",
        ),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print changes of a page that add or remove these words, until Ctrl-C.

    Uses the running deployment, or starts one and stops it at the end. Prints why the page
    cannot be read, and ends when the watch does.
    """
    from streams.cli.jobs import watch

    run(watch.run(settings_of(data_dir=data_dir), url, tuple(words or ()), interval, options))
