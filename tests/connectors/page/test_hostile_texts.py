"""What strangers write is text: no script of theirs runs, and no request leaves for elsewhere."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from playwright.async_api import Page, Request, expect

from connectors.page.rendering import framed
from schemas.records.changes import Diff, DocumentChanged
from schemas.records.deliveries import DeliveryFailed
from schemas.records.documents import Document
from schemas.records.failures import DocumentFailing
from schemas.records.notifications import Notification
from schemas.records.numbers import NumberNews
from schemas.records.subscriptions import Options, Receiver
from schemas.records.tags import canonical_tag, canonical_tags
from schemas.records.views import Quote, Selector, ViewOptions
from streams.diff.regions import changed_regions
from streams.values.ids import content_id
from tests.fakes.hostile_texts import HOSTILE_TEXTS
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import URL, expired, subscribed
from tests.harness.page import ServedPage
from tests.harness.pages import Pages


class Watching:
    """What the canary was asked, and what the tab asked of anybody."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.calls: list[str] = []
        self.elsewhere: list[str] = []


@asynccontextmanager
async def watching(tab: Page, served: ServedPage) -> AsyncIterator[Watching]:
    seen = Watching()

    async def called(request: web.Request) -> web.Response:
        seen.calls.append(str(request.url))
        return web.Response()

    def asked(request: Request) -> None:
        if not request.url.startswith(served.base):
            seen.elsewhere.append(request.url)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", called)
    async with TestServer(app) as canary:
        port = f"127.0.0.1:{canary.port}"
        seen.texts = [text.replace("127.0.0.1:{}", port) for text in HOSTILE_TEXTS]
        tab.on("request", asked)
        yield seen
        tab.remove_listener("request", asked)


async def shown(tab: Page, address: str) -> str:
    """Show a page, and wait until it and its scripts have done all that they do at once."""
    # A stream of news is never idle.
    await tab.goto(address, wait_until="load" if "/news" in address else "networkidle")
    await expect(tab.get_by_role("heading").first).to_be_visible()
    return await tab.locator("main").inner_text()


async def test_the_list_of_watches_shows_hostile_texts_as_they_are(
    served: ServedPage, tab: Page, http: ClientSession
) -> None:
    async with watching(tab, served) as seen:
        facts = [
            subscribed(
                at=number,
                key=f"s{number}",
                keywords=(text[:256], "x"),
                document_url=f"{URL}?{quote(text, safe='<>')}",
                receiver=Receiver(session=text),
            )
            for number, text in enumerate(seen.texts)
        ]
        await served.store.read_side.record(facts)
        await served.store.read_side.record([expired(10_000, "s1")])
        document = Document(
            URL, "s1", 1, 1, failures=2, last_error="".join(seen.texts), title=seen.texts[0]
        )
        await served.store.snapshots.compare_and_set(document, 0)
        text = await shown(tab, served.base)
        text += await shown(tab, f"{served.base}/?state=ended")
        for each in seen.texts[:20]:
            assert each in text
        await look_at_each(tab, http, seen.texts, f"{served.base}/?tag=nothing&q=")
        assert (seen.calls, seen.elsewhere) == ([], [])


async def test_the_preview_shows_hostile_documents_as_they_are(
    served: ServedPage, tab: Page, pages: Pages, http: ClientSession
) -> None:
    async with watching(tab, served) as seen:
        for some in batched(seen.texts, 11):
            raw = [text.replace("\x00", "") for text in some]  # else it is no text
            escaped = [escape(text) for text in raw]
            read = "".join(f"<h1>{text}</h1><p>argus {text}</p>" for text in escaped)
            # A visit follows a refresh, as a browser does: then the page is another one.
            markup = "".join(text for text in raw if "http-equiv=refresh" not in text)
            page = pages.add(f"<title>{escaped[0]}</title>{read}{markup}")
            await tab.goto(f"{served.base}/add?url={quote(page.url)}")
            words = "\n".join(text[:200] for text in some)
            await tab.get_by_label("Keywords").fill(f"argus\n{words}")
            await tab.get_by_role("button", name="Preview").click()
            await expect(tab.locator(".text")).to_contain_text("argus")
            await expect(tab.locator(".text mark").first).to_be_visible()
            await expect(tab.locator(".picker.ready")).to_be_visible()
            async with tab.expect_response(f"{served.base}/add"):
                await tab.locator(".picker").click(position={"x": 30, "y": 40})
        await look_at_each(tab, http, seen.texts, f"{served.base}/add?url=")
        assert (seen.calls, seen.elsewhere) == ([], [])


@pytest.mark.slow  # previews above have them in their frames, a few at a time
async def test_the_frame_of_a_copy_runs_and_loads_nothing_whatever_is_in_it(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    async with watching(tab, served) as seen:
        page = pages.add("<p>argus")
        await tab.goto(f"{served.base}/add?url={quote(page.url)}")
        await tab.get_by_role("button", name="Preview").click()
        await expect(tab.locator(".picker.ready")).to_be_visible()
        frame = tab.locator("#frame")
        for text in seen.texts:
            source = framed(f"<p>argus {text}", language="en", style="/static/copy.css")
            await frame.evaluate(
                "(frame, source) => new Promise((loaded) => {"
                "frame.addEventListener('load', loaded, {once: true}); frame.srcdoc = source;})",
                source,
            )
            await expect(tab.frame_locator("#frame").locator("p").first).to_contain_text("argus")
        await tab.wait_for_load_state("networkidle")
        assert seen.calls == []  # Chromium names requests that it has blocked


class Elements(HTMLParser):
    """The start tags of a page, with the names of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


async def look_at_each(tab: Page, http: ClientSession, texts: list[str], address: str) -> None:
    """Show texts of an address in the tab, and check each: it adds no element or attribute."""
    async with http.get(f"{address}harmless") as response:
        harmless = Elements(await response.text()).found
    for text in texts:
        async with http.get(address + quote(text)) as response:
            assert Elements(await response.text()).found == harmless, text
    for some in batched(texts, 11):
        await tab.goto(address + quote(" ".join(some)))


def batched(texts: list[str], size: int) -> list[list[str]]:
    return [texts[at : at + size] for at in range(0, len(texts), size)]


async def test_timeline_news_and_deliveries_show_hostile_texts_as_they_are(
    served: ServedPage, tab: Page, http: ClientSession
) -> None:
    async with watching(tab, served) as seen:
        tags = tuple(canonical_tag(text.replace(",", " "))[:50].strip() for text in seen.texts)
        quotes = [Selector(quote=Quote(text)) for text in seen.texts[:10]]
        view = ViewOptions(exclude=tuple(quotes))
        options = Options(tags=canonical_tags(tags)[:20], ignore_noise=True, view=view)
        facts: list[Any] = [subscribed(receiver=Receiver(session="page"), options=options)]
        for number, text in enumerate(seen.texts):
            name, at = f"c{number}", 1000 + number
            regions = tuple(changed_regions("A.", f"{text}\n\nB."))
            regions = tuple(replace(each, headings=(text,)) for each in regions)
            facts.append(
                DocumentChanged(name, URL, "s1", at, 0, "text/html", "en", regions, at, title=text)
            )
            facts.append(DocumentFailing(f"f{name}", URL, "s1", at, "", text, at))
            diffs = (
                Diff("added", text[:200], text, text, headings=(text,), link=text),
                Diff("added", "x", text, text, "edited", "Before.", text),
            )
            here = Receiver(session="page")
            known = replace(NOTIFICATION, id=name, receiver=here, subscription="s1", url=text)
            number_news = NumberNews("1", "2", "EUR", (text,))
            known = replace(known, number=number_news, diffs=diffs, at=at, title=text)
            facts.append(replace(known, tags=tags[:20]))
            hook = "http://client.test/hook"
            facts.append(
                DeliveryFailed(name, text[:200], "default", hook, 3, text, at, 500, text[:200])
            )
        await served.store.read_side.record(facts)
        pages = [
            "/watch/s1",
            "/watch/s1?show=side",
            "/news?client=page",
            "/deliveries?client=http://client.test/hook",
        ]
        for path in pages:
            shown_text, address = "", served.base + path
            while address:
                shown_text += await shown(tab, address)
                older = tab.get_by_role("link", name="Older")
                address = ""
                if await older.count():
                    address = served.base + str(await older.get_attribute("href"))
            for each in seen.texts[:8]:
                assert " ".join(each.split())[:60] in shown_text, path
            links = await tab.get_by_role("link").all()
            hrefs = [str(await link.get_attribute("href")) for link in links]
            assert all(href.startswith(("/", "#", "http:", "https:")) for href in hrefs)
        await look_at_each(tab, http, seen.texts, f"{served.base}/news?client=x&q=")
        await look_at_each(tab, http, seen.texts, f"{served.base}/news?client=")
        await tab.goto(f"{served.base}/news?client=nobody")
        await expect(tab.locator("#list")).not_to_have_attribute("data-live", "")
        nobody = Receiver(session="nobody")
        news = [replace(each, receiver=nobody) for each in facts if isinstance(each, Notification)]
        for piece in news:
            served.live.notify(piece)
        await expect(tab.locator("#list [data-id]")).to_have_count(len(news))
        assert (seen.calls, seen.elsewhere) == ([], [])


async def test_a_change_and_a_comparison_show_hostile_texts_as_they_are(
    served: ServedPage, tab: Page, http: ClientSession
) -> None:
    async with watching(tab, served) as seen:
        text = "\n\n".join(seen.texts)
        client = Receiver(session=seen.texts[0])
        change = DocumentChanged(
            "c1", URL, "s1", 1000, 0, seen.texts[1], "en", changed_regions("A.", text), 1000
        )
        news = replace(NOTIFICATION, id=content_id("c1", "s1"), receiver=client, change="c1")
        await served.store.read_side.record([subscribed(receiver=client), change, news])
        first = Document(URL, "s1", 500, 1, "A.", read_at=500, title=seen.texts[2])
        assert await served.store.snapshots.compare_and_set(first, 0)
        second = replace(first, slot=1000, version=2, text=text, read_at=1000)
        assert await served.store.snapshots.compare_and_set(second, 1)
        for path in ("change/c1", "compare"):
            for layout in ("inline", "side"):
                found = await shown(tab, f"{served.base}/watch/s1/{path}?show={layout}")
                for each in seen.texts[:8]:
                    assert " ".join(each.split())[:60] in found, path
        await look_at_each(tab, http, seen.texts, f"{served.base}/watch/s1/compare?from=")
        assert (seen.calls, seen.elsewhere) == ([], [])
