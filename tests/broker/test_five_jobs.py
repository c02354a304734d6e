"""Five people with a real need, in a real browser, with servers of mail and phones of ours."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import web
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from infra.broker import LocalBroker
from tests.harness.commands import vokter
from tests.harness.mailbox import Mailbox, open_mailbox
from tests.harness.page import PATIENCE_MS, chromium
from tests.harness.pages import Page, Pages
from tests.harness.processes import ON_THE_WAY, Deployment, environment
from tests.harness.rest import OK, Rest, client
from tests.harness.waiting import TIMEOUT_S, eventually, until
from tests.harness.web import served

pytestmark = pytest.mark.slow  # test_page.py goes the same way through the page once

WAIT_MS = 1000 * TIMEOUT_S
SHOP = """<title>Aurora desk lamp</title><h1>Aurora desk lamp</h1>
<p class=price>{price}</p><p class=stock>{stock}</p>"""
JOBS = "<title>Vacancies</title><h1>Vacancies</h1><ul class=jobs>{}</ul>"
STATUS = "<title>Status</title><h1>Service status</h1><p>{}</p>"
TERMS = "<title>Terms of service</title><h1>Terms</h1><p>You may cancel {} days before the end."


@dataclass
class Phone:
    """A server like ntfy's, and the messages that it got."""

    base: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list)

    async def publish(self, request: web.Request) -> web.Response:
        self.messages.append(json.loads(await request.read()))
        return web.json_response({"id": "1"})


@asynccontextmanager
async def open_phone() -> AsyncIterator[Phone]:
    phone = Phone()
    async with served(phone.publish) as (phone.base,):
        yield phone


@pytest.fixture(scope="module")
def jobs(broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """A deployment of its own: two hundred watches would be in the lists of other tests."""
    folder = tmp_path_factory.mktemp("jobs")
    with Deployment(broker.bootstrap, folder, is_kept=True) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        yield deployment


@pytest.fixture
async def rest(jobs: Deployment) -> AsyncIterator[Rest]:
    async with client(jobs.settings.port) as rest:
        await rest.ready()
        yield rest


@pytest.fixture
async def tab(jobs: Deployment, rest: Rest) -> AsyncIterator[Tab]:
    async with chromium() as browser:
        tab = await browser.new_page(base_url=f"http://127.0.0.1:{jobs.settings.port}")
        tab.set_default_timeout(PATIENCE_MS)
        yield tab


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    async with open_mailbox() as mailbox:
        yield mailbox


async def set_mail(tab: Tab, mailbox: Mailbox, name: str) -> None:
    """Set a channel of e-mail by its form, with a test message."""
    await tab.goto("/channels")
    await tab.get_by_label("Name", exact=True).fill(name)
    await tab.get_by_label("Service").select_option("mail")
    await tab.get_by_label("To", exact=True).fill("io@olympus.test")
    await tab.get_by_label("From", exact=True).fill("vokter@olympus.test")
    await tab.locator("#mail_server").fill(urlsplit(mailbox.address).netloc)
    await tab.get_by_label("Encryption").select_option("none")
    await tab.get_by_role("button", name="Send a test, then store").click()
    await expect(tab.get_by_role("status")).to_contain_text("is stored", timeout=WAIT_MS)
    assert mailbox.mails.pop().subject.startswith("Test")


async def preview(tab: Tab, page: Page) -> None:
    await tab.goto("/add")
    await tab.get_by_label("Address of the page").fill(page.url)
    await tab.get_by_role("button", name="Preview").click()
    await expect(tab.locator(".text")).not_to_be_empty(timeout=WAIT_MS)


async def pick(tab: Tab, text: str) -> None:
    """Click a text in the copy of the page."""
    await expect(tab.locator(".picker.ready")).to_be_visible(timeout=WAIT_MS)
    box = await tab.frame_locator("#frame").get_by_text(text).first.bounding_box()
    assert box is not None
    await tab.mouse.click(box["x"] + 3, box["y"] + 3)


async def watch(tab: Tab, channel: str) -> None:
    await tab.get_by_label("a channel", exact=True).check()
    await tab.get_by_label("Channel", exact=True).select_option(channel)
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible(timeout=WAIT_MS)


async def often(rest: Rest, page: Page) -> None:
    """Have the page fetched each second, and each of its watches read; a form allows no less."""
    body = {"documentUrl": page.url, "session": "often", "keywords": ["zzz"], "interval": 1}
    assert (await rest.call("/subscribe", body)).verdict == OK

    async def read() -> bool:
        found = (await rest.get("/subscriptions", search=page.url)).body["subscriptions"]
        return all(each["lastCheck"] for each in found)

    await eventually(read, "each watch of the page has a baseline")


async def test_price_and_stock_of_a_product_by_mail(
    rest: Rest, pages: Pages, tab: Tab, mailbox: Mailbox
) -> None:
    page = pages.add(SHOP.format(price="€ 129.00", stock="Sold out"))
    await set_mail(tab, mailbox, "shopping")
    await preview(tab, page)
    await pick(tab, "129.00")
    await tab.get_by_label("Watch a number").check()
    await tab.get_by_label("Below").fill("100")
    await tab.get_by_label("Watch whether it is in stock").check()
    await watch(tab, "shopping")
    await expect(tab.get_by_text("Watched apart")).to_be_visible()
    await often(rest, page)
    page.text = SHOP.format(price="€ 109.00", stock="Sold out")
    page.text = SHOP.format(price="€ 89.00", stock="Sold out")
    (cheap,) = await until(lambda: mailbox.mails, "the price is below the limit")
    assert "89" in cheap.subject
    assert "below 100" in cheap.subject
    page.text = SHOP.format(price="€ 89.00", stock="In stock")
    await until(lambda: len(mailbox.mails) == 2, "it is in stock")
    assert mailbox.mails[1].subject.startswith("In stock")


async def test_postings_with_two_words_by_a_click(
    rest: Rest, pages: Pages, tab: Tab, mailbox: Mailbox
) -> None:
    old = ["Cook, Graz", "Night nurse, Wien", "Baker, Linz"]
    page = pages.add(JOBS.format("".join(f"<li>{each}</li>" for each in old)))
    await set_mail(tab, mailbox, "jobs")
    await preview(tab, page)
    await pick(tab, "Night nurse")
    await tab.get_by_label("Keywords").first.fill("nurse wien")
    await watch(tab, "jobs")
    await often(rest, page)
    for new in ("Gardener, Wien", "Day nurse, Graz", "Head nurse, Wien"):
        old = [new, *old]
        page.upcoming.append(JOBS.format("".join(f"<li>{each}</li>" for each in old)))
    (mail,) = await until(lambda: mailbox.mails, "the posting with both words")
    without_context = re.sub(r'<span style="color:#757575">.*?</span>', "", mail.html)
    text = re.sub("<[^>]*>", "", without_context)
    assert "Head nurse, Wien" in text
    assert not re.search("Gardener|Day nurse|Baker", text)


async def test_terms_in_a_weekly_digest(
    rest: Rest, pages: Pages, tab: Tab, mailbox: Mailbox
) -> None:
    page = pages.add(TERMS.format(14))
    await set_mail(tab, mailbox, "legal")
    await tab.goto("/channels?change=legal#set")
    await tab.get_by_label("Send", exact=True).select_option("weekly")
    await tab.get_by_role("button", name="Store without a test").click()
    await expect(tab.get_by_role("status")).to_contain_text("legal is stored")
    await preview(tab, page)
    await watch(tab, "legal")
    await often(rest, page)
    page.text = TERMS.format(30)
    await tab.goto("/deliveries?client=channel:legal")
    held = tab.get_by_role("main").get_by_text("digest").first
    await expect(held).to_be_visible(timeout=WAIT_MS)
    await tab.get_by_role("button", name="Send now").first.click()
    (mail,) = await until(lambda: mailbox.mails, "the digest")
    assert "Terms of service" in mail.subject
    assert "30" in mail.html


async def test_a_status_page_on_a_phone(rest: Rest, pages: Pages, tab: Tab) -> None:
    page = pages.add(STATUS.format("All systems operational."))
    async with open_phone() as phone:
        await tab.set_viewport_size({"width": 375, "height": 800})
        await tab.goto("/channels")
        await tab.get_by_label("Name", exact=True).fill("phone")
        await tab.get_by_label("Service").select_option("ntfy")
        await tab.get_by_label("Topic").fill("status-7f3")
        await tab.locator("#ntfy_server").fill(phone.base)
        await tab.get_by_role("button", name="Send a test, then store").click()
        await expect(tab.get_by_role("status")).to_contain_text("is stored", timeout=WAIT_MS)
        phone.messages.clear()
        await preview(tab, page)
        await tab.get_by_label("Keywords").first.fill("outage")
        await watch(tab, "phone")
        await often(rest, page)
        page.text = STATUS.format("Outage of mail in Europe.")
        (message,) = await until(lambda: phone.messages, "the outage")
        assert message["topic"] == "status-7f3"
        assert "Outage of mail in Europe." in message["message"]


async def test_two_hundred_watches_of_another_tool_with_names_and_limits(
    jobs: Deployment, rest: Rest, tab: Tab, tmp_path: Path
) -> None:
    restock = {"in_stock_processing": "off", "price_change_min": 99}
    watches = {
        f"{number:036d}": {
            "url": f"http://127.0.0.1:1024/{tmp_path.name}/{number}",
            "title": f"Lamp number {number}",
            "processor": "restock_diff",
            "restock_settings": restock,
        }
        for number in range(200)
    }
    backup = tmp_path / "url-watches.json"
    backup.write_text(json.dumps({"watching": watches, "settings": {"application": {"tags": {}}}}))
    line = ("import", "--from", "changedetection", str(backup), "--session", "imported")
    result = await vokter(environment(jobs.settings), tmp_path, *line)
    assert (result.status, result.out.count('"subscribed"')) == (0, 200), result.err
    listed = await rest.shows(lambda each: each["name"] == "Lamp number 199", "the last")
    assert listed["view"]["number"] is not None
    assert listed["when"]
    await tab.goto("/?q=Lamp+number+17")
    main = tab.get_by_role("main")
    await expect(main.get_by_role("link", name="Lamp number 17", exact=True)).to_be_visible()
    await expect(main.get_by_role("link", name="Lamp number 18", exact=True)).to_have_count(0)
