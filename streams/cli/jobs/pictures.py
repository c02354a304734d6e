"""``vokter picture``: the picture of a page with its text."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Page, ViewOf
from streams.cli.options import DataDir, Manager, settings_of
from streams.cli.output import say

app = command_app()


@app.command("picture")
def picture_command(
    url: Page,
    file: Annotated[Path, typer.Argument(help="Where to save it, as a JPEG.")],
    manager: Manager = "default",
    subscription: ViewOf = None,
    earlier: Annotated[
        bool, typer.Option("--earlier", help="The one before the last change of the text.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Save the picture that was taken with the text of a page (view.screenshot)."""
    from streams.cli.setup.existing_store import existing_store, page_and_id

    settings = settings_of(data_dir=data_dir)

    async def read() -> bytes | None:
        at = None
        async with existing_store(settings) as store:
            # Of an id the view is that of its subscription, else that of the manager's oldest.
            page, view_of = await page_and_id(store, manager, url, subscription)
            if earlier:
                texts = await store.texts.snapshots(manager, page, None, 2, view_of)
                if texts is None or len(texts.items) < 2:
                    return None
                at = texts.items[1].at
            return await store.texts.picture(manager, page, at, view_of)

    picture = asyncio.run(read())
    if picture is None:
        which = "before the last change of " if earlier else "of "
        raise LookupError(
            f"There is no picture {which}{url}. Pictures are taken of subscriptions with "
            "view.render and view.screenshot."
        )
    file.write_bytes(picture)
    say(f"Saved {file}.")
