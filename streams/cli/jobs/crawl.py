"""``vokter pages``: the pages that a crawl covers."""

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from schemas.records.urls import canonical
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import parse_url
from streams.cli.options import AsJson, DataDir, Manager, settings_of
from streams.cli.output import print_json, printable, say

if TYPE_CHECKING:
    from connectors.reads.covered_pages import PageState
    from connectors.stores.pages import WithoutRoom
    from streams.settings import Settings

app = command_app()


@app.command("pages")
def pages_command(
    crawl: Annotated[
        str, typer.Argument(help="Id of the subscription that crawls, or its beginning.")
    ],
    url: Annotated[
        str | None,
        typer.Option(help="Why is this page covered, or not?", parser=parse_url, metavar="URL"),
    ] = None,
    removed: Annotated[
        bool, typer.Option("--removed", help="Those that are covered no longer, or were left out.")
    ] = False,
    manager: Manager = "default",
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List the pages that a crawl covers, and say why it covers a page or does not.

    Reads the store, which may lag by some seconds.
    """
    reading = _read_pages(settings_of(data_dir=data_dir), manager, crawl, url, removed=removed)
    pages, without_room = asyncio.run(reading)
    if as_json:
        from connectors.api.listed import page_json

        for page in pages:
            print_json(page_json(page))
        return
    from connectors.display.subscription_texts import without_room_text

    for line in page_lines(pages):
        print(line)
    say(f"{len(pages)} pages.")
    if without_room:
        say(f"{without_room_text(without_room.count)}; with --removed they are listed.")


async def _read_pages(
    settings: "Settings", manager: str, crawl: str, url: str | None, *, removed: bool
) -> tuple[Sequence["PageState"], "WithoutRoom | None"]:
    """Read the pages of a manager's crawl (its subscription's id) from the store, newest first.

    Those that are covered, or those that were ``removed``, with those without room; or the state
    of one ``url``. Raises LookupError if it is no crawl.
    """
    from connectors.reads.covered_pages import CoveredPages
    from streams.agents.crawl.scope import why_not
    from streams.cli.setup.existing_store import PAGE, existing_store, full_id, listing_pages

    async with existing_store(settings) as store:
        name = await full_id(store, manager, crawl)
        listed = await store.subscriptions.get(manager, name)
        if listed is None:
            raise LookupError(
                f"There is no subscription {crawl} of {manager}; vokter list --json has ids"
            )
        pages = CoveredPages(store.facts, why_not)
        if url is not None:
            return [await pages.state_of(listed.subscription, canonical(url) or url)], None
        read = partial(pages.listed, listed.subscription, limit=PAGE, removed=removed)
        found = [each async for page in listing_pages(read) for each in page.items]
        if not found and listed.subscription.options.crawl is None:
            raise LookupError(
                f"The subscription {name} follows no links: it covers "
                f"{listed.subscription.document_url} alone."
            )
        return found, listed.without_room


def page_lines(pages: Sequence["PageState"]) -> Iterator[str]:
    """Yield two lines for each page: its state and URL, then the reason.

    >>> from connectors.reads.covered_pages import PageState
    >>> next(page_lines([PageState("https://example.org/a", "watched", "")]))
    'watched  https://example.org/a'
    """
    for page in pages:
        yield f"{page.state}  {printable(page.url)}"
        yield f"    {printable(page.reason)}"
