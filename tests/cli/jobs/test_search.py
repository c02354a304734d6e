"""``vokter search`` finds words without a broker, and the index can be made again."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from connectors.stores.opening import open_store
from schemas.records.changes import DocumentChanged
from streams.cli.app import app
from streams.settings import Settings
from tests.fakes.regions import added
from tests.fakes.subscriptions import URL, subscribed

CHANGE = DocumentChanged(
    *("c1", URL, "s1", 1, 0, "text/html", "en"), (added("Two giants \x1b[2J"),), 2000
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    async def fill() -> None:
        store = await open_store(Settings(data_dir=tmp_path).store_url)
        others = (replace(CHANGE, id=f"c{n}", at=2000 + n) for n in range(2, 250))
        await store.read_side.record([subscribed(at=1000), CHANGE, *others])
        await store.close()

    asyncio.run(fill())
    return tmp_path


def run(folder: Path, *line: str) -> Result:
    return CliRunner().invoke(app, [*line, "--data-dir", str(folder)])


def test_changes_are_found_once_their_words_are_in_the_index(folder: Path) -> None:
    assert run(folder, "search", "giant").stdout == ""
    for _ in range(2):
        made = run(folder, "reprocess", "--index")
        assert (made.exit_code, "249 changes are in the index" in made.output) == (0, True)
    shown = run(folder, "search", "giant", "--limit", "1").stdout
    assert shown == f"1970-01-01 00:00 UTC\n  {URL}\n  Two giants \\x1b[2J\n"
    found = run(folder, "search", "two giants", "--json", "--limit", "150").stdout.splitlines()
    assert [json.loads(line)["change"] for line in found] == [f"c{n}" for n in range(249, 99, -1)]
    assert run(folder, "search", "giants two").stdout == ""
    assert len(run(folder, "search", "giants", "two", "--json").stdout.splitlines()) == 20
    assert run(folder, "search", "giant", "--since", "1h").stdout == ""
    assert run(folder, "search", "giant", "--manager", "other").stdout == ""


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (("search", "?!"), "expected 1 to 16 words, not 0"),
        (("search", *["x"] * 17), "expected 1 to 16 words, not 17"),
        (("reprocess", "--index", "--all"), "takes no page and no other option"),
        (("reprocess", "--index", URL), "takes no page and no other option"),
    ],
)
def test_what_is_no_search_is_refused(folder: Path, line: tuple[str, ...], why: str) -> None:
    answer = run(folder, *line)
    assert answer.exit_code == 2
    assert why in answer.output
