"""``vokter series`` reads the number of a page, or of the subscription with an id."""

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from connectors.stores.opening import open_store
from schemas.records.documents import Document
from schemas.records.numbers import NumberPoint, packed_series
from schemas.records.subscription_facts import Subscribed
from streams.cli.app import app
from tests.fakes.subscriptions import subscription

PRICES = subscription("a" * 32, document_url="https://a.test/", url="https://a.test/")


async def fill(folder: Path) -> None:
    store = await open_store(f"sqlite:{folder / 'vokter.db'}")
    await store.read_side.record([Subscribed("r", PRICES, PRICES.url, None, 1)])
    series = packed_series((NumberPoint(1_000, "89", "EUR"),))
    await store.snapshots.compare_and_set(Document(PRICES.url, "w", 1, 1, series=series), 0)
    await store.close()


@pytest.mark.parametrize(
    ("target", "printed"),
    [
        (["https://a.test"], "at,value,unit\n1970-01-01T00:00:01.000Z,89,EUR\n"),
        (["aaaaaa"], "at,value,unit\n1970-01-01T00:00:01.000Z,89,EUR\n"),
        (["A" * 32], "at,value,unit\n1970-01-01T00:00:01.000Z,89,EUR\n"),
        (["https://a.test", "--subscription", "aaaa"], "at,value,unit\n1970-01-01"),
        (["bbbb"], "There is no subscription bbbb of"),
        (["b" * 32], f"There is no subscription {'b' * 32} of"),
    ],
)
def test_a_page_or_the_beginning_of_an_id_names_the_series(
    tmp_path: Path, target: list[str], printed: str
) -> None:
    asyncio.run(fill(tmp_path))
    folder = ["--data-dir", str(tmp_path), "--manager", PRICES.manager]
    found = CliRunner().invoke(app, ["series", *target, *folder])
    assert printed in found.output + str(found.exception or "")
