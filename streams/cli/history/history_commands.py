"""The command ``vokter history``."""

from pathlib import Path
from typing import Annotated

import typer

from streams.cli.durations import parse_duration
from streams.cli.groups import command_app
from streams.cli.options import DataDir, run, settings_of

app = command_app()


@app.command("history")
def history_command(
    file: Annotated[
        Path, typer.Argument(help="NAME.jsonl, NAME.jsonl.gz or NAME.parquet.", metavar="FILE")
    ],
    url: Annotated[
        list[str] | None, typer.Option(help="Only of this page; may be repeated.")
    ] = None,
    since: Annotated[
        int | None,
        typer.Option(help="Only changes of this time.", parser=parse_duration, metavar="DURATION"),
    ] = None,
    manager: Annotated[str, typer.Option(help="The history of this manager.")] = "default",
    data_dir: DataDir = None,
) -> None:
    """Save the changes that are kept as a table: one row for each sentence that changed.

    Parquet needs the library pyarrow.
    """
    from streams.cli.history.export import HistoryAsked, save_history

    asked = HistoryAsked(manager, tuple(url or ()), since)
    run(save_history(settings_of(data_dir=data_dir), asked, file))
