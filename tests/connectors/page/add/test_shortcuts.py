"""Ways to the form from other programs: what phones share, the bookmark, and the extension."""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from aiohttp import ClientSession
from playwright.async_api import Page, async_playwright, expect

from connectors.browser.flags import NO_SANDBOX
from connectors.page.add.shortcuts import shared_form
from tests.connectors.page.session.test_guard import signed_in
from tests.harness.page import ServedPage
from tests.harness.pages import Pages
from tests.harness.template import ROOT

EXTENSION = ROOT / "connectors" / "page" / "extension"
MAX_LINES = 300


@pytest.mark.parametrize(
    ("shared", "form"),
    [
        ({"url": "https://a.test/?b=c#d"}, "/add?url=https%3A%2F%2Fa.test%2F%3Fb%3Dc%23d"),
        ({"title": "A", "text": "A https://a.test/x"}, "/add?url=https%3A%2F%2Fa.test%2Fx"),
        (
            {"url": "https://a.test/", "quote": " 12 € "},
            "/add?url=https%3A%2F%2Fa.test%2F&quote=12+%E2%82%AC",
        ),
        ({"url": "javascript:alert(1)"}, "/add?"),
        ({"text": "//evil.test"}, "/add?"),
        ({}, "/add?"),
    ],
)
def test_what_is_shared_leads_to_the_form_with_its_page(shared: dict[str, str], form: str) -> None:
    assert shared_form(shared) == form


async def test_who_is_signed_in_gets_to_the_form_from_another_site(
    served: ServedPage, http: ClientSession
) -> None:
    secret = served.add_key("news-desk")
    await signed_in(http, served, secret)
    shared = f"{served.base}/share?url=https://a.test/"
    # A browser sends no cookie where another site leads.
    async with ClientSession() as stranger, stranger.get(shared) as shown:
        assert shown.status == 200
        assert shown.headers["Refresh"] == "0; url=/add?url=https%3A%2F%2Fa.test%2F"
    async with http.get(
        f"{served.base}/add", params={"url": "https://a.test/", "quote": "12 €"}
    ) as form:
        text = await form.text()
    assert 'value="https://a.test/"' in text
    assert "12 €" in text


async def test_a_phone_may_install_the_page_and_share_with_it(
    served: ServedPage, http: ClientSession
) -> None:
    async with http.get(served.base) as page:
        text = await page.text()
    address = text.partition('rel="manifest" href="')[2].partition('"')[0]
    async with http.get(served.base + address) as found:
        assert found.content_type == "application/manifest+json"
        manifest = json.loads(await found.text())
    assert manifest["share_target"]["action"] == "/share"
    for icon in manifest["icons"]:
        async with http.get(f"{served.base}/static/{icon['src']}") as found:
            assert found.content_type == icon["type"]


async def test_the_bookmark_opens_the_form_with_the_page_and_what_is_selected_there(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    await tab.goto(f"{served.base}/add/shortcuts")
    link = tab.get_by_role("link", name="Watch with Vokter")
    await expect(link).to_have_attribute("href", re.compile("javascript:"))
    code = unquote((await link.get_attribute("href") or "").removeprefix("javascript:"))
    page = pages.add("<p id=a>Argus sleeps.</p><p>Io</p>")
    await tab.goto(page.url)
    await tab.evaluate("getSelection().selectAllChildren(document.querySelector('#a'))")
    await tab.evaluate(code)
    await expect(tab.get_by_label("Address of the page")).to_have_value(page.url)
    assert "quote=Argus+sleeps." in tab.url


def test_the_extension_is_small_and_asks_for_no_site_when_it_is_installed() -> None:
    files = [file for file in EXTENSION.iterdir() if file.suffix != ".png"]
    assert sum(len(file.read_text().splitlines()) for file in files) <= MAX_LINES
    manifest = json.loads((EXTENSION / "manifest.json").read_text())
    assert manifest["manifest_version"] == 3
    assert set(manifest["permissions"]) == {"activeTab", "scripting", "storage"}
    assert "host_permissions" not in manifest
    named = {*manifest["icons"].values(), manifest["action"]["default_popup"]}
    assert named <= {file.name for file in EXTENSION.iterdir()}


@pytest.mark.slow
async def test_the_extension_opens_the_form_with_the_tab_and_what_is_selected_there(
    served: ServedPage, pages: Pages, tmp_path: Path
) -> None:
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("the extension is NOT TESTED: only a whole Chromium loads extensions")
    page = pages.add("<p id=a>Argus sleeps.</p><p>Io wakes.</p>")
    name = "".join(chr(ord("a") + int(digit, 16)) for digit in _digest(EXTENSION)[:32])
    flags = (NO_SANDBOX, "--headless=new", "--enable-unsafe-extension-debugging")
    loaded = (f"--disable-extensions-except={EXTENSION}", f"--load-extension={EXTENSION}")
    async with (
        async_playwright() as driver,
        await driver.chromium.launch_persistent_context(
            tmp_path / "profile", executable_path=browser, headless=False, args=[*flags, *loaded]
        ) as context,
    ):
        tab = await context.new_page()
        await tab.goto(f"chrome-extension://{name}/options.html")
        await tab.get_by_label("Address").fill(served.base)
        await tab.get_by_role("button", name="Save").click()
        await expect(tab.locator("body")).to_contain_text("Saved.")
        await tab.goto(page.url)
        await tab.evaluate("getSelection().selectAllChildren(document.querySelector('#a'))")
        assert context.browser is not None
        tools = await context.browser.new_browser_cdp_session()
        tabs = await tools.send("Target.getTargets", {"filter": [{"type": "tab"}]})
        (at,) = [each["targetId"] for each in tabs["targetInfos"] if each["url"] == page.url]
        async with context.expect_page(lambda opened: opened.url.startswith(served.base)) as form:
            await tools.send("Extensions.triggerAction", {"id": name, "targetId": at})
        opened = await form.value
        await expect(opened.get_by_label("Address of the page")).to_have_value(page.url)
        assert parse_qs(urlsplit(opened.url).query)["quote"] == ["Argus sleeps."]


def _digest(folder: Path) -> str:
    """Return the digest of a folder from which Chromium makes the id of its extension."""
    return sha256(str(folder).encode()).hexdigest()
