"""The pages of a crawl, as the page, REST and a hostile site show them."""

from dataclasses import replace

from aiohttp import ClientSession

from schemas.crawls import Coverage, CrawlOptions
from schemas.subscription_facts import PageAdded, PageRemoved
from schemas.subscriptions import Options
from tests.fakes.subscriptions import URL, subscribed
from tests.harness.page import ServedPage

COVERED, GONE, MIRROR = f"{URL}a", f"{URL}b", f"{URL}c"


def added(url: str, at: int = 100) -> PageAdded:
    return PageAdded(Coverage("s1", URL, URL, 1), "default", url, None, at, since=at)


def removed(url: str, at: int = 200, mirror_of: str = "") -> PageRemoved:
    reason = f"its text is that of {mirror_of}" if mirror_of else "no page links to it"
    return PageRemoved("s1", "default", reason, url, None, at, since=0, mirror_of=mirror_of)


async def crawl(served: ServedPage) -> None:
    begun = subscribed(options=Options(crawl=CrawlOptions(depth=1)))
    facts = [begun, added(COVERED), added(GONE), removed(GONE), added(MIRROR)]
    await served.store.read_side.record([*facts, removed(MIRROR, mirror_of=COVERED)])


async def test_a_watch_leads_to_the_pages_that_it_covers_and_to_those_it_does_not(
    served: ServedPage, http: ClientSession
) -> None:
    await crawl(served)

    watch = await (await http.get(f"{served.base}/watch/s1")).text()
    covered = await (await http.get(f"{served.base}/watch/s1/pages")).text()
    gone = await (await http.get(f"{served.base}/watch/s1/pages?removed=1")).text()

    assert 'href="/watch/s1/pages"' in watch
    assert covered.count("<li>") - watch.count("<nav><li>") >= 2
    assert "1 link from" in covered
    assert "mirror" in covered
    assert "no page links to it" not in covered
    assert "no page links to it" in gone


async def test_the_page_says_why_a_page_is_not_covered(
    served: ServedPage, http: ClientSession
) -> None:
    await crawl(served)

    async def answer(url: str) -> str:
        return await (await http.get(f"{served.base}/watch/s1/pages", params={"url": url})).text()

    assert "it is not on the host" in await answer("https://elsewhere.example/")
    assert "a file of type zip is no page" in await answer(f"{URL}x.zip")
    assert "Enter the address of a page" in await answer("nothing")
    assert "&lt;b&gt;" in await answer("<b>")


async def test_pages_stay_listed_while_they_are_covered(served: ServedPage) -> None:
    await crawl(served)
    store = served.store

    await store.read_side.prune(1_000, 0)

    page = await store.facts.of_client("page", "default", "s1", None, 10)
    former = await store.facts.of_client("removed_page", "default", "s1", None, 10)
    assert [each.url for each in page.items] == [MIRROR, COVERED]
    assert former.items == ()


async def test_a_page_that_comes_back_is_covered_again(served: ServedPage) -> None:
    await crawl(served)
    await served.store.read_side.record([replace(added(GONE), at=300)])

    former = await served.store.facts.of_client("removed_page", "default", "s1", None, 10)

    assert former.items == ()
