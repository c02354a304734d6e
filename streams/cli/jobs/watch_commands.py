"""The command ``watch``."""

from typing import Annotated

import typer

from streams.cli.jobs import watch
from streams.cli.jobs.arguments import Url, Words
from streams.cli.options import DataDir, run, settings_of

app = typer.Typer()


@app.command("watch")
def watch_command(
    url: Url,
    words: Words,
    interval: Annotated[
        int | None, typer.Option(help="Seconds between fetches; default: the smallest allowed.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print changes of a page that add or remove these words, until Ctrl-C.

    Uses the running deployment, or starts one and stops it at the end.
    """
    run(watch.run(settings_of(data_dir=data_dir), url, tuple(words), interval))
