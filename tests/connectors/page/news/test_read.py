"""Read and unread news, and the keys that move through lists."""

from dataclasses import replace

from playwright.async_api import Page, expect

from schemas.records.subscriptions import Receiver
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import subscribed
from tests.harness.page import ServedPage

HERE = Receiver(session="page")


async def notify(served: ServedPage, *times: int) -> None:
    await served.store.read_side.record(
        [
            replace(NOTIFICATION, id=f"n{at}", receiver=HERE, title=f"Giants {at}", at=at)
            for at in times
        ]
    )


async def unread(tab: Page) -> list[str]:
    return [text.strip() for text in await tab.locator(".unread h2").all_text_contents()]


async def test_news_are_unread_until_they_are_opened_or_all_are_marked(
    served: ServedPage, lone_tab: Page
) -> None:
    await served.store.read_side.record([subscribed(key="s0", receiver=HERE)])
    await notify(served, 1_000, 2_000)
    await lone_tab.goto(f"{served.base}/news")
    await expect(lone_tab.locator("[data-id]")).to_have_count(2)
    assert await unread(lone_tab) == []  # at the first visit nothing is new
    await notify(served, 3_000, 4_000, 5_000)
    await lone_tab.reload()
    await expect(lone_tab.locator("#unread")).to_contain_text("3 unread")
    assert await unread(lone_tab) == ["Giants 5000", "Giants 4000", "Giants 3000"]
    await lone_tab.keyboard.press("n")
    await lone_tab.keyboard.press("j")
    await lone_tab.reload()
    assert await unread(lone_tab) == ["Giants 3000"]
    await notify(served, 6_000, 7_000)
    await lone_tab.goto(f"{served.base}/news?q=7000")  # what is found is read, and no other
    await lone_tab.get_by_role("button", name="Mark all as read").click()
    await lone_tab.goto(f"{served.base}/news")
    await expect(lone_tab.locator("#unread")).to_contain_text("2 unread")
    assert await unread(lone_tab) == ["Giants 6000", "Giants 3000"]
    await lone_tab.get_by_role("button", name="Mark all as read").click()
    await lone_tab.reload()
    await expect(lone_tab.locator("[data-id]")).to_have_count(7)
    assert await unread(lone_tab) == []
    await expect(lone_tab.locator("#unread")).to_be_hidden()


async def test_what_is_remembered_of_read_news_is_bounded(
    served: ServedPage, lone_tab: Page
) -> None:
    await notify(served, 1_000)
    await lone_tab.goto(f"{served.base}/news")
    await lone_tab.evaluate(
        """() => localStorage.setItem("vokter-read:",
        JSON.stringify({ upTo: "", ids: [...Array(500).keys()].map(String) }))"""
    )
    await lone_tab.reload()
    await lone_tab.keyboard.press("n")
    ids = await lone_tab.evaluate('JSON.parse(localStorage.getItem("vokter-read:")).ids')
    assert (len(ids), ids[-1]) == (500, "n1000")
    await lone_tab.evaluate('localStorage.setItem("vokter-read:", "no JSON")')
    await lone_tab.reload()
    await expect(lone_tab.locator("[data-id]")).to_have_count(1)
    assert await unread(lone_tab) == []


async def test_keys_move_through_watches_unless_one_types_or_has_turned_them_off(
    served: ServedPage, lone_tab: Page
) -> None:
    facts = [subscribed(at=at, key=f"s{at}") for at in range(3)]
    await served.store.read_side.record(facts)
    await lone_tab.goto(served.base)
    titles = lone_tab.locator("tbody .title")
    await lone_tab.keyboard.press("j")
    await lone_tab.keyboard.press("j")
    await expect(titles.nth(1)).to_be_focused()
    await lone_tab.keyboard.press("k")
    await expect(titles.nth(0)).to_be_focused()
    await lone_tab.keyboard.press("/")
    search = lone_tab.get_by_role("searchbox")
    await expect(search).to_be_focused()
    await lone_tab.keyboard.type("j?")
    await expect(search).to_have_value("j?")
    await titles.nth(0).focus()
    await lone_tab.keyboard.press("?")
    await expect(lone_tab.get_by_role("dialog", name="Keys")).to_be_visible()
    await lone_tab.get_by_label("Use these keys").uncheck()
    await lone_tab.get_by_role("button", name="Close").click()
    await titles.nth(0).focus()
    await lone_tab.keyboard.press("j")
    await expect(titles.nth(0)).to_be_focused()
    await lone_tab.reload()
    await lone_tab.keyboard.press("?")
    await expect(lone_tab.get_by_role("dialog")).to_be_hidden()
    await lone_tab.get_by_role("button", name="Keys of the keyboard").click()
    await expect(lone_tab.get_by_role("dialog", name="Keys")).to_be_visible()
