"""The pictures of the README and the documentation, taken of the demo: ``make screenshots``."""

import asyncio
import io
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import time
from typing import Any, Literal

from PIL import Image
from playwright.async_api import Browser, ViewportSize, expect
from playwright.async_api import Page as Tab
from rich.console import Console

from bench.measuring import Say, timed_printer
from connectors.channels.kinds import shown_address
from connectors.stores.pages import DAY_MS
from schemas.records.credentials import SealedCredentials
from schemas.records.subscriptions import Receiver
from streams.cli.demo.town import PAGES
from streams.settings import Settings
from tests.fakes.many_watches import many_watches
from tests.fakes.subscriptions import subscribed
from tests.harness.commands import Command
from tests.harness.page import chromium, serving_page
from tests.harness.pages import site
from tests.harness.processes import environment
from tests.harness.template import ROOT

FOLDER = ROOT / "docs" / "pictures"
SIZE = ViewportSize(width=1160, height=760)
SCALE, COLOURS = 2, 128
PATIENCE_MS = 120_000
ADDRESS = re.compile(r"Look at it: (http://\S+)/")


async def watches(tab: Tab) -> None:
    """All pages of the town are watched."""
    await tab.goto(f"{_base(tab)}/")
    await expect(tab.get_by_role("row")).to_have_count(1 + len(PAGES))


async def change(tab: Tab) -> None:
    """The harbour's changes, both sides next to each other."""
    await tab.get_by_role("link", name="Harbour").first.click()
    await expect(tab.locator("ins").first).to_be_visible()
    await tab.get_by_role("link", name=re.compile("side", re.IGNORECASE)).first.click()
    await expect(tab.locator("ins").first).to_be_visible()


async def add(tab: Tab) -> None:
    """The lamp shop is about to be watched."""
    await tab.goto(f"{_base(tab)}/")
    row = tab.get_by_role("row").filter(has_text="lamps")
    address = await row.get_by_role("link").first.get_attribute("href")
    await tab.goto(f"{_base(tab)}{address}")
    shop = await tab.locator("dl a[href*='/lamps']").first.get_attribute("href")
    await tab.goto(f"{_base(tab)}/add")
    await tab.get_by_label("Address of the page").fill(shop or "")
    await tab.get_by_label("Keywords").fill("lantern\nsold out")
    await tab.get_by_role("button", name="Preview").click()
    await expect(tab.locator(".text mark").first).to_be_visible()
    place = await tab.frame_locator("#frame").get_by_text("Storm lantern").bounding_box()
    assert place is not None
    await tab.mouse.click(place["x"] + 5, place["y"] + 5)
    await expect(tab.locator(".found").first).to_be_visible()


async def news(tab: Tab) -> None:
    """What was notified."""
    await tab.goto(f"{_base(tab)}/news")
    await expect(tab.locator("ins").first).to_be_visible()


async def pipeline(tab: Tab) -> None:
    """The agents."""
    await tab.goto(f"{_base(tab)}/pipeline")
    await expect(tab.get_by_role("main")).to_contain_text("Everything works")
    await expect(tab.locator(".rate", has_text=re.compile(r"\d")).first).to_be_visible()
    await expect(tab.locator("#findings details")).to_be_visible()


SHOTS: tuple[Callable[[Tab], Awaitable[None]], ...] = (watches, change, add, news, pipeline)
BOTH = (news,)
"""Taken in both schemes."""
SCHEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")


WATCHES = 500
PHONE = "channel:phone"
SHOP = """<title>Aurora desk lamp</title><h1>Aurora desk lamp</h1><p>89 EUR</p><p>In stock</p>
<p>A lamp of brushed steel, with an arm of 60 cm.</p>"""
MANY: dict[str, tuple[str, ViewportSize, Literal["light", "dark"]]] = {
    "many-light": ("/?sort=failing", ViewportSize(width=1280, height=900), "light"),
    "many-dark": ("/", ViewportSize(width=375, height=800), "dark"),
    "watch-light": ("/watch/w251", SIZE, "light"),
    "watch-dark": ("/watch/w251", ViewportSize(width=375, height=800), "dark"),
    "ended-light": ("/watch/w7", ViewportSize(width=1160, height=520), "light"),
    "deliveries-light": ("/deliveries", SIZE, "light"),
    "edit-light": ("/watch/edited/edit", SIZE, "light"),
    "add-dark": ("/add", ViewportSize(width=375, height=900), "dark"),
    "search-light": ("/search?q=delivery", SIZE, "light"),
    "suppressed-light": ("/suppressed", ViewportSize(width=1160, height=580), "light"),
    "channels-light": ("/channels", ViewportSize(width=1160, height=1300), "light"),
    "feeds-light": ("/feeds?tag=prices", ViewportSize(width=1160, height=520), "light"),
    "shortcuts-light": ("/add/shortcuts", SIZE, "light"),
    "dead-letters-light": ("/dead-letters", ViewportSize(width=1160, height=520), "light"),
    "sign-in-dark": ("/sign-in", ViewportSize(width=375, height=800), "dark"),
}
"""Pictures of very many watches: the view, the size of the screen, and the scheme."""


def _base(tab: Tab) -> str:
    return "/".join(tab.url.split("/")[:3])


async def take(tab: Tab, name: str) -> int:
    """Write what the tab shows; returns the size in bytes."""
    await tab.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    picture = Image.open(io.BytesIO(await tab.screenshot(animations="disabled")))
    path = FOLDER / f"{name}.png"
    picture.convert("RGB").quantize(COLOURS).save(path, optimize=True)
    return path.stat().st_size


async def take_many(browser: Browser, say: Say) -> None:
    """Take the pictures of very many watches, which need no deployment."""
    with tempfile.TemporaryDirectory() as folder:
        async with serving_page(Path(folder)) as served, site() as pages:
            served.clock.now = time()
            now_ms, url = int(served.clock.now * 1000), pages.add(SHOP).url
            await many_watches(WATCHES, now_ms).record(served.store)
            fields: dict[str, Any] = {"document_url": url, "url": url, "keywords": ("*",)}
            edited = subscribed(now_ms - DAY_MS, "edited", receiver=Receiver(PHONE), **fields)
            await served.store.read_side.record([edited])
            shown = shown_address("mailtos://m.example?to=io@m.example")
            channel = SealedCredentials("default", "mail", "channel", shown, 1)
            await served.store.credentials.put(channel, 2)
            for name, (path, size, scheme) in MANY.items():
                if path == "/sign-in":  # without keys, it leads to the watches
                    served.add_key("io")
                tab = await browser.new_page(viewport=size, color_scheme=scheme)
                await tab.goto(served.base + path)
                if name == "edit-light":
                    await expect(tab.locator("#frame")).to_be_visible()
                say(f"{name}: {await take(tab, name) / 1000:.0f} KB")
                await tab.close()


async def all_changed(tab: Tab, say: Say) -> None:
    """Wait until each page of the town has been news."""
    for page in PAGES:
        say(f"waiting until {page.title!r} is news")
        while not await tab.locator("main", has_text=page.title).count():
            await asyncio.sleep(1)
            await tab.reload()


async def main() -> None:
    """Start the demo, and take the pictures."""
    say = timed_printer(Console())
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = environment(Settings(data_dir=folder))
        async with Command(env, folder, "demo", "--no-browser") as demo, chromium() as browser:
            await demo.says("Look at it: ")
            await take_many(browser, say)
            base = ADDRESS.findall(demo.out + demo.err)[0]
            tab = await browser.new_page(viewport=SIZE, device_scale_factor=SCALE)
            tab.set_default_timeout(PATIENCE_MS)
            await tab.goto(f"{base}/news")
            await all_changed(tab, say)
            for shot in SHOTS:
                await shot(tab)
                for scheme in SCHEMES if shot in BOTH else SCHEMES[:1]:
                    await tab.emulate_media(color_scheme=scheme)
                    size = await take(tab, f"{shot.__name__}-{scheme}")
                    say(f"{shot.__name__}, {scheme}: {size / 1000:.0f} KB")
                await tab.emulate_media(color_scheme=SCHEMES[0])


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
