"""The list of watches, in Chromium."""

import re
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import ClientSession
from bs4 import BeautifulSoup
from playwright.async_api import Page, expect

from connectors.page.watch import watch_list
from connectors.page.watch.list_query import PER_PAGE
from schemas.records.documents import Document
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import Options, Receiver
from schemas.records.watches import Watch
from streams.values.slots import next_slot
from tests.connectors.page.watch.test_changes import AT, changed, seen
from tests.fakes.subscriptions import URL, cancelled, expired, subscribed, subscription
from tests.harness.page import ServedPage

WATCH = re.compile(r'href="/watch/([^"]+)"')
NUMBER = re.compile(r'class="number">(\d+)<')
HREF = re.compile(r'href="([^"]+)"')
IN_SIGHT = """[...document.querySelectorAll("tbody tr")]
.filter(each => each.getBoundingClientRect().bottom <= innerHeight).length"""
CHECKED = 1_699_999_990_000


async def checked(served: ServedPage, failures: int = 0, error: str | None = None) -> None:
    before = await served.store.snapshots.document(URL)
    version = 0 if before is None else before.version
    document = Document(
        URL, "s1", CHECKED + version, version + 1, failures=failures, last_error=error, title="Gods"
    )
    assert await served.store.snapshots.compare_and_set(document, version)
    await served.store.snapshots.record_checks([(URL, "s1", CHECKED)])


async def test_an_empty_list_says_how_to_begin(served: ServedPage, tab: Page) -> None:
    await tab.goto(served.base)
    await expect(tab.get_by_role("heading", name="Nothing is watched yet")).to_be_visible()
    await tab.get_by_role("main").get_by_role("link", name="Add a page").click()
    await expect(tab.get_by_label("Address of the page")).to_be_focused()


async def test_a_watch_is_listed_with_its_state_and_its_checks(
    served: ServedPage, tab: Page
) -> None:
    await served.store.read_side.record([subscribed()])
    await checked(served)
    await tab.goto(served.base)
    row = tab.get_by_role("row").nth(1)
    await expect(row).to_contain_text("Gods")
    await expect(row).to_contain_text("EXAMPLE.test")
    await expect(row).to_contain_text("zeus")
    await expect(row).to_contain_text("OK")
    times = [await each.get_attribute("datetime") for each in await row.locator("time").all()]
    assert times[0] == "2023-11-14T22:13:10.000Z"
    assert len(times) == 2


async def test_a_failure_appears_without_a_reload(served: ServedPage, lone_tab: Page) -> None:
    await served.store.read_side.record([subscribed()])
    await checked(served)
    await lone_tab.clock.install()
    await lone_tab.goto(served.base)
    await expect(lone_tab.get_by_role("table")).to_contain_text("OK")
    await checked(served, failures=3, error="HTTP 503")
    await lone_tab.clock.run_for(5_000)
    await expect(lone_tab.get_by_role("table")).to_contain_text("Failing 3 of 10")
    await expect(lone_tab.get_by_role("table")).to_contain_text("HTTP 503")


async def test_a_list_that_has_the_focus_is_left_alone(served: ServedPage, lone_tab: Page) -> None:
    await served.store.read_side.record([subscribed()])
    await lone_tab.clock.install()
    await lone_tab.goto(served.base)
    await lone_tab.get_by_role("table").get_by_role("link").focus()
    await checked(served, failures=3)
    async with lone_tab.expect_response(served.base + "/"):
        await lone_tab.clock.run_for(5_000)
    await expect(lone_tab.get_by_role("table").get_by_role("link")).to_be_focused()


async def test_states_have_numbers_and_lead_to_their_watches(served: ServedPage, tab: Page) -> None:
    facts = [subscribed(at=1), subscribed(at=2, key="s2"), subscribed(at=3, key="s3", paused=True)]
    await served.store.read_side.record([*facts, expired(10), cancelled(10, "s2")])
    await tab.goto(served.base)
    await expect(tab.locator("tbody tr")).to_have_count(1)
    states = tab.get_by_role("navigation", name="States").get_by_role("link")
    assert await states.all_text_contents() == ["All 1", "Paused 1", "Ended 2"]
    await states.filter(has_text="Ended").click()
    await expect(tab.locator("tbody tr")).to_have_count(2)
    assert await tab.locator("tbody .state").all_text_contents() == ["Cancelled", "Expired"]
    await expect(tab.get_by_role("table")).to_contain_text("ten failures")
    await tab.goto(f"{served.base}/?ended=1")  # an address of earlier releases
    await expect(tab.locator("tbody tr")).to_have_count(2)


async def test_a_search_finds_and_says_what_to_do_when_it_does_not(
    served: ServedPage, tab: Page
) -> None:
    facts = [subscribed(at=1), subscribed(at=2, key="s2", keywords=("hera & co",))]
    await served.store.read_side.record(facts)
    await tab.goto(served.base)
    search = tab.get_by_role("searchbox")
    await search.fill("HERA & c")
    await search.press("Enter")
    await expect(tab.locator("tbody tr")).to_have_count(1)
    await search.fill('"<b>')
    await search.press("Enter")
    await expect(tab.get_by_role("heading", name='Nothing found for “"<b>”')).to_be_visible()
    await tab.get_by_role("link", name="show all watches").click()
    await expect(tab.locator("tbody tr")).to_have_count(2)


async def test_a_long_list_has_pages(served: ServedPage, tab: Page) -> None:
    facts = [subscribed(at=each, key=f"s{each}") for each in range(PER_PAGE + 1)]
    await served.store.read_side.record(facts)
    await tab.goto(served.base)
    await expect(tab.locator("tbody tr")).to_have_count(PER_PAGE)
    await expect(tab.get_by_role("main")).to_contain_text(f"1 to {PER_PAGE} of {PER_PAGE + 1}")
    await tab.get_by_role("link", name="Next", exact=True).click()
    await expect(tab.locator("tbody tr")).to_have_count(1)
    await tab.get_by_role("link", name="Previous").click()
    await expect(tab.locator("tbody tr")).to_have_count(PER_PAGE)
    response = await tab.goto(f"{served.base}/?after=nowhere")
    assert response is not None
    assert response.status == 400


async def test_more_watches_than_are_counted_together_are_reached_from_there(
    served: ServedPage, http: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_list, "MAX_LISTED", 2)
    tagged: dict[str, Any] = {"options": Options(tags=("gods",))}
    facts = [
        subscribed(at=each, key=f"s{each}", **(tagged if each < 2 else {})) for each in range(4)
    ]
    await served.store.read_side.record(facts)
    found = await seen(http, f"{served.base}/?sort=name")
    assert "All 2" in found.get_text(" ", strip=True)
    (older,) = [each for each in found.select(".pages a") if each.text == "Older watches"]
    rest = await seen(http, served.base + str(older["href"]))
    assert watches_in(found) + watches_in(rest) == ["s3", "s2", "s1", "s0"]
    assert watches_in(await seen(http, f"{served.base}/?tag=gods")) == ["s1", "s0"]


def watches_in(page: BeautifulSoup) -> list[str]:
    return [str(each["href"]).removeprefix("/watch/") for each in page.select("tbody a.title")]


async def test_watches_are_sorted_by_what_an_address_asks_for(
    served: ServedPage, http: ClientSession
) -> None:
    pages = {key: f"{URL}{key}" for key in "abcd"}
    each = [
        subscription(key, url=url, document_url=url, paused=key == "d", created=at)
        for at, (key, url) in enumerate(pages.items())
    ]
    facts = [Subscribed("r", one, one.url, Watch(one.id, 600), one.created) for one in each]
    changes = [replace(changed("c1"), url=pages["b"])]
    changes += [replace(changed("c2", at=AT - 1), url=pages["c"])]
    await served.store.read_side.record([*facts, *changes])
    titles = {"a": "zebra", "b": "Ape", "c": "bee", "d": "Cat"}
    for key, title in titles.items():
        document = Document(pages[key], key, CHECKED, 1, failures=key in "bd", title=title)
        await served.store.snapshots.compare_and_set(document, 0)

    async def listed(sort: str) -> list[str]:
        return watches_in(await seen(http, f"{served.base}/?sort={sort}"))

    assert await listed("") == ["d", "c", "b", "a"]
    assert await listed("name") == ["b", "c", "d", "a"]
    assert (await listed("change"))[:2] == ["b", "c"]
    assert await listed("failing") == ["b", "c", "a", "d"]
    checks = await listed("check")
    assert checks[-1] == "d"  # nothing is fetched for one that is paused
    due = {key: next_slot(url, 60, int(1000 * served.clock.now)) for key, url in pages.items()}
    assert checks[:3] == sorted("cba", key=due.__getitem__)
    found = await seen(http, f"{served.base}/?sort=name&q=example&state=failing&tag=x")
    states = found.select('nav[aria-label="States"] a')
    assert [each["href"] for each in states] == [
        "/?q=example&tag=x&sort=name",
        "/?q=example&tag=x&state=failing&sort=name",
    ]


async def test_fourteen_watches_are_in_sight_and_titles_have_two_lines_at_most(
    served: ServedPage, tab: Page
) -> None:
    facts = [
        subscribed(at=each, key=f"s{each}", options=Options(tags=("gods", "rock & roll")))
        for each in range(20)
    ]
    await served.store.read_side.record(facts)
    await checked(served, failures=3, error="HTTP 503, and a long reason why " * 4)
    await tab.set_viewport_size({"width": 1280, "height": 900})
    await tab.goto(served.base)
    assert await tab.evaluate(IN_SIGHT) >= 14
    before = await served.store.snapshots.document(URL)
    assert before is not None
    long = replace(before, version=before.version + 1, title="A title that does not end " * 40)
    await served.store.snapshots.compare_and_set(long, before.version)
    await tab.reload()
    title = tab.locator("tbody .title").first
    await expect(title).to_contain_text("does not end")
    box, size = (
        await title.bounding_box(),
        await title.evaluate("e => parseFloat(getComputedStyle(e).lineHeight)"),
    )
    assert box is not None
    assert box["height"] <= 2 * size + 1


async def test_a_chip_filters_by_its_tag_and_keeps_the_search(
    served: ServedPage, http: ClientSession
) -> None:
    facts = [
        subscribed(at=1, key="a", options=Options(tags=("gods", "rock & roll"))),
        subscribed(at=2, key="b", options=Options(tags=("gods",)), keywords=("hera",)),
        subscribed(at=3, key="c"),
    ]
    await served.store.read_side.record(facts)

    numbers: list[str] = []

    async def shown(query: str) -> tuple[list[str], list[str], str]:
        async with http.get(f"{served.base}/{query}") as response:
            text = await response.text()
        chips = text.partition('aria-label="Tags"')[2].partition("</nav>")[0]
        numbers[:] = NUMBER.findall(chips)
        return WATCH.findall(text), HREF.findall(chips), text

    watches, chips, _ = await shown("?q=zeus")
    assert watches == ["c", "a"]
    assert numbers == ["1", "1"]
    assert chips == ["/?q=zeus", "/?q=zeus&amp;tag=gods", "/?q=zeus&amp;tag=rock+%26+roll"]
    watches, _, text = await shown("?tag=GODS")
    assert watches == ["b", "a"]
    assert '<input type="hidden" name="tag" value="gods">' in text
    assert 'aria-current="true">gods <span' in text
    assert (await shown("?q=hera&tag=gods"))[0] == ["b"]
    watches, chips, text = await shown("?tag=titans")
    assert (watches, len(chips)) == ([], 4)
    assert "Nothing found with the tag “titans”" in text


async def test_one_signs_in_and_out_with_the_keyboard_alone(served: ServedPage, tab: Page) -> None:
    secret = served.add_key("news-desk")
    await served.store.read_side.record([subscribed(manager="news-desk")])
    await tab.goto(f"{served.base}/?q=zeus")
    await tab.keyboard.type("vk_wrong")
    await tab.keyboard.press("Enter")
    key = tab.get_by_label("API key")
    await expect(key).to_have_attribute("aria-invalid", "true")
    await expect(tab.locator("#key-error")).to_contain_text("There is no such key")
    await key.focus()
    await tab.keyboard.type(secret)
    await tab.keyboard.press("Enter")
    await expect(tab).to_have_url(f"{served.base}/?q=zeus")
    await expect(tab.get_by_role("banner")).to_contain_text("news-desk")
    await tab.keyboard.press("Tab")
    await expect(tab.get_by_role("link", name="Skip to the content")).to_be_focused()
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("main")).to_be_focused()
    await tab.get_by_role("button", name="Sign out").focus()
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()
    await tab.goto(served.base)
    await expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()


async def test_a_form_on_another_site_cannot_sign_one_in(served: ServedPage, tab: Page) -> None:
    secret = served.add_key("attacker")
    await tab.set_content(
        f'<form method=post action="{served.base}/sign-in"><input name=key value="{secret}">'
        "<button>x</button></form>"
    )
    await tab.get_by_role("button").click()
    await expect(tab.get_by_role("heading", name="Refused")).to_be_visible()
    await expect(tab.get_by_role("main")).to_contain_text("sent from another site")
    assert await tab.context.cookies() == []


@pytest.mark.parametrize("width", [320, 375, 1200])
async def test_nothing_is_wider_than_the_screen(served: ServedPage, tab: Page, width: int) -> None:
    url = f"{URL}{'very-long-' * 60}"
    await served.store.read_side.record(
        [
            subscribed(keywords=("w" * 256, *(f"word {each}" for each in range(40)))),
            subscribed(key="s2", document_url=url, receiver=Receiver(session="s" * 256)),
        ]
    )
    await checked(served, failures=1, error="e" * 300)
    await tab.set_viewport_size({"width": width, "height": 700})
    await tab.goto(served.base)
    await expect(tab.locator("tbody tr")).to_have_count(2)
    assert await tab.evaluate("document.documentElement.scrollWidth") == width
