"""``vokter history`` saves the changes of all views that a manager watches, and no others."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from connectors.stores.opening import open_store
from schemas.records.changes import DocumentChanged
from schemas.records.crawls import Coverage, CrawlOptions
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Options, Receiver
from streams.cli.history.history_table import AskedHistory, save_history
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


async def saved(settings: Settings, asked: AskedHistory) -> list[Any]:
    file = settings.data_dir / "history.jsonl"
    await save_history(settings, asked, file)
    return [json.loads(line) for line in file.read_text().splitlines()]


async def test_each_view_is_saved_once_however_many_subscriptions_it_has(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = await saved(settings, AskedHistory("default"))
    assert [(each["change"], each["after"]) for each in rows] == [("c2", "Argus"), ("c1", "Argus")]
    assert "Saved 2 rows of 2 changes" in capsys.readouterr().err


async def test_one_page_is_saved_however_its_url_is_written(settings: Settings) -> None:
    assert len(await saved(settings, AskedHistory("default", (f"{URL}#part",)))) == 2


async def test_a_page_that_is_not_watched_is_an_error_and_leaves_no_file(
    settings: Settings,
) -> None:
    with pytest.raises(LookupError, match=r"nothing\.example"):
        await saved(settings, AskedHistory("default", (URL, "https://nothing.example/")))
    assert not (settings.data_dir / "history.jsonl").exists()


async def test_old_changes_are_left_out_if_asked(settings: Settings) -> None:
    assert await saved(settings, AskedHistory("default", since=60)) == []


async def test_a_manager_without_subscriptions_has_an_empty_history(settings: Settings) -> None:
    assert await saved(settings, AskedHistory("nobody")) == []


@pytest.mark.parametrize("how", ["covered", "removed"])
async def test_pages_that_a_crawl_covers_or_has_removed_are_saved(
    settings: Settings, how: str
) -> None:
    options = Options(crawl=CrawlOptions(depth=1))
    crawl = subscribed(at=1000, key="s4", manager="crawls", options=options)
    page, of_own = f"{URL}/page", f"{URL}/own"
    covered = Coverage("s4", URL, URL, 1)
    facts: list[Any] = [crawl, PageAdded(covered, "crawls", page, None, 1500, since=1500)]
    if how == "removed":
        facts.append(PageRemoved("s4", "crawls", "gone", page, None, 2500, since=1500))
    of_page = [
        replace(CHANGE, id=f"c{at}", url=page, watch="s5", slot=at, at=at)
        for at in (1000, 2000, 3000)
    ]
    own = subscribed(at=1000, key="s6", manager="crawls", url=of_own, document_url=of_own)
    covered_too = PageAdded(covered, "crawls", of_own, None, 1000, since=1000)
    facts += [own, covered_too, replace(CHANGE, id="own", url=of_own, watch="s6")]
    store = await open_store(settings.store_url)
    await store.read_side.record([*facts, *of_page])
    await store.close()
    expected = ["c3000", "c2000"] if how == "covered" else ["c2000"]
    assert [each["change"] for each in await saved(settings, _of(page))] == expected
    every = [each["change"] for each in await saved(settings, AskedHistory("crawls"))]
    assert sorted(every) == sorted([*expected, "own", "c1", "c2"]), "each once"
    with pytest.raises(LookupError, match="no kept subscription"):
        await saved(settings, AskedHistory("default", (page,)))


async def test_a_page_that_was_watched_at_several_times_is_saved_for_each_of_them(
    settings: Settings,
) -> None:
    options = Options(crawl=CrawlOptions(depth=1))
    page = f"{URL}/page"
    crawls = [
        subscribed(
            at=at, key=key, manager="crawls", options=options, receiver=Receiver(session=key)
        )
        for key, at in (("s4", 1000), ("s5", 4000))
    ]
    spans = (("s4", 1000, 2500), ("s5", 4000, 5500))
    facts: list[Any] = [
        *crawls,
        *(
            PageAdded(Coverage(key, URL, URL, 1), "crawls", page, None, at, at)
            for key, at, _ in spans
        ),
        *(PageRemoved(key, "crawls", "gone", page, None, end, at) for key, at, end in spans),
        subscribed(at=5000, key="s6", manager="crawls", url=page, document_url=page),
        *(
            replace(CHANGE, id=f"c{at}", url=page, slot=at, at=at)
            for at in (500, 2000, 3000, 4500, 5200, 6000)
        ),
    ]
    store = await open_store(settings.store_url)
    await store.read_side.record(facts)
    await store.close()
    found = [each["change"] for each in await saved(settings, _of(page))]
    assert sorted(found) == ["c2000", "c4500", "c5200", "c6000"]


def _of(page: str) -> AskedHistory:
    return AskedHistory("crawls", (page,))
