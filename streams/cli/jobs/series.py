"""Reads and prints the series of a number for ``vokter series``."""

import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from connectors.api.documents.words import point_json
from connectors.stores.opening import open_store
from schemas.records.numbers import MAX_POINTS, NumberPoint
from schemas.records.urls import canonical
from streams.cli.setup.existing_store import check_store_exists
from streams.settings import Settings


@dataclass(frozen=True, slots=True)
class SeriesAsked:
    """The number of a page that a manager watches.

    The view is that of a ``subscription`` (its id), else of the manager's oldest.
    """

    manager: str
    url: str
    subscription: str | None


async def read_series(settings: Settings, asked: SeriesAsked) -> Sequence[NumberPoint]:
    """Read a series, the oldest first; raises LookupError, StoreRefused or StoreUnavailable."""
    check_store_exists(settings)
    store = await open_store(settings.store_url)
    url = canonical(asked.url) or asked.url
    try:
        page = await store.texts.numbers(asked.manager, url, None, MAX_POINTS, asked.subscription)
    finally:
        await store.close()
    if page is None or not page.items:
        raise LookupError(
            f"There is no number of {asked.url}. Numbers are read for subscriptions with "
            "view.number (vokter subscribe --number)."
        )
    return page.items[::-1]


def print_series(points: Sequence[NumberPoint], form: str) -> None:
    """Print a line for each point: CSV with a head, or JSON."""
    rows = [point_json(point) for point in points]
    if form == "json":
        for row in rows:
            print(json.dumps(row))
        return
    writer = csv.DictWriter(sys.stdout, ("at", "value", "unit"), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
