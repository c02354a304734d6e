"""The pages of a crawl, as the page, REST and a hostile site show them."""

from dataclasses import replace
from urllib.parse import quote

from aiohttp import ClientSession

from connectors.reads.covered_pages import page_state
from schemas.records.changes import DocumentChanged
from schemas.records.crawls import MANAGER_IS_FULL, Coverage, CrawlOptions
from schemas.records.documents import Document
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Options
from streams.values.ids import content_id
from tests.connectors.page.watch.test_changes import seen, texts
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.regions import added as inserted
from tests.fakes.subscriptions import URL, subscribed, subscription
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


async def test_a_watch_shows_the_changes_of_the_pages_that_it_covers(
    served: ServedPage, http: ClientSession
) -> None:
    await crawl(served)
    quiet, newer = f"{URL}quiet", f"{URL}newer"
    edits = (inserted("Hera sings."),)
    facts = [
        DocumentChanged("c1", COVERED, "w", 150, 0, "text/html", "en", edits, 150),
        DocumentChanged("c2", COVERED, "w", 50, 0, "text/html", "en", edits, 50),
        DocumentChanged("c3", newer, "w", 160, 0, "text/html", "en", edits, 160),
    ]
    await served.store.read_side.record([*facts, added(quiet), added(newer)])
    page = await seen(http, f"{served.base}/watch/s1")
    covered = page.select("#covered section")
    assert [each.select_one("h3").get_text(strip=True) for each in covered] == [  # type: ignore[union-attr]
        "example.test/newer",
        "example.test/a",
    ]
    links = [str(each["href"]) for each in covered[1].select("h4 a")]
    assert links == [f"/watch/s1/change/c1?page={quote(COVERED)}"]  # c2 is from before
    assert "Hera sings." in covered[1].get_text()


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


async def test_the_changes_of_a_covered_page_are_shown_with_their_lineage(
    served: ServedPage, http: ClientSession
) -> None:
    await crawl(served)
    own = content_id("s1", COVERED)
    change = DocumentChanged(
        "c1", COVERED, own, 150, 0, "text/html", "en", (inserted("Argus sleeps."),), 150
    )
    of_page = replace(
        NOTIFICATION, id=content_id("c1", own), change="c1", subscription="s1",
        manager="default", receiver=subscription().receiver, url=URL, document=COVERED, at=150,
    )  # fmt: skip
    came = replace(of_page, id="n2", change="c2", status="pageAdded")
    earlier = replace(change, id="c0", slot=50, at=50)
    await served.store.read_side.record([change, earlier, of_page, came])
    first = Document(COVERED, own, 100, 1, "Argus.", "text/html", "en", read_at=100)
    for version, text in enumerate(("Argus.", "Argus sleeps.")):
        at = 100 + 50 * version
        document = replace(first, slot=at, version=version + 1, text=text, read_at=at)
        assert await served.store.snapshots.compare_and_set(document, version)

    pages = await seen(http, f"{served.base}/watch/s1/pages")
    link = pages.select('.covered a[href*="/pages?url="]')[-1]["href"]
    (shown,) = (await seen(http, f"{served.base}{link}")).select(".timeline h3 a")
    page = await seen(http, f"{served.base}{shown['href']}")

    assert texts(page, ".receivers td")[0] == "Notified"
    assert len([each for each in texts(page, ".lineage > li") if "SHA-256" in each]) == 2
    assert not page.select("a.button"), "the watch compares texts of its own page"
    async with http.get(f"{served.base}/notification/{of_page.id}") as answer:
        assert answer.url.path == "/watch/s1/change/c1"
        assert answer.url.query["page"] == COVERED
    async with http.get(f"{served.base}/notification/n2") as answer:
        assert answer.url.path == "/watch/s1"
    others = f"{served.base}/watch/s1/change/c0?page={COVERED}"
    await seen(http, others, 404)


async def test_why_a_page_is_left_out_by_now_counts_more_than_why_it_was_removed(
    served: ServedPage, http: ClientSession
) -> None:
    await crawl(served)
    gone = replace(removed(COVERED), since=100)
    full = replace(removed(COVERED, at=300), reason="2 pages are covered")
    await served.store.read_side.record([gone, full])

    asked = await (await http.get(f"{served.base}/watch/s1/pages?url={COVERED}")).text()
    assert "<b>left out</b>: 2 pages are covered." in asked

    await served.store.read_side.record([added(COVERED, at=400)])

    listed = await served.store.facts.of_client("removed_page", "default", "s1", None, 10)
    assert COVERED not in {fact.url for fact in listed.items}


async def test_a_watch_and_its_pages_say_how_many_have_no_room(
    served: ServedPage, http: ClientSession
) -> None:
    await crawl(served)
    shown = [f"{served.base}/watch/s1", f"{served.base}/watch/s1/pages"]
    for url in shown:
        assert "MAX_PAGES" not in await (await http.get(url)).text()

    await served.store.read_side.record([replace(removed(f"{URL}d"), reason=MANAGER_IS_FULL)])

    for url in shown:
        assert f"1 page is left out: {MANAGER_IS_FULL}" in await (await http.get(url)).text()


def test_a_page_that_was_never_covered_was_not_removed_but_left_out() -> None:
    gone = removed(GONE)

    assert page_state(gone).state == "left out"
    assert page_state(replace(gone, since=100)).state == "removed"
