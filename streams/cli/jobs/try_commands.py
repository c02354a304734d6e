"""The command ``try``."""

from typing import Annotated

import typer

from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Url
from streams.cli.jobs.flags import with_option_flags
from streams.cli.options import DataDir, run, settings_of

app = command_app()

OPTIONS = (
    "content_type", "on_status", "view", "scope", "enable_stemming", "filter_stopwords",
    "ignore_case",
)  # fmt: skip
"""Those that say how a page is read, and where its words are."""


@app.command("try")
@with_option_flags(
    "content_type",
    "on_status",
    "view",
    "scope",
    "enable_stemming",
    "filter_stopwords",
    "ignore_case",
)
def try_page_command(
    url: Url,
    words: Annotated[
        list[str] | None, typer.Argument(help="Keywords to look for in the text.")
    ] = None,
    *,
    options: Options,
    lines: Annotated[int, typer.Option(help="Lines of the text to print.", min=0)] = 20,
    all_: Annotated[bool, typer.Option("--all", help="Print all of the text.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Fetch a page once, and show what Vokter sees of it.

    Needs no running deployment, and leaves nothing in one. Shows what each selector of a view
    finds, and the sentences with the words.
    """
    from streams.cli.jobs import trying

    asked = Subscribe(
        url, Receiver(session="try"), keywords=tuple(words or ("*",)), options=options
    )
    shown = trying.Shown(None if all_ else lines, is_json=json_)
    run(trying.try_page(settings_of(data_dir=data_dir), asked, shown))
