"""No page has a fault that axe-core finds: light or dark, wide or narrow, mirrored or not."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import cycle, product
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page, expect

from connectors.dead_letters.recent import RecentLetter, RecentLetters
from connectors.kafka.progress import AgentProgress, PipelineProgress
from connectors.languages.texts import LANGUAGES
from connectors.page.operate.pipeline_view import ShownFinding
from connectors.page.session.guard import LANGUAGE_COOKIE
from connectors.page.watch.mutes import Mute, muted
from connectors.signed_links import LinkedAction, SignedLinks
from schemas.records.changes import Diff, DocumentChanged
from schemas.records.credentials import SealedCredentials
from schemas.records.deliveries import AttemptFailed, DeliveryFailed, DeliveryHeld
from schemas.records.documents import Document
from schemas.records.judgements import Suppressed
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from streams.diff.regions import changed_regions
from tests.connectors.page.watch.test_change_page import BEFORE, SHOWS_PICTURES, read_twice
from tests.connectors.page.watch.test_changes import changed
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import URL, expired, subscribed
from tests.harness.page import NOW_S, PROGRESS, SIGNING_KEY, ServedPage
from tests.harness.pages import Pages

STOP = LinkedAction("stop", "default", "s1")
HOOK = "http://client.test/s1"
TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
# The copy of a page in its frame is as good as that page.
RULES = {"iframes": False, "resultTypes": ["violations"], "runOnly": TAGS}
Look = tuple[Literal["light", "dark"], int, str]
LOOKS: tuple[Look, ...] = (("light", 1280, "ltr"), ("dark", 375, "rtl"))
"""Each scheme, each width and each direction."""
EVERY_LOOK: tuple[Look, ...] = tuple(product(("light", "dark"), (1280, 375), ("ltr", "rtl")))
LONGEST = "de"
"""The language with the longest words."""


async def choose_language(served: ServedPage, tab: Page, language: str) -> None:
    """Show the next pages in a language."""
    cookie = {"name": LANGUAGE_COOKIE, "value": language, "url": served.base}
    await tab.context.add_cookies([cookie])  # type: ignore[list-item]  # a TypedDict


async def is_too_wide(tab: Page) -> bool:
    """Return whether a phone shows only a part of the page's width."""
    await tab.set_viewport_size({"width": 375, "height": 800})
    await tab.evaluate("document.documentElement.dir = 'ltr'")
    return bool(await tab.evaluate("document.documentElement.scrollWidth > 375"))


async def faults(
    tab: Page, part: str = "html", looks: Iterable[Look] = LOOKS
) -> list[tuple[str, str]]:
    """Return what is wrong in a part of the page in each look, and where."""
    found = set()
    await tab.evaluate(AXE_SCRIPT)
    for scheme, width, direction in looks:
        await tab.evaluate("to => { document.documentElement.dir = to }", direction)
        await tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        await tab.set_viewport_size({"width": width, "height": 800})
        # Where a bar that sticks to the end of the window covers nothing.
        await tab.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
        run = "async given => (await axe.run(...given)).violations"
        for each in await tab.evaluate(run, [part, RULES]):
            found.add((each["id"], f"{scheme} {width}: {each['nodes'][0]['html']}"))
    return sorted(found)


async def filled(served: ServedPage) -> None:
    page = Receiver(session="page")
    regions = tuple(changed_regions("Io sleeps.\n\nGone.", "Argus sleeps.\n\nNew.\n\nNewer."))
    edit = Diff("added", "argus", "Argus", "x", "edited", "Io sleeps.", "Argus sleeps.")
    facts: list[Any] = [
        subscribed(options=muted(Options(tags=("gods",), ignore_noise=True), Mute("passage", "x"))),
        subscribed(key="s2", receiver=page, keywords=("*",), paused=True),
        subscribed(key="s3", receiver=Receiver(session="x")),
        expired(200, "s3"),
        DocumentChanged("c1", URL, "s1", 150, 0, "text/html", "en", regions, 150),
        replace(
            NOTIFICATION,
            receiver=page,
            diffs=(edit, *NOTIFICATION.diffs),
            title="Giants",
            tags=("gods",),
        ),
        replace(
            NOTIFICATION, id="n3", receiver=page, title="הענקים, 1:0", tags=("gods",), diffs=()
        ),
        replace(NOTIFICATION, id="n1", subscription="s1", receiver=Receiver(HOOK)),
        DeliveryFailed("n1", "s1", "default", HOOK, 10, "HTTP 500", 150, 500),
        DeliveryHeld("n4", "s1", "default", HOOK, 300, 150),
        AttemptFailed("n2", "s1", "default", HOOK, 1, "HTTP 500", 150, 200, 99, 500, "busy"),
        Suppressed(replace(NOTIFICATION, id="n7", because="It is about cookies."), 150),
    ]
    levels = ("ok", "warning", "error")
    served.findings.return_value = [ShownFinding(each, "topics", "x", "Fix it.") for each in levels]
    rates = {"fetches": 12.0}
    render = {**PROGRESS.agents, "render": AgentProgress("empty", 0, 0, 8, {"renders": 3})}
    served.progress.side_effect = lambda: PipelineProgress(render, rates)
    letter = RecentLetter("3:1", 1, ("changes", 3, 7), "match", "no record", 9, b"\x00{}", True)
    letters = (letter, replace(letter, id="3:2", replayed=2), replace(letter, origin=None))
    served.letters.recent.return_value = RecentLetters(letters, 9)
    await served.store.read_side.record(facts)
    channel = SealedCredentials("default", "team", "channel", "slack", 1)
    await served.store.credentials.put(channel, 2)
    feed = SealedCredentials("default", "feed-1", "feed", "All news", 1)
    await served.store.credentials.put(feed, 2)
    document = Document(URL, "s1", 100, 100, failures=3, last_error="HTTP 503", title="Giants")
    await served.store.snapshots.compare_and_set(document, 0)


PAGES = [
    "/",
    "/?state=ended",
    "/watch/s1",
    "/watch/s1/pages?url=https://elsewhere.example/",
    "/?tag=gods&sort=name&state=failing",
    "/deliveries",
    "/news?client=page&tag=gods",
    f"/deliveries?client={HOOK}",
    "/dead-letters",
    "/pipeline",
    "/channels?set=team",
    "/add/shortcuts",
    "/feeds?tag=gods",
    "/suppressed",
    f"/link/{SignedLinks(SIGNING_KEY, lambda: NOW_S).token(STOP)}",
    "/nothing",
]
VARIANTS = [
    "/?q=nothing",
    "/watch/s1?show=side",
    "/?tag=gods",
    "/news?q=nothing",
    "/channels?change=team",
    "/add?channel=team",
]
"""The same templates with other queries."""
EMPTY = ["/", "/news", "/deliveries", "/add", "/add/pages?tag=gods", "/search"]


@pytest.mark.parametrize(("path", "look"), [*zip(PAGES, cycle(LOOKS), strict=False)])
async def test_a_page_with_something_on_it_has_no_faults_and_fits_a_phone(
    served: ServedPage, tab: Page, path: str, look: Look
) -> None:
    """In one look each: a slow test below has them all."""
    await filled(served)
    await choose_language(served, tab, LONGEST)
    await tab.goto(served.base + path)
    assert await tab.get_attribute("html", "lang") == LONGEST
    if path == "/pipeline":  # the checks have not ended when it is shown first
        await tab.reload()
        await expect(tab.locator(".remedy").first).to_be_visible()
    assert await faults(tab, looks=[look]) == []
    assert not await is_too_wide(tab)


@pytest.mark.slow
async def test_no_language_has_a_fault(served: ServedPage, tab: Page) -> None:
    """In one look each."""
    await filled(served)
    views = ("/", "/watch/s1", "/add", "/news", "/deliveries", "/channels")
    for language, path, look in zip(LANGUAGES, views, LOOKS * 3, strict=True):
        await choose_language(served, tab, language)
        await tab.goto(served.base + path)
        assert await tab.get_attribute("html", "lang") == language
        assert await faults(tab, looks=[look]) == [], language


@pytest.mark.slow
async def test_no_view_has_a_fault_in_any_look(served: ServedPage, tab: Page, pages: Pages) -> None:
    views = ["/search", "/search?q=argus", "/add", f"/add?url={pages.add('<p>Argus').url}"]
    await filled(served)
    for path in [*PAGES, *VARIANTS, *views, "/watch/s1/edit", "/add/pages"]:
        await tab.goto(served.base + path)
        await expect(tab.locator(".busy")).to_have_count(0)  # faint while a preview is made
        assert await faults(tab, looks=EVERY_LOOK) == [], path
    await tab.goto(served.base + views[-1])
    await tab.get_by_role("button", name="Preview").click()
    await expect(tab.locator(".picker.ready")).to_be_visible()
    assert await faults(tab, looks=EVERY_LOOK) == []
    served.add_key("news-desk")
    await tab.goto(served.base)
    assert await faults(tab, looks=EVERY_LOOK) == []


async def test_what_changes_several_watches_and_the_keys_have_no_faults(
    served: ServedPage, tab: Page
) -> None:
    await filled(served)
    await tab.goto(served.base)
    await tab.get_by_label("Select all").check()
    for name, look in zip(("Tag", "Move", "Interval", "Stop"), cycle(LOOKS), strict=False):
        await tab.locator(".bar summary", has_text=name).click()
        # The rows below it are hidden for a while.
        assert await faults(tab, ".bar", looks=[look]) == []
    await tab.get_by_role("button", name="Stop watching").click()
    await expect(tab.get_by_role("heading", level=1)).to_be_visible()
    assert await faults(tab) == []
    await tab.keyboard.press("?")
    await expect(tab.get_by_role("dialog")).to_be_visible()
    assert await faults(tab, "dialog") == []


async def test_a_change_with_pictures_and_a_comparison_have_no_faults(
    served: ServedPage, tab: Page
) -> None:
    facts = [subscribed(at=BEFORE, options=SHOWS_PICTURES), changed("c1")]
    await served.store.read_side.record(facts)
    await read_twice(served)
    paths = "/watch/s1/change/c1", "/watch/s1/compare?show=side"
    for path, look in zip(paths, LOOKS, strict=True):
        await tab.goto(served.base + path)
        await expect(tab.get_by_role("slider")).to_be_visible()
        assert await faults(tab, looks=[look]) == []


async def test_what_can_be_muted_and_what_is_has_no_faults(served: ServedPage, tab: Page) -> None:
    await filled(served)
    await served.register.ask(Subscribe(URL, Receiver(session="page"), keywords=("argus",)))
    await served.store.read_side.record([replace(NOTIFICATION, subscription="s0")])
    await tab.goto(f"{served.base}/news")
    await tab.get_by_text("Mute", exact=True).first.click()
    assert await faults(tab, looks=LOOKS[:1]) == []
    await tab.get_by_role("button", name="Not this passage").first.click()
    await expect(tab.get_by_role("heading", name="Muted")).to_be_visible()
    assert await faults(tab, looks=LOOKS[1:]) == []


@pytest.mark.parametrize(("path", "look"), [*zip(EMPTY, cycle(LOOKS), strict=False)])
async def test_an_empty_page_has_no_faults_and_fits_a_phone(
    served: ServedPage, tab: Page, path: str, look: Look
) -> None:
    await choose_language(served, tab, LONGEST)
    await tab.goto(served.base + path)
    assert await faults(tab, looks=[look]) == []
    assert not await is_too_wide(tab)


async def test_signing_in_has_no_faults(served: ServedPage, tab: Page) -> None:
    served.add_key("news-desk")
    await tab.goto(served.base)
    await tab.get_by_label("API key").fill("vk_wrong")
    await tab.get_by_role("button", name="Sign in").click()
    await expect(tab.locator("#key-error")).to_be_visible()
    assert await faults(tab) == []


async def test_a_preview_and_an_error_have_no_faults(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    page = pages.add(f"<title>Giants</title><h1>Giants</h1><p>Argus sleeps.</p>{'<p>x</p>' * 90}")
    await tab.goto(f"{served.base}/add?url={page.url}")
    await tab.get_by_label("Keywords").fill("argus\nhera")
    await tab.get_by_role("button", name="Preview").click()
    await expect(tab.locator(".text mark")).to_be_visible()
    await expect(tab.get_by_role("application")).to_be_visible()
    await expect(tab.locator(".picker.ready")).to_be_visible()
    await tab.get_by_text("More", exact=True).click()
    assert await faults(tab, looks=LOOKS[:1]) == []
    await tab.get_by_label("a webhook", exact=True).check()
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.locator("#webhook-error")).to_be_visible()
    assert await faults(tab, looks=LOOKS[1:]) == []


@pytest.mark.parametrize("path", ["/", pytest.param("/add", marks=pytest.mark.slow)])
async def test_axe_finds_a_fault_where_there_is_one(
    served: ServedPage, tab: Page, path: str
) -> None:
    await tab.goto(served.base + path)
    await tab.evaluate("document.documentElement.removeAttribute('lang')")
    assert "html-has-lang" in {name for name, _ in await faults(tab)}
