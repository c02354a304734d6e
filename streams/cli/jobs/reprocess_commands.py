"""The command ``reprocess``."""

from typing import Annotated

import typer

from schemas.records.subscriptions import Options
from streams.cli.durations import parse_duration
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import parse_url
from streams.cli.jobs.flags import with_option_flags
from streams.cli.options import DataDir, run, settings_of

app = command_app()


@app.command("reprocess")
@with_option_flags("content_type", "view")
def reprocess_command(
    url: Annotated[
        str | None,
        typer.Argument(
            help="The page to read again; https if no scheme is named.",
            parser=parse_url,
            metavar="[URL]",
        ),
    ] = None,
    *,
    options: Options,
    all_: Annotated[bool, typer.Option("--all", help="All pages that are watched.")] = False,
    since: Annotated[
        int | None,
        typer.Option(
            help="Only what was kept in this time.", parser=parse_duration, metavar="DURATION"
        ),
    ] = None,
    apply: Annotated[
        bool,
        typer.Option(help="Replace the newest texts that another version of a reader has read."),
    ] = False,
    diff: Annotated[bool, typer.Option(help="Print the differences of each page.")] = False,
    manager: Annotated[str, typer.Option(help="With a view: who subscribes.")] = "default",
    json_: Annotated[
        bool, typer.Option("--json", help="Print a line of JSON for each page.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Read kept pages again with the readers and stemmers that run now, or in another view.

    Shows which texts, changes and notifications would be others. Replaces nothing without
    --apply, and notifies nobody. Pages have to be kept for it: VOKTER_KEEP_BODIES.
    """
    from streams.cli.jobs.reprocess_pages import AskedPages
    from streams.cli.jobs.reprocessing import ShownPages, reprocess_pages

    if (url is None) != all_:
        raise typer.BadParameter("name one URL, or --all", param_hint="URL")
    asked = AskedPages(url, options, manager, since, replace=apply)
    if asked.has_view and (all_ or apply):
        raise typer.BadParameter(
            "another view is tried for one URL, and replaces no text; to use it, subscribe with "
            "it ('vokter subscribe')",
            param_hint="view",
        )
    shown = ShownPages(diff=diff, is_json=json_)
    run(reprocess_pages(settings_of(data_dir=data_dir), asked, shown))
