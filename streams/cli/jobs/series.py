"""``vokter series``: the values of the number of a page."""

import asyncio
import csv
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from schemas.records.numbers import MAX_POINTS, NumberPoint
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Page, ViewOf
from streams.cli.options import DataDir, Manager, settings_of

if TYPE_CHECKING:
    from streams.settings import Settings

app = command_app()


@app.command("series")
def series_command(
    url: Page,
    manager: Manager = "default",
    subscription: ViewOf = None,
    form: Annotated[
        Literal["csv", "json"], typer.Option("--as", help="Lines of CSV or of JSON.")
    ] = "csv",
    data_dir: DataDir = None,
) -> None:
    """Print what the number of a page has been, oldest first (view.number)."""
    from connectors.api.documents.words import point_json

    points = asyncio.run(_read_series(settings_of(data_dir=data_dir), manager, url, subscription))
    rows = [point_json(point) for point in points]
    if form == "json":
        for row in rows:
            print(json.dumps(row))
        return
    writer = csv.DictWriter(sys.stdout, ("at", "value", "unit"), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


async def _read_series(
    settings: "Settings", manager: str, url: str, subscription: str | None
) -> Sequence[NumberPoint]:
    """Read the number's series, the oldest first; raises LookupError, and errors of the store.

    The view is the view of the subscription that ``url`` or ``subscription`` names by its id, else
    of the manager's oldest.
    """
    from streams.cli.setup.existing_store import existing_store, page_and_id

    async with existing_store(settings) as store:
        page, view_of = await page_and_id(store, manager, url, subscription)
        found = await store.texts.numbers(manager, page, None, MAX_POINTS, view_of)
    if found is None or not found.items:
        raise LookupError(
            f"There is no number of {url}. Numbers are read for subscriptions with "
            "view.number (vokter subscribe --number)."
        )
    return found.items[::-1]
