"""The search on the page."""

from dataclasses import replace

import pytest
from aiohttp import ClientSession

from schemas.records.changes import DocumentChanged
from schemas.records.crawls import Coverage, CrawlOptions
from schemas.records.facts import Fact
from schemas.records.subscription_facts import PageAdded
from schemas.records.subscriptions import Options
from streams.text.change_terms import change_terms
from tests.fakes.regions import added
from tests.fakes.subscriptions import URL, subscribed
from tests.harness.page import ServedPage

DAY_MS = 86_400_000
CHANGE = DocumentChanged(
    *("c1", URL, "s1", 1, 0, "text/html", "en"), (added("Two <b>giants</b> sleep."),), 2 * DAY_MS
)


async def record(served: ServedPage, *facts: Fact) -> None:
    await served.store.read_side.record(facts, terms=lambda fact: change_terms(fact, "en"))


async def page(served: ServedPage, http: ClientSession, query: str) -> str:
    async with http.get(f"{served.base}/search{query}") as response:
        assert response.status == 200
        return await response.text()


async def test_a_change_is_found_with_its_words_marked_and_leads_to_the_change(
    served: ServedPage, http: ClientSession
) -> None:
    await record(served, subscribed(), CHANGE, replace(CHANGE, id="c2", url=f"{URL}/other"))
    text = await page(served, http, "?q=GIANT")
    sentence = "Two &lt;b&gt;<mark>giants</mark>&lt;/b&gt; sleep."
    assert f'<p class="line" dir="auto" lang="en">{sentence}</p>' in text
    assert '<a href="/watch/s1/change/c1">' in text
    assert text.count("<mark>") == 1
    async with http.get(f"{served.base}/watch/s1/change/c1") as response:
        assert response.status == 200
    assert "<mark>" in await page(served, http, "?q=giant&since=1970-01-03")
    assert "Nothing found" in await page(served, http, "?q=giant&since=1970-01-04")


async def test_a_page_of_a_crawl_leads_to_the_pages_of_the_crawl(
    served: ServedPage, http: ClientSession
) -> None:
    other = f"{URL}/other"
    crawl = subscribed(options=Options(crawl=CrawlOptions(1)))
    covered = PageAdded(Coverage("s1", URL, URL, 1), "default", other, None, 1, since=1)
    await record(served, crawl, covered, replace(CHANGE, url=other))
    assert '<a href="/watch/s1/pages">' in await page(served, http, "?q=giant")


async def test_older_changes_follow_on_the_next_page(
    served: ServedPage, http: ClientSession
) -> None:
    several = (replace(CHANGE, id=f"c{n}", at=CHANGE.at + n) for n in range(31))
    await record(served, subscribed(), *several)
    text = await page(served, http, "?q=giant")
    assert text.count("<mark>") == 30
    (following,) = [
        part.partition('"')[0] for part in text.split('href="/search')[1:] if "after" in part
    ]
    assert (await page(served, http, following.replace("&amp;", "&"))).count("<mark>") == 1


@pytest.mark.parametrize("query", ["?q=%3F%21", "?q=x&since=monday", "?q=" + "x+" * 50])
async def test_what_is_no_search_is_said(
    served: ServedPage, http: ClientSession, query: str
) -> None:
    assert "A search has 1 to 16 words" in await page(served, http, query)


async def test_without_words_there_is_the_form_alone(
    served: ServedPage, http: ClientSession
) -> None:
    text = await page(served, http, "")
    assert 'name="q"' in text
    assert "Nothing found" not in text
    async with http.get(f"{served.base}/search?q=x&after=here") as response:
        assert response.status == 400
