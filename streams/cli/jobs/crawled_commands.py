"""The command ``pages``."""

import asyncio
from typing import Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.jobs.arguments import parse_url
from streams.cli.options import DataDir, settings_of
from streams.cli.output import print_json

app = command_app()


@app.command("pages")
def pages_command(
    crawl: Annotated[str, typer.Argument(help="Id of the subscription that crawls.")],
    url: Annotated[
        str | None,
        typer.Option(help="Why is this page covered, or not?", parser=parse_url, metavar="URL"),
    ] = None,
    removed: Annotated[
        bool, typer.Option("--removed", help="Those that are covered no longer, or were left out.")
    ] = False,
    manager: Annotated[str, typer.Option(help="The manager that crawls.")] = "default",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List the pages that a crawl covers, and say why it covers a page or does not.

    Reads the store, which may lag by some seconds.
    """
    from connectors.api.listed import page_json
    from streams.cli.jobs.crawled_pages import PagesAsked, print_pages, read_pages

    asked = PagesAsked(manager, crawl, removed, url)
    found = asyncio.run(read_pages(settings_of(data_dir=data_dir), asked))
    if not as_json:
        print_pages(found)
        return
    for page in found.pages:
        print_json(page_json(page))
