"""The three steps of the form are visible at once, and it works without scripts."""

from urllib.parse import quote

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

from connectors.languages.texts import LANGUAGES
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options
from tests.connectors.page.test_accessibility import LONGEST, LOOKS, faults
from tests.fakes.subscriptions import subscribed
from tests.harness.page import PATIENCE_MS, ServedPage
from tests.harness.pages import Pages

LAMP = """<html lang=en><title>Aurora desk lamp</title><h1>Aurora desk lamp</h1>
<p id=price>89 EUR</p><p>In stock</p><h2>Of brass</h2>{}</html>"""
LONG = LAMP.format("<p>A warm light for a desk.</p>" * 60)
WIDTH = "document.documentElement.scrollWidth"
SIZES: tuple[ViewportSize, ...] = ({"width": 1280, "height": 900}, {"width": 375, "height": 812})
IN_SIGHT = """element => {
    const {top, bottom} = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
}"""


@pytest.mark.parametrize("size", SIZES, ids=["desktop", "phone"])
async def test_the_button_stays_in_sight_and_the_preview_comes_before_the_rest(
    served: ServedPage, tab: Page, pages: Pages, size: ViewportSize
) -> None:
    await tab.set_viewport_size(size)
    await tab.goto(f"{served.base}/add?url={quote(pages.add(LONG).url)}")
    await expect(tab.locator(".picker.ready")).to_be_visible()  # it is fetched at once
    assert await tab.get_by_role("application").is_visible()
    button = tab.get_by_role("button", name="Watch this page")
    assert await button.evaluate(IN_SIGHT)
    preview, keywords = tab.get_by_label("Preview"), tab.get_by_label("Keywords")
    shown, below = await preview.bounding_box(), await keywords.bounding_box()
    assert shown is not None
    assert below is not None
    height = await tab.evaluate("document.documentElement.scrollHeight")
    if size == SIZES[0]:
        assert height <= 900
        for step in ("Address of the page", "Keywords", "here, on this page"):
            assert await tab.get_by_label(step).evaluate(IN_SIGHT)
    else:
        assert shown["y"] + shown["height"] <= below["y"]
        await tab.locator("summary", has_text="More").click()
        assert await button.evaluate(IN_SIGHT)
        assert await faults(tab, looks=LOOKS[1:]) == []


@pytest.mark.parametrize(
    "locale",
    [each if each == LONGEST else pytest.param(each, marks=pytest.mark.slow) for each in LANGUAGES],
)
async def test_the_form_fits_a_phone_in_each_language(
    served: ServedPage, browser: Browser, locale: str
) -> None:
    ruled = subscribed(options=Options(rule="only gods"))
    await served.store.read_side.record([ruled])
    async with await browser.new_context(viewport=SIZES[1], locale=locale) as context:
        tab = await context.new_page()
        await tab.goto(f"{served.base}/add")
        assert await tab.evaluate("document.documentElement.scrollHeight") <= 900
        await tab.goto(f"{served.base}/watch/s1/duplicate")  # it has a rule in plain words
        assert await tab.evaluate(WIDTH) == SIZES[1]["width"]


async def test_the_preview_is_back_after_a_watch_was_added(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    await tab.set_viewport_size(SIZES[1])
    await tab.goto(f"{served.base}/add")
    await tab.get_by_label("Address of the page").fill(pages.add(LONG).url)
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    assert await tab.evaluate(WIDTH) == SIZES[1]["width"]
    await tab.go_back()
    await expect(tab.get_by_label("Preview")).to_contain_text("Aurora desk lamp")


async def test_the_form_works_without_scripts(
    served: ServedPage, browser: Browser, pages: Pages
) -> None:
    async with await browser.new_context(java_script_enabled=False) as context:
        context.set_default_timeout(PATIENCE_MS)
        tab = await context.new_page()
        await tab.goto(f"{served.base}/add")
        await tab.get_by_label("Address of the page").fill(pages.add(LONG).url)
        await tab.get_by_label("Watch whether it is in stock").check()
        await tab.get_by_role("button", name="Preview").click()
        await expect(tab.get_by_label("Preview")).to_contain_text("In stock now")
        await expect(tab.get_by_label("Watch whether it is in stock")).to_be_checked()
        await tab.get_by_role("button", name="Watch this page").click()
        await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    [asked] = served.register.asked
    assert isinstance(asked, Subscribe)
    assert (asked.options.view.stock, asked.keywords) == (True, ())


async def test_an_error_keeps_the_copy_of_a_page_on_which_no_number_was_found(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    await tab.goto(f"{served.base}/add?url={quote(pages.add(LONG).url)}")
    await expect(tab.locator(".picker.ready")).to_be_visible()
    await tab.get_by_label("Watch a number").check()
    await expect(tab.get_by_label("Preview")).to_contain_text("states no price")
    await tab.get_by_label("Below").fill("1,5")
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_label("Below")).to_have_attribute("aria-invalid", "true")
    await expect(tab.locator(".picker.ready")).to_be_visible()
