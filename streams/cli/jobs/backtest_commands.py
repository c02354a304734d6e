"""The command ``backtest``."""

from pathlib import Path
from typing import Annotated

import typer

from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from streams.cli.durations import parse_duration
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Url, Words
from streams.cli.jobs.flags import with_option_flags
from streams.cli.options import DataDir, run, settings_of

app = command_app()

Since = Annotated[
    int | None,
    typer.Option(help="Only changes of this time.", parser=parse_duration, metavar="DURATION"),
]


@app.command("backtest")
@with_option_flags(
    "content_type",
    "on_status",
    "view",
    "interval",
    "patience",
    "patience_visits",
    "hours",
    "max_per_day",
    "timezone",
    "ignore_added",
    "ignore_removed",
    "ignore_returns",
    "ignore_noise",
    "notify_moves",
    "scope",
    "enable_stemming",
    "filter_stopwords",
    "ignore_case",
    "snippet_offset",
    "when",
)
def backtest_command(
    url: Url,
    words: Words = None,
    *,
    options: Options,
    since: Since = None,
    limit: Annotated[
        int, typer.Option(help="Notifications to print, the newest.", min=1, max=1_000)
    ] = 10,
    manager: Annotated[str, typer.Option(help="The history of this manager.")] = "default",
    archive: Annotated[
        list[Path] | None,
        typer.Option(
            help="Captures of the page in this WARC file, instead of the store's; repeatable.",
            exists=True,
            dir_okay=False,
            readable=True,
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Show what a subscription would have been notified of by the changes that are kept.

    Reads the store. Only changes of the page in the same view count, since the manager
    subscribed to it. Of a page without a history, archives can be read instead.
    """
    from streams.cli.jobs import backtesting

    asked = Subscribe(
        url, Receiver("channel:try"), manager=manager, keywords=tuple(words or ()), options=options
    )
    shown = backtesting.ShownPart(since, limit, is_json=json_)
    settings = settings_of(data_dir=data_dir)
    if archive:
        run(backtesting.print_archive_backtest(settings, asked, shown, [*map(str, archive)]))
    else:
        run(backtesting.print_backtest(settings, asked, shown))
