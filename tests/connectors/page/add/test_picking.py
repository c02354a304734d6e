"""A part of a page is picked in its copy, by pointer and by keys."""

import asyncio
from urllib.parse import quote

from playwright.async_api import Page, Request, Route, expect

from schemas.records.requests import Subscribe
from schemas.records.views import Quote, Selector
from tests.harness.page import ServedPage, open_more
from tests.harness.pages import Pages

SHOP = """<html lang=en><title>Shop</title><nav><a href=/>Home</a></nav><h1>Giants</h1>
<p>Every GIANT sleeps.</p><p id=price>Price: <b>12</b> a month</p>
<form action=/bought><button>Buy</button></form><p>The end of all giants.</p>"""
GIANT = Selector(css="#price b")


async def shown(served: ServedPage, tab: Page, url: str) -> None:
    """Show the copy of a page, ready to be picked from."""
    await tab.goto(f"{served.base}/add?url={quote(url)}")
    await expect(tab.get_by_role("application", name="Pick a part of the page")).to_be_visible()
    await open_more(tab)
    await tab.get_by_label("Keywords").fill("giant")
    await tab.get_by_label("Keywords").blur()
    await expect(tab.locator("#read .keyword")).to_have_text("giant")


async def click(tab: Page, text: str) -> None:
    """Click what has a text in the copy, through what lies above it."""
    place = await tab.frame_locator("#frame").get_by_text(text, exact=True).bounding_box()
    assert place is not None
    await tab.mouse.move(place["x"] + 3, place["y"] + 3)
    await tab.mouse.click(place["x"] + 3, place["y"] + 3)


LIGHTS = """() => [...document.getElementById("frame").contentWindow.CSS.highlights.get("keyword")]
    .map((range) => range.toString())"""
"""The words that are lit up in the copy."""
BAKERY = """<html lang=en><title>Bakery</title><h1>Baking</h1><ul><li>We <i>bak</i>ed two\n loaves
</li><li>the baker sleeps</li></ul><p id=menu>Caf\u0065\u0301 and <b>b\u00adaked</b> \ufb01gs.</p>
<p>All that is baking today: a bake of cake.</p>"""


async def test_keywords_light_up_in_the_copy_as_they_are_matched(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    await shown(served, tab, pages.add(BAKERY).url)
    assert await tab.evaluate(LIGHTS) == []
    await tab.get_by_label("Match other forms of a word").check()
    await tab.get_by_label("Keywords").fill('bake\nCAFÉ\n"baked two"')
    words = ["Baking", "baked", "two", "Café", "b\u00adaked", "baking", "bake"]
    await expect(tab.locator(".text mark")).to_have_text(words)
    assert await tab.evaluate(LIGHTS) == ["Baking", "baked", "two", "Cafe\u0301", *words[4:]]
    await click(tab, "Baking")
    await expect(tab.locator(".text mark")).to_have_text(["Baking"])
    assert await tab.evaluate(LIGHTS) == ["Baking"]


async def test_what_is_clicked_is_watched_by_its_selector_or_its_words(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    page = pages.add(SHOP)
    await shown(served, tab, page.url)
    frame, found = tab.frame_locator("#frame"), tab.locator(".found")
    await expect(tab.locator(".text mark")).to_have_text(["GIANT"])
    async with tab.expect_request(_asks_for_the_past_of_the_price):
        await click(tab, "12")
    await expect(found).to_have_text(["CSS 1 line: 12", "Words 1 line: 12"])
    await expect(tab.get_by_label("CSS selector", exact=True)).to_have_value("#price b")
    await expect(frame.locator(".found")).to_have_text(["12"])
    await expect(tab.locator(".text")).to_have_text("12")
    for text in ("Home", "Buy"):  # a link and a form
        await click(tab, text)
        await expect(tab.locator(".text")).to_have_text(text)
    assert tab.url.startswith(f"{served.base}/add")
    await click(tab, "Every GIANT sleeps.")
    await expect(tab.locator(".text mark")).to_have_text(["GIANT"])
    # Its words hold better than its position.
    await expect(tab.get_by_label("by its words")).to_be_checked()
    await tab.get_by_label("by a CSS selector").check()
    await expect(found.first).to_contain_text("CSS 1 line: Every GIANT sleeps.")
    await tab.get_by_label("by its words").check()
    await expect(tab.get_by_label("Words", exact=True)).to_have_value("Every GIANT sleeps.")
    await expect(found.first).to_have_text("Words 1 line: Every GIANT sleeps.")
    await click(tab, "12")
    await expect(found.first).to_have_text("Words 1 line: 12")
    await tab.get_by_label("by a CSS selector").check()
    await expect(found.first).to_have_text("CSS 1 line: 12")
    assert len(page.requests) == 1
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    [asked] = served.register.asked
    assert isinstance(asked, Subscribe)
    assert asked.options.view.select == (GIANT,)


async def test_a_part_is_picked_with_the_keyboard_alone(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    await shown(served, tab, pages.add(SHOP).url)
    await tab.get_by_role("application").focus()
    status = tab.locator("#copy").get_by_role("status")
    # body, nav, h1, p, p, the b in it, and back up to its p
    for key, text in (
        ("ArrowDown", "div: Home Giants"),
        ("ArrowDown", "nav: Home"),
        ("ArrowRight", "h1: Giants"),
        ("ArrowRight", "p: Every GIANT sleeps."),
        ("ArrowRight", "p: Price: 12 a month"),
        ("ArrowDown", "b: 12"),
        ("ArrowUp", "p: Price: 12 a month"),
        ("ArrowLeft", "p: Every GIANT sleeps."),
        ("ArrowRight", "p: Price: 12 a month"),
    ):
        await tab.keyboard.press(key)
        await expect(status).to_contain_text(text)
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_label("CSS selector", exact=True)).to_have_value("#price")
    await expect(tab.locator(".text")).to_have_text("Price: 12 a month")
    await tab.get_by_label("by its words").check()
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    [asked] = served.register.asked
    assert isinstance(asked, Subscribe)
    [selector] = asked.options.view.select
    words = Quote(
        "Price: 12 a month", "Shop Home Giants Every GIANT sleeps. ", " Buy The end of all giants."
    )
    assert selector == Selector(quote=words)


async def test_a_part_that_was_picked_is_watched_however_soon_another_field_and_the_button_are_used(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    await shown(served, tab, pages.add(SHOP).url)
    await expect(tab.locator(".text mark")).to_have_text(["GIANT"])
    slow = asyncio.Event()

    async def answer(route: Route) -> None:
        await slow.wait()
        await route.continue_()

    await tab.route("**/add", answer)
    await click(tab, "12")
    await tab.get_by_label("Watch a number").check()  # and its preview ends the one of the click
    await tab.get_by_role("button", name="Watch this page").click()
    slow.set()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    views = [each.options.view for each in served.register.asked if isinstance(each, Subscribe)]
    assert GIANT in {part for view in views for part in view.select}
    assert all(view.select == (GIANT,) for view in views if view.number)


def _asks_for_the_past_of_the_price(request: Request) -> bool:
    form = request.post_data or ""
    return request.url.endswith("/add/backtest") and "part=%23price" in form


JOBS = """<html lang=en><title>Jobs</title><h1>Jobs</h1><ul class=jobs>
<li>Gardener</li><li>Cook <i>Basel</i></li><li>Baker</li></ul><p>Apply soon.</p>"""


async def test_of_a_click_in_a_list_the_whole_list_is_watched_and_a_position_is_offered_last(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    page = pages.add(JOBS)
    await shown(served, tab, page.url)
    seen, part = tab.locator("#seen"), tab.get_by_label("CSS selector", exact=True)
    await click(tab, "Basel")
    await expect(seen).to_contain_text("2nd of 3 in a list")
    await expect(part).to_have_value(".jobs")
    await expect(tab.locator(".text")).to_have_text("Gardener\nCook Basel\nBaker")
    await seen.get_by_role("button", name="Wider").click()
    await expect(tab.locator(".text")).to_contain_text("Apply soon.")
    await seen.get_by_role("button", name="Narrower").click()
    await expect(tab.locator(".text")).to_have_text("Jobs")
    await click(tab, "Gardener")
    await seen.get_by_role("button", name="Only the 1st, by its position").click()
    await expect(tab.locator(".text")).to_have_text("Gardener")
    await expect(seen).to_contain_text("a position: after one more is added before it")
    # A paragraph has no list around it: its words hold better than its position.
    await click(tab, "Apply soon.")
    await expect(tab.locator(".text")).to_have_text("Apply soon.")
    await click(tab, "Baker")
    await expect(part).to_have_value(".jobs")
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    [asked] = served.register.asked
    assert isinstance(asked, Subscribe)
    assert asked.options.view.select == (Selector(css=".jobs"),)
