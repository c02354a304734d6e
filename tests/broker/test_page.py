"""The page with a real pipeline: a page is added, changes, its news appears, and is muted."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from tests.harness.hooks import Hooks
from tests.harness.mailbox import Mailbox, open_mailbox
from tests.harness.page import PATIENCE_MS, chromium
from tests.harness.pages import Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import TIMEOUT_S, eventually, until

WAIT_MS = 1000 * TIMEOUT_S
GUARD = "{} sleeps at the gate of the old garden, {} visitors."
"""A keyword, and a number that has nothing to do with it."""
GIANTS = "<title>Giants</title><p class=guard>{}</p><p>argus was sought {} times</p>"


def giants(guard: str, visitors: int, sought: int) -> str:
    return GIANTS.format(GUARD.format(guard, visitors), sought)


@pytest.fixture
async def tab() -> AsyncIterator[Tab]:
    async with chromium() as browser:
        tab = await browser.new_page()
        tab.set_default_timeout(PATIENCE_MS)
        yield tab


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    async with open_mailbox() as mailbox:
        yield mailbox


async def checked(rest: Rest, url: str) -> bool:
    """Whether each view of a page that is watched has been read."""
    found = (await rest.get("/subscriptions")).body["subscriptions"]
    return all(each["lastCheck"] for each in found if each["documentUrl"] == url)


async def set_channel(tab: Tab, address: str) -> None:
    """Set the channel ``letters``."""
    await tab.get_by_role("navigation").get_by_role("link", name="Channels").click()
    await tab.get_by_label("Name").fill("letters")
    await tab.get_by_label("Service").select_option("address")
    await tab.get_by_label("Address").fill(address)
    await tab.get_by_role("button", name="Store without a test").click()
    await expect(tab.get_by_role("status")).to_contain_text("letters is stored")


async def mute_numbers(tab: Tab) -> None:
    """Mute what is only a number, from the newest news."""
    await tab.locator("summary", has_text="Mute").first.click()
    await tab.get_by_role("button", name="Not when only numbers").first.click()
    await expect(tab.get_by_role("heading", name="Muted")).to_be_visible()


async def see_pipeline(tab: Tab, partitions: int) -> None:
    """See how the agents are."""
    await tab.get_by_role("navigation").get_by_role("link", name="Pipeline").click()
    await expect(tab.get_by_role("main")).to_contain_text("Everything works")
    deliver = tab.locator(".agent.deliver")
    await expect(deliver).to_contain_text(f"{partitions} of {partitions}")
    await expect(deliver.locator(".rate")).to_contain_text("/s", timeout=WAIT_MS)
    await expect(tab.locator(".latency")).to_contain_text("half arrived within")
    findings = tab.locator("#findings")
    await expect(findings).to_contain_text("partitions are held", timeout=WAIT_MS)


async def test_a_page_is_added_changes_and_is_news_without_a_reload(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, tab: Tab, mailbox: Mailbox
) -> None:
    base = f"http://127.0.0.1:{shared.settings.port}"
    page, hook = pages.add(giants("Io", 1, 1)), hooks.add()
    await tab.goto(base)
    await tab.get_by_role("navigation").get_by_role("link", name="Add a page").click()
    await tab.get_by_label("Address of the page").fill(page.url)
    await tab.get_by_label("Keywords").fill("argus")
    await tab.get_by_role("button", name="Preview").click()
    await expect(tab.locator(".text")).to_contain_text("argus was sought")
    await expect(tab.locator(".picker.ready")).to_be_visible()
    guard = await tab.frame_locator("#frame").get_by_text("Io sleeps").bounding_box()
    assert guard is not None
    await tab.mouse.click(guard["x"] + 3, guard["y"] + 3)
    await expect(tab.get_by_label("CSS selector", exact=True)).to_have_value(".guard")
    await expect(tab.locator(".text")).to_have_text(GUARD.format("Io", 1))
    await tab.get_by_label("a webhook", exact=True).check()
    await tab.get_by_label("Address of the webhook").fill(hook.url)
    await tab.get_by_role("button", name="Watch this page").click()
    await tab.get_by_role("button", name="Send a test notification").click()
    await expect(tab.get_by_role("main")).to_contain_text("on its way")
    await hook.notified()
    await set_channel(tab, mailbox.address)
    # The form's shortest interval is a minute; a second subscriber has the page fetched more often.
    await rest.subscribe(page.url, "channel:letters", "*")
    await eventually(lambda: checked(rest, page.url), "both views have a snapshot")
    await tab.goto(f"{base}/news?client={hook.url}")
    await expect(tab.locator(".timeline")).to_contain_text("A test", timeout=WAIT_MS)
    page.text = giants("Argus", 1, 2)
    await expect(tab.locator("ins").first).to_have_text("Argus", timeout=WAIT_MS)
    await expect(tab.get_by_text("was sought")).to_have_count(0)
    await tab.get_by_role("link", name="Giants").first.click()
    await expect(tab.locator(".receivers")).to_contain_text("Arrived", timeout=WAIT_MS)
    await tab.get_by_role("link", name="Compare the two texts").click()
    await expect(tab.locator("ins").first).to_have_text("Argus")
    await tab.get_by_role("main").get_by_role("link", name="Giants").click()
    await expect(tab.locator(".arrival").first).to_contain_text("Arrived")
    (mail,) = await until(lambda: mailbox.mails, "the e-mail arrives")
    assert (mail.to, mail.subject) == (["io@olympus.test"], "2 changes: Giants")
    await tab.goto(f"{base}/news?client={hook.url}")
    await mute_numbers(tab)
    page.text = giants("Argus", 2, 2)
    await until(lambda: len(mailbox.mails) == 2, "who has not muted it gets the number")
    page.text = giants("Argus never", 2, 2)
    _, before, news = await hook.notified(3)
    assert before["diffs"][0]["after"] == GUARD.format("Argus", 1)
    assert news["diffs"][0]["after"] == GUARD.format("Argus never", 2), "no news of a number alone"
    await tab.get_by_role("main").get_by_role("link", name="Giants").click()
    await tab.get_by_text("Stop watching").first.click()
    await tab.get_by_role("button", name="Stop watching").click()
    await tab.get_by_role("main").get_by_role("link", name="Giants").click()
    await expect(tab.locator("#facts .state")).to_have_text("Cancelled", timeout=WAIT_MS)
    await see_pipeline(tab, 3 * shared.settings.partitions)
