"""``vokter history`` saves the changes of all views that a manager watches, and no others."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from connectors.stores.opening import open_store
from schemas.changes import DocumentChanged
from streams.cli.history.export import HistoryAsked, save_history
from streams.settings import Settings
from tests.fakes.regions import added
from tests.fakes.subscriptions import URL, subscribed

CHANGE = DocumentChanged("c1", URL, "s1", 2000, 0, "text/html", "en", (added("Argus"),), 2000)


@pytest.fixture
async def settings(tmp_path: Path) -> Settings:
    settings = Settings(data_dir=tmp_path)
    store = await open_store(settings.store_url)
    facts: list[Any] = [
        subscribed(at=1000),
        subscribed(at=1000, key="s2"),
        subscribed(at=1000, key="s3", manager="other"),
        CHANGE,
        replace(CHANGE, id="c2", slot=3000, at=3000),
        replace(CHANGE, id="c0", slot=500, at=500),
        replace(CHANGE, id="c9", url=f"{URL}/else", watch="s9"),
    ]
    await store.read_side.record(facts)
    await store.close()
    return settings


async def saved(settings: Settings, asked: HistoryAsked) -> list[Any]:
    file = settings.data_dir / "history.jsonl"
    await save_history(settings, asked, file)
    return [json.loads(line) for line in file.read_text().splitlines()]


async def test_each_view_is_saved_once_however_many_subscriptions_it_has(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = await saved(settings, HistoryAsked("default"))
    assert [(each["change"], each["after"]) for each in rows] == [("c2", "Argus"), ("c1", "Argus")]
    assert "Saved 2 rows of 2 changes" in capsys.readouterr().err


async def test_one_page_is_saved_however_its_url_is_written(settings: Settings) -> None:
    assert len(await saved(settings, HistoryAsked("default", (f"{URL}#part",)))) == 2


async def test_a_page_that_is_not_watched_is_an_error_and_leaves_no_file(
    settings: Settings,
) -> None:
    with pytest.raises(LookupError, match=r"nothing\.example"):
        await saved(settings, HistoryAsked("default", (URL, "https://nothing.example/")))
    assert not (settings.data_dir / "history.jsonl").exists()


async def test_old_changes_are_left_out_if_asked(settings: Settings) -> None:
    assert await saved(settings, HistoryAsked("default", since=60)) == []


async def test_a_manager_without_subscriptions_has_an_empty_history(settings: Settings) -> None:
    assert await saved(settings, HistoryAsked("nobody")) == []
