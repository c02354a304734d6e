"""``vokter picture``: the picture of a page with its text."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Page, ViewOf
from streams.cli.options import DataDir, Manager, settings_of
from streams.cli.output import say

if TYPE_CHECKING:
    from streams.settings import Settings

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
    settings = settings_of(data_dir=data_dir)
    picture = asyncio.run(_read_picture(settings, manager, url, subscription, is_earlier=earlier))
    if picture is None:
        which = "before the last change of " if earlier else "of "
        raise LookupError(
            f"There is no picture {which}{url}. Pictures are taken of subscriptions with "
            "view.render and view.screenshot."
        )
    file.write_bytes(picture)
    say(f"Saved {file}.")


async def _read_picture(
    settings: "Settings", manager: str, url: str, subscription: str | None, *, is_earlier: bool
) -> bytes | None:
    """Read the newest picture of a page from the store, or the picture of the text before.

    The view is the view of the subscription that ``url`` or ``subscription`` names by its id, else
    of the manager's oldest.
    """
    from streams.cli.setup.existing_store import existing_store, page_and_id

    at = None
    async with existing_store(settings) as store:
        page, view_of = await page_and_id(store, manager, url, subscription)
        if is_earlier:
            texts = await store.texts.snapshots(manager, page, None, 2, view_of)
            if texts is None or len(texts.items) < 2:
                return None
            at = texts.items[1].at
        return await store.texts.picture(manager, page, at, view_of)
