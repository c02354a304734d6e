"""``vokter series``: the values of the number of a page."""

import asyncio
import csv
import json
import sys
from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from schemas.records.numbers import MAX_POINTS, NumberPoint
from schemas.records.urls import canonical
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Url, ViewOf
from streams.cli.options import DataDir, Manager, settings_of

app = command_app()


@app.command("series")
def series_command(
    url: Url,
    manager: Manager = "default",
    subscription: ViewOf = None,
    form: Annotated[
        Literal["csv", "json"], typer.Option("--as", help="Lines of CSV or of JSON.")
    ] = "csv",
    data_dir: DataDir = None,
) -> None:
    """Print what the number of a page has been, oldest first (view.number)."""
    from connectors.api.documents.words import point_json
    from streams.cli.setup.existing_store import existing_store, full_id

    settings = settings_of(data_dir=data_dir)

    async def read() -> Sequence[NumberPoint]:
        page, view_of = (manager, canonical(url) or url), subscription
        async with existing_store(settings) as store:
            if view_of is not None:
                view_of = await full_id(store, manager, view_of)
            found = await store.texts.numbers(*page, None, MAX_POINTS, view_of)
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
