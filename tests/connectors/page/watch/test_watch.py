"""A watch with its timeline and the news, in Chromium."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.async_api import Page, expect

from schemas.records.changes import DocumentChanged
from schemas.records.deliveries import Delivered, DeliveryFailed
from schemas.records.failures import DocumentFailing
from schemas.records.subscriptions import Receiver
from streams.diff.regions import changed_regions
from streams.values.ids import content_id
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import URL, subscribed
from tests.harness.page import NOW_S, ServedPage

AT = int(NOW_S * 1000) - 60_000
HOOK = "http://client.test/s1"


def changed(name: str, before: str, after: str, at: int = AT) -> DocumentChanged:
    regions = tuple(changed_regions(before, after))
    return DocumentChanged(name, URL, "s1", at, 0, "text/html", "en", regions, at)


def notified(change: str, at: int = AT, **fields: Any) -> Any:
    name = content_id(change, "s1")
    known = {"id": name, "change": change, "subscription": "s1", "receiver": Receiver(HOOK)}
    return replace(NOTIFICATION, **{**known, "at": at, **fields})


def delivered(change: str, attempts: int = 1) -> Delivered:
    return Delivered(content_id(change, "s1"), "s1", "default", HOOK, attempts, 204, AT + 5)


def given_up(change: str) -> DeliveryFailed:
    name = content_id(change, "s1")
    return DeliveryFailed(name, "s1", "default", HOOK, 10, "HTTP 500", AT + 5, 500)


async def test_the_timeline_marks_words_and_says_what_arrived(
    served: ServedPage, tab: Page
) -> None:
    facts = [
        subscribed(),
        changed("c1", "The price is 12.", "The price is 15.", AT),
        changed("c2", "A.", "A.\n\nAnother giant.", AT + 1000),
        changed("c3", "B.\n\nGone.", "B.", AT + 2000),
        DocumentFailing("c4", URL, "s1", AT, "", "HTTP 503", AT + 3000),
    ]
    news = [notified("c1"), delivered("c1"), notified("c2"), given_up("c2")]
    await served.store.read_side.record([*facts, *news])
    await tab.goto(served.base)
    await tab.locator("tbody .title").click()
    entries = tab.locator(".timeline > li")
    await expect(entries).to_have_count(4)
    await expect(entries.nth(0)).to_contain_text("Cannot be read: HTTP 503")
    await expect(entries.nth(1).locator("del")).to_have_text(["Gone."])
    await expect(entries.nth(1)).to_contain_text("No notification")
    await expect(entries.nth(2).locator("ins")).to_have_text(["Another giant."])
    await expect(entries.nth(2)).to_contain_text("Not delivered: HTTP 500")
    await expect(entries.nth(3).locator("del").first).to_have_text("12")
    await expect(entries.nth(3).locator("ins").first).to_have_text("15")
    await expect(entries.nth(3)).to_contain_text("Arrived at once (HTTP 204)")


async def test_a_change_appears_in_the_timeline_without_a_reload(
    served: ServedPage, lone_tab: Page
) -> None:
    await served.store.read_side.record([subscribed()])
    await lone_tab.clock.install()
    await lone_tab.goto(f"{served.base}/watch/s1")
    await expect(lone_tab.get_by_role("main")).to_contain_text("Nothing has changed")
    await served.store.read_side.record([changed("c1", "A.", "A.\n\nZeus.")])
    await lone_tab.clock.run_for(5_000)
    await expect(lone_tab.locator(".timeline ins")).to_have_text(["Zeus."])


async def test_nobody_sees_the_watch_of_another_manager(served: ServedPage, tab: Page) -> None:
    facts = [subscribed(manager="other"), changed("c1", "A.", "Secret.")]
    await served.store.read_side.record(facts)
    for path in ("/watch/s1", "/watch/s9", "/watch/%3Cb%3E"):
        response = await tab.goto(served.base + path)
        assert response is not None
        assert response.status == 404
        assert "Secret" not in await tab.content()


async def test_a_watch_is_paused_resumed_tested_and_stopped(served: ServedPage, tab: Page) -> None:
    await tab.goto(f"{served.base}/add?url={URL}")
    await tab.get_by_role("button", name="Watch this page").click()
    await tab.get_by_role("link", name="Show the watch").click()
    await tab.get_by_role("button", name="Pause").click()
    await expect(tab.locator("#facts .state")).to_have_text("Paused")
    await tab.get_by_role("button", name="Resume").click()
    await expect(tab.locator("#facts .state")).to_have_text("Not yet fetched")
    await tab.get_by_role("button", name="Send a test notification").click()
    await expect(tab.get_by_role("status")).to_contain_text("on its way")
    await tab.get_by_text("Stop watching").first.click()
    await tab.get_by_role("button", name="Stop watching").click()
    await expect(tab.get_by_role("heading", name="Stopped")).to_be_visible()
    await expect(tab.get_by_role("button", name="Undo")).to_be_visible()
    await tab.locator("main p a").click()
    await expect(tab.locator("#facts .state")).to_have_text("Cancelled")
    await expect(tab.get_by_role("button", name="Pause")).to_have_count(0)


async def test_a_long_timeline_has_pages(served: ServedPage, tab: Page) -> None:
    facts = [changed(f"c{each}", "A.", f"A.\n\n{each}.", AT + each) for each in range(21)]
    await served.store.read_side.record([subscribed(), *facts])
    await tab.goto(f"{served.base}/watch/s1")
    await expect(tab.locator(".timeline > li")).to_have_count(20)
    await tab.get_by_role("link", name="Older changes").click()
    await expect(tab.locator(".timeline > li")).to_have_count(1)
    response = await tab.goto(f"{served.base}/watch/s1?after=x")
    assert response is not None
    assert response.status == 400


@pytest.mark.parametrize("path", ["/watch/s1", "/news", "/deliveries", "/pipeline", "/add"])
async def test_no_page_is_wider_than_a_phone(served: ServedPage, tab: Page, path: str) -> None:
    long = "word" * 200
    page = changed("c1", "A.", f"A.\n\n{long} {long}.")
    facts = [subscribed(), page, notified("c1", title=long[:300]), given_up("c2")]
    await served.store.read_side.record(facts)
    await tab.set_viewport_size({"width": 320, "height": 700})
    await tab.goto(served.base + path)
    assert await tab.evaluate("document.documentElement.scrollWidth") == 320
