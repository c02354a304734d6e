"""A watch is added, in Chromium: preview, errors at their fields, the test notification."""

import re
from urllib.parse import quote

from aiohttp import ClientSession
from playwright.async_api import Page, expect

from schemas.records.requests import Subscribe
from schemas.records.requests import Test as AskedTest
from schemas.records.subscriptions import Receiver
from tests.connectors.page.session.test_guard import sent, token_of
from tests.harness.page import ServedPage, open_more
from tests.harness.pages import Pages

GIANTS = """<html lang=en><title>Giants</title><h1>Giants</h1>
<p>Argus has a hundred eyes.</p><p id=price>Price: 12</p><p>Every GIANT sleeps.</p>"""


async def test_the_preview_shows_the_page_and_what_keywords_match(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    page = pages.add(GIANTS)
    await tab.goto(f"{served.base}/add")
    await tab.get_by_label("Address of the page").fill(page.url)
    await tab.get_by_label("Keywords").fill("giant\nhera")
    await tab.get_by_role("button", name="Preview").click()
    preview = tab.get_by_role("region", name="Preview")
    await expect(preview.get_by_role("heading").first).to_have_text("Giants")
    await expect(preview.locator(".finding").nth(0)).to_contain_text("Every GIANT sleeps.")
    await expect(preview.locator(".finding").nth(1)).to_contain_text("nothing now")
    await expect(preview.locator(".text mark")).to_have_text(["GIANT"])
    assert served.register.asked == []


async def test_the_preview_follows_the_form_without_a_reload(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    page = pages.add(GIANTS)
    await tab.goto(f"{served.base}/add")
    await tab.get_by_label("Address of the page").fill(page.url)
    await tab.get_by_label("Address of the page").blur()
    await expect(tab.locator(".text")).to_contain_text("Argus has a hundred eyes.")
    await tab.get_by_label("Keywords").press_sequentially("argus")
    await expect(tab.locator(".text mark")).to_have_text(["Argus"])
    await open_more(tab)
    await tab.get_by_label("CSS selector", exact=True).fill("#price")
    await tab.get_by_label("CSS selector", exact=True).blur()
    await expect(tab.locator(".text")).to_have_text("Price: 12")
    await expect(tab.get_by_role("region", name="Preview")).to_contain_text("CSS 1 line: Price: 12")
    await expect(tab.get_by_label("Address of the page")).to_have_value(page.url)


async def test_a_page_is_added_and_listed(served: ServedPage, tab: Page, pages: Pages) -> None:
    page = pages.add(GIANTS)
    await tab.goto(f"{served.base}/add?url={quote(page.url)}")
    await tab.get_by_label("Keywords").fill(" giant \n\nargus panoptes")
    await open_more(tab)
    await tab.get_by_label("Check every").fill("60")
    await tab.get_by_label("Unit of the interval").select_option("minutes")
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    [asked] = served.register.asked
    assert isinstance(asked, Subscribe)
    assert (asked.keywords, asked.receiver) == (
        ("giant", "argus panoptes"),
        Receiver(session="page"),
    )
    assert (asked.options.interval, asked.options.ignore_case) == (3600, True)
    await tab.get_by_role("link", name="Show the watch").click()
    await expect(tab.locator("#facts")).to_contain_text("argus panoptes")
    await tab.get_by_role("navigation").get_by_role("link", name="Watches").click()
    await expect(tab.locator("tbody tr")).to_contain_text("argus panoptes")


async def test_without_keywords_every_change_counts(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    await tab.goto(f"{served.base}/add?url={quote(pages.add(GIANTS).url)}")
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    assert [asked.keywords for asked in served.register.asked] == [("*",)]  # type: ignore[union-attr]


async def test_a_webhook_gets_its_secret_once_and_a_test_notification(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    await tab.goto(f"{served.base}/add?url={quote(pages.add(GIANTS).url)}")
    await expect(tab.get_by_label("Address of the webhook")).to_be_hidden()
    await tab.get_by_label("a webhook", exact=True).check()
    await tab.get_by_label("Address of the webhook").fill("http://127.0.0.1:1024/hook")
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.locator("pre")).to_contain_text("whsec_")
    await tab.get_by_role("button", name="Send a test notification").click()
    await expect(tab.get_by_role("main")).to_contain_text("on its way to 127.0.0.1:1024/hook")
    assert [type(asked) for asked in served.register.asked] == [Subscribe, AskedTest]


async def test_the_same_form_sent_again_gets_the_same_answer(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    await tab.goto(f"{served.base}/add?url={quote(pages.add(GIANTS).url)}")
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    await tab.reload()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()


async def test_an_error_has_the_focus_at_its_field(served: ServedPage, tab: Page) -> None:
    await tab.goto(f"{served.base}/add?url=http://127.0.0.1:1024/")
    await open_more(tab)
    field = tab.get_by_label("CSS selector", exact=True)
    await field.fill("p[")
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(field).to_be_focused()
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(field).to_have_accessible_description(re.compile("no CSS selector: Malformed"))
    await expect(field).to_have_value("p[")


async def test_a_keyword_that_nothing_can_match_is_refused_not_dropped(
    served: ServedPage, http: ClientSession, pages: Pages
) -> None:
    page = pages.add(GIANTS)
    form = {"url": page.url, "keywords": "giant\n€", "interval": "3600", "send": "here"}
    form["token"] = await token_of(http, f"{served.base}/add")
    preview = await (await sent(http, served, "/add", do="preview", **form)).text()
    assert "never found: it has no letter or digit" in preview
    refused = await sent(http, served, "/add", do="subscribe", **form)
    assert refused.status == 400
    assert (
        "with a letter or a digit, or leave the field empty; never found: €" in await refused.text()
    )
    assert served.register.asked == []


async def test_a_page_that_needs_a_login_says_how_and_promises_nothing_of_its_keywords(
    served: ServedPage, http: ClientSession, pages: Pages
) -> None:
    page = pages.add(GIANTS)
    page.status = 401
    form = {"url": page.url, "keywords": "giant", "interval": "3600", "send": "here"}
    token = await token_of(http, f"{served.base}/add")
    preview = await (await sent(http, served, "/add", do="preview", token=token, **form)).text()
    assert "It needs a login. Store one with <code>vokter credentials set</code>" in preview
    assert "nothing now" not in preview


async def test_a_page_that_is_watched_already_is_said_to_be(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    url = pages.add(GIANTS).url
    for _ in range(2):
        await tab.goto(f"{served.base}/add?url={quote(url)}")
        await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_role("alert")).to_contain_text("already watched for this receiver")
    await tab.get_by_role("link", name="Show it").click()
    await expect(tab.locator("#facts")).to_contain_text("any change")
    await tab.get_by_role("link", name="Watches").first.click()
    await expect(tab.locator("tbody tr")).to_have_count(1)


async def test_a_page_that_cannot_be_read_says_why(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    page = pages.add(GIANTS)
    page.status = 503
    await tab.goto(f"{served.base}/add?url={quote(page.url)}")
    await tab.get_by_role("button", name="Preview").click()
    preview = tab.get_by_role("region", name="Preview")
    await expect(preview).to_contain_text("This page cannot be read")
    await expect(preview).to_contain_text("HTTP 503")


async def test_tags_of_the_form_are_those_of_the_watch_or_stand_next_to_their_error(
    served: ServedPage, http: ClientSession
) -> None:
    token = await token_of(http, f"{served.base}/add")
    form = {"token": token, "do": "subscribe", "url": "http://127.0.0.1/", "once": "1"}
    form |= {"interval": "600", "send": "here"}
    refused = await sent(http, served, "/add", **form, tags="x" * 51)
    assert refused.status == 415
    assert 'id="tags-error">At most 20 tags' in await refused.text()
    assert (await sent(http, served, "/add", **form, tags="gods, prices,")).status == 200
    (asked,) = [each for each in served.register.asked if isinstance(each, Subscribe)][1:]
    assert asked.options.tags == ("gods", "prices")


async def test_a_longest_interval_of_the_form_is_that_of_the_watch_or_stands_next_to_its_error(
    served: ServedPage, http: ClientSession
) -> None:
    token = await token_of(http, f"{served.base}/add")
    form = {"token": token, "do": "subscribe", "url": "http://127.0.0.1/", "once": "1"}
    form |= {"unit": "hours", "send": "here", "longest": "86400"}
    refused = await sent(http, served, "/add", **form, interval="48")
    assert refused.status == 415
    text = await refused.text()
    assert 'id="longest-error">It must not be less than the interval, which is 172800 s' in text
    assert 'value="86400" selected' in text
    assert (await sent(http, served, "/add", **form, interval="1")).status == 200
    (asked,) = [each for each in served.register.asked if isinstance(each, Subscribe)][1:]
    assert (asked.options.interval, asked.options.max_interval) == (3600, 86400)
