"""``vokter search``: words in the changes seen by the watches of a manager, from the store."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Since
from streams.cli.options import AsJson, DataDir, OfManager, settings_of
from streams.effects.clock import now

if TYPE_CHECKING:
    from connectors.reads.change_search import SearchHit
    from streams.settings import Settings

app = command_app()

PER_PAGE = 100


@app.command("search")
def search_command(
    words: Annotated[
        list[str],
        typer.Argument(help="Words that a change has, in any form. Quote what stands together."),
    ],
    since: Since = None,
    limit: Annotated[int, typer.Option(help="At most so many, the newest.", min=1)] = 20,
    manager: OfManager = "default",
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Find words in the changes that your watches saw, newest first.

    Reads the store, which may lag by some seconds.
    """
    from connectors.reads.change_search import hit_json
    from streams.cli.output import json_line, say

    begin = 0 if since is None else max(0, now() - 1000 * since)
    text = " ".join(f'"{each}"' if " " in each.strip() else each for each in words)
    settings = settings_of(data_dir=data_dir)
    try:
        hits = asyncio.run(_search(settings, manager, text, begin, limit))
    except ValueError as error:
        raise typer.BadParameter(str(error).removeprefix("q: "), param_hint="WORDS") from None
    if as_json:
        for hit in hits:
            print(json_line(hit_json(hit)))
        return
    _print(hits)
    say(f"{len(hits)} changes.")


async def _search(
    settings: "Settings", manager: str, text: str, since: int, limit: int
) -> list["SearchHit"]:
    """Return the matches; raises ValueError for no search, and the errors of a store."""
    from connectors.reads.change_search import ChangeSearches
    from connectors.stores.pages import ListingPage
    from streams.cli.setup.existing_store import existing_store, first_items
    from streams.effects.search import search_words

    async with existing_store(settings) as store:
        searches = ChangeSearches(store.search, search_words(settings))
        phrases = searches.phrases(text)

        async def read(after: str | None) -> ListingPage["SearchHit"]:
            page = await searches.found(manager, phrases, since, after, min(limit, PER_PAGE))
            return searches.hits(page, phrases)

        return await first_items(read, limit)


def _print(hits: list["SearchHit"]) -> None:
    from rich.console import Console
    from rich.text import Text

    from connectors.reads.change_search import parts_of
    from schemas.codec.times import minute_utc
    from streams.cli.output import printable, printable_parts

    console = Console(width=None if sys.stdout.isatty() else 400, highlight=False)
    for hit in hits:
        title = hit.subscription.name or hit.change.title
        console.print(Text(f"{minute_utc(hit.change.at)}  {printable(title)}".rstrip(), "bold"))
        console.print(Text(f"  {hit.change.url}", "dim"))
        parts = list(parts_of(hit.excerpt))
        texts = printable_parts([text for text, _ in parts])
        styles = ("bold underline" if is_found else "" for _, is_found in parts)
        console.print(Text("  ").append_text(Text.assemble(*zip(texts, styles, strict=True))))
