"""``vokter series``: the values of the number of a page."""

import asyncio
import csv
import json
import sys
from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from schemas.records.numbers import MAX_POINTS, NumberPoint
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Page, ViewOf
from streams.cli.options import DataDir, Manager, settings_of

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
    from streams.cli.setup.existing_store import existing_store, page_and_id

    settings = settings_of(data_dir=data_dir)

    async def read() -> Sequence[NumberPoint]:
        async with existing_store(settings) as store:
            # Of an id the view is that of its subscription, else that of the manager's oldest.
            page, view_of = await page_and_id(store, manager, url, subscription)
            found = await store.texts.numbers(manager, page, None, MAX_POINTS, view_of)
        if found is None or not found.items:
            raise LookupError(
                f"There is no number of {url}. Numbers are read for subscriptions with "
                "view.number (vokter subscribe --number)."
            )
        return found.items[::-1]

    rows = [point_json(point) for point in asyncio.run(read())]
    if form == "json":
        for row in rows:
            print(json.dumps(row))
        return
    writer = csv.DictWriter(sys.stdout, ("at", "value", "unit"), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
