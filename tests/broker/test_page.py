"""The page with a real pipeline: a page is added, changes, and its news appears."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from tests.harness.hooks import Hooks
from tests.harness.page import chromium
from tests.harness.pages import Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import TIMEOUT_S

WAIT_MS = 1000 * TIMEOUT_S
GIANTS = "<title>Giants</title><p class=guard>{} sleeps.</p><p>argus was sought {} times</p>"


@pytest.fixture
async def tab() -> AsyncIterator[Tab]:
    async with chromium() as browser:
        yield await browser.new_page()


async def test_a_page_is_added_changes_and_is_news_without_a_reload(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, tab: Tab
) -> None:
    base = f"http://127.0.0.1:{shared.settings.port}"
    page, hook = pages.add(GIANTS.format("Io", 1)), hooks.add()
    await tab.goto(base)
    await tab.get_by_role("navigation").get_by_role("link", name="Add a page").click()
    await tab.get_by_label("Address of the page").fill(page.url)
    await tab.get_by_label("Keywords").fill("argus")
    await tab.get_by_role("button", name="Preview").click()
    await expect(tab.locator(".text")).to_contain_text("argus was sought")
    await expect(tab.locator(".picker.ready")).to_be_visible()
    guard = await tab.frame_locator("#frame").get_by_text("Io sleeps.").bounding_box()
    assert guard is not None
    await tab.mouse.click(guard["x"] + 3, guard["y"] + 3)
    await expect(tab.get_by_label("CSS selector", exact=True)).to_have_value(".guard")
    await expect(tab.locator(".text")).to_have_text("Io sleeps.")
    await tab.get_by_label("a webhook", exact=True).check()
    await tab.get_by_label("Address of the webhook").fill(hook.url)
    await tab.get_by_role("button", name="Watch this page").click()
    await tab.get_by_role("button", name="Send a test notification").click()
    await expect(tab.get_by_role("main")).to_contain_text("on its way")
    await hook.notified()
    # The form's shortest interval is a minute; a second subscriber has the page fetched more often.
    await rest.subscribe(page.url, hooks.add().url, "*")
    await page.stored()
    await tab.goto(f"{base}/news?client={hook.url}")
    await expect(tab.locator(".timeline")).to_contain_text("A test", timeout=WAIT_MS)
    page.text = GIANTS.format("Argus", 2)
    await expect(tab.locator("ins").first).to_have_text("Argus", timeout=WAIT_MS)
    await expect(tab.get_by_text("was sought")).to_have_count(0)
    await tab.get_by_role("link", name="Giants").first.click()
    await expect(tab.locator(".receivers")).to_contain_text("Arrived", timeout=WAIT_MS)
    await tab.get_by_role("link", name="Compare the two texts").click()
    await expect(tab.locator("ins").first).to_have_text("Argus sleeps.")
    await tab.get_by_role("main").get_by_role("link", name="Giants").click()
    await expect(tab.locator(".arrival").first).to_contain_text("Arrived")
    await tab.get_by_text("Stop watching").first.click()
    await tab.get_by_role("button", name="Stop watching").click()
    await expect(tab.locator("#facts .state")).to_have_text("Cancelled", timeout=WAIT_MS)
    await tab.get_by_role("navigation").get_by_role("link", name="Pipeline").click()
    await expect(tab.get_by_role("main")).to_contain_text("Everything works")
    deliver = tab.locator(".stage", has_text="deliver")
    partitions = 3 * shared.settings.partitions
    await expect(deliver).to_contain_text(f"{partitions} of {partitions}")
    await expect(deliver.locator(".rate")).to_contain_text("/s", timeout=WAIT_MS)
    await expect(tab.locator(".latency")).to_contain_text("half arrived within")
    findings = tab.locator("#findings")
    await expect(findings).to_contain_text("partitions are held", timeout=WAIT_MS)
