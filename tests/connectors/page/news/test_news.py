"""News of all receivers: filtered by the server, and live while somebody looks at them."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import ClientResponse, ClientSession
from playwright.async_api import Page, expect

from connectors.access.keys import save_keys
from connectors.page.news.news_list import PER_PAGE, is_asked_for, news_search
from connectors.page.session.sessions import LIFETIME_S
from connectors.serving.stream_slots import MAX_STREAMS_PER_MANAGER
from connectors.stores.pages import NewsSearch
from schemas.records.changes import Diff
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Options, Receiver
from tests.connectors.page.session.test_guard import signed_in
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import subscribed
from tests.harness.page import ServedPage
from tests.harness.waiting import until

HOOK, HERE = Receiver("http://client.test/s1"), Receiver(session="page")
ID = re.compile(r'data-id="([^"]+)"')


def piece(name: str, **fields: Any) -> Notification:
    diff = Diff("added", "argus", "Argus sleeps.", "Argus sleeps.", "added")
    return replace(NOTIFICATION, **{"id": name, "receiver": HERE, "diffs": (diff,), **fields})


async def ids(http: ClientSession, address: str) -> list[str]:
    async with http.get(address) as response:
        assert response.status == 200
        return ID.findall(await response.text())


async def event(response: ClientResponse) -> str:
    """The next event that is no sign of life."""
    while (text := (await response.content.readuntil(b"\r\n\r\n")).decode()).startswith(":"):
        pass
    return text


async def test_titles_and_lines_of_a_page_have_their_direction_and_its_language(
    served: ServedPage, http: ClientSession
) -> None:
    edit = Diff("added", "*", "אזל", "אזל", "edited", "במלאי", "אזל")
    news = piece("a", title="מנורה", language="he", diffs=(edit,))
    await served.store.read_side.record([subscribed(), news])
    async with http.get(f"{served.base}/news") as response:
        text = await response.text()
    assert '<bdi dir="auto">מנורה</bdi>' in text
    line = '<p class="line" dir="auto" lang="he"><del>במלאי</del> ← <ins>אזל</ins></p>'
    assert line in text


async def test_news_are_those_of_all_receivers_and_filtered_by_tag_text_and_receiver(
    served: ServedPage, http: ClientSession
) -> None:
    facts = [
        subscribed(options=Options(tags=("gods",))),
        subscribed(key="s2", receiver=HERE),
        piece("a", at=1, receiver=HOOK, tags=("gods",)),
        piece("b", at=2, title="Giants & co"),
        piece("c", at=3, manager="other", tags=("gods",)),
    ]
    await served.store.read_side.record(facts)
    news = f"{served.base}/news"
    assert await ids(http, news) == ["b", "a"]
    assert await ids(http, f"{news}?tag=GODS") == ["a"]
    assert await ids(http, f"{news}?q=giants+%26") == ["b"]
    assert await ids(http, f"{news}?client=page") == ["b"]
    assert await ids(http, f"{news}?client=page&tag=gods") == []
    async with http.get(f"{news}?q=argus&client=page") as response:
        text = await response.text()
    assert 'data-stream="/news/live?client=page&amp;q=argus"' in text
    assert 'href="/news?client=page&amp;q=argus&amp;tag=gods"' in text


async def test_news_have_pages_and_only_the_first_is_live(
    served: ServedPage, http: ClientSession
) -> None:
    facts = [piece(f"n{number}", at=number) for number in range(PER_PAGE + 1)]
    await served.store.read_side.record(facts)
    async with http.get(f"{served.base}/news?q=argus") as response:
        text = await response.text()
    (older,) = re.findall(r'href="(/news\?q=argus&amp;after=[^"]+)"', text)
    assert len(ID.findall(text)) == PER_PAGE
    async with http.get(served.base + older.replace("&amp;", "&")) as response:
        text = await response.text()
    assert ID.findall(text) == ["n0"]
    assert "data-stream" not in text


async def test_a_view_of_news_needs_three_reads_of_the_store(
    served: ServedPage, http: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def counted(part: Any, name: str) -> None:
        real = getattr(part, name)

        async def call(*args: Any, **more: Any) -> Any:
            calls.append(name)
            return await real(*args, **more)

        monkeypatch.setattr(part, name, call)

    for part in (served.store.facts, served.store.subscriptions):
        for name in [each for each in dir(part) if not each.startswith("_") and each != "file"]:
            counted(part, name)
    await served.store.read_side.record([piece(f"n{n}", at=n) for n in range(PER_PAGE)])
    await ids(http, f"{served.base}/news?tag=gods&q=argus")
    seen_by_the_head = ["newest_of_clients", "search"]
    assert sorted(calls) == sorted(["news", "search", "tags", *seen_by_the_head])


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ({}, True),
        ({"client": "page"}, True),
        ({"client": "http://client.test/s1"}, False),
        ({"tag": "Gods"}, True),
        ({"tag": "god"}, False),
        ({"q": "ARGUS"}, True),
        ({"q": "hera"}, False),
    ],
)
def test_the_stream_sends_what_the_list_would_have(asked: dict[str, str], answer: bool) -> None:
    assert is_asked_for(piece("a", tags=("gods",)), news_search(asked)) is answer


def test_a_search_is_cut_to_its_bounds() -> None:
    found = news_search({"q": "x" * 1000, "tag": "y" * 1000})
    assert found == NewsSearch("", "y" * 50, "x" * 200)


async def test_the_stream_is_html_that_is_asked_for_and_escaped(
    served: ServedPage, http: ClientSession
) -> None:
    async with http.get(f"{served.base}/news/live?tag=gods") as response:
        assert response.content_type == "text/event-stream"
        assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert (await event(response)).startswith("event: begin")
        served.live.notify(piece("other", tags=("titans",)))
        served.live.notify(piece("theirs", tags=("gods",), manager="other"))
        served.live.notify(piece("a\nb", tags=("gods",), title="<script>x</script>\r\nevent: x"))
        text = await event(response)
    assert text.startswith("event: news\r\ndata: ")
    assert 'data-id="a' in text
    assert "<script" not in text
    assert "\r\nevent: x" not in text
    await until(lambda: not served.live.listeners, "the listener is forgotten")


async def test_a_manager_has_so_many_streams_and_requests_besides(
    served: ServedPage, http: ClientSession
) -> None:
    url = f"{served.base}/news/live"
    streams = [await http.get(url) for _ in range(MAX_STREAMS_PER_MANAGER)]
    refused = await http.get(url)
    assert refused.status == 429
    assert f"already has {MAX_STREAMS_PER_MANAGER} streams" in await refused.text()
    assert (await http.get(f"{served.base}/news")).status == 200
    for each in streams:
        each.close()
    await until(lambda: not served.live.listeners, "all places are free")
    async with http.get(url) as response:
        assert response.status == 200


def expires(served: ServedPage) -> None:
    served.clock.now += LIFETIME_S


def loses_its_key(served: ServedPage) -> None:
    save_keys(served.keys, [])


@pytest.mark.parametrize("ends", [expires, loses_its_key])
async def test_a_stream_ends_with_its_session(
    served: ServedPage,
    http: ClientSession,
    monkeypatch: pytest.MonkeyPatch,
    ends: Callable[[ServedPage], None],
) -> None:
    await signed_in(http, served, served.add_key("default"))
    quiet = await http.get(f"{served.base}/news/live")
    await event(quiet)
    monkeypatch.setattr("connectors.page.news.news_stream.HEARTBEAT_S", 0.01)
    checked = await http.get(f"{served.base}/news/live")
    await event(checked)
    ends(served)
    assert b"news" not in await checked.content.read()
    served.live.notify(piece("secret"))
    assert b"secret" not in await quiet.content.read()
    answer = await http.get(f"{served.base}/news/live", allow_redirects=False)
    assert answer.status == 303


async def test_news_appear_without_a_reload_where_they_are_asked_for(
    served: ServedPage, lone_tab: Page
) -> None:
    await served.store.read_side.record([subscribed(receiver=HERE), piece("old", at=1)])
    await lone_tab.clock.install()
    await lone_tab.goto(f"{served.base}/news?q=argus")
    items = lone_tab.locator("#list [data-id]")
    await expect(items).to_have_count(1)
    await expect(lone_tab.locator("#list")).not_to_have_attribute("data-live", "")
    hera = Diff("added", "hera", "Hera", "Hera", "added")
    served.live.notify(piece("unasked", diffs=(hera,)))
    served.live.notify(piece("new", title="Giants <b>"))
    await expect(items).to_have_count(2)
    await expect(items.first).to_contain_text("Giants <b>")
    await expect(lone_tab.locator("#arrived")).to_contain_text("New: Giants <b>")
    # What was notified before the stream began is recorded a little later.
    await served.store.read_side.record([piece("between", at=2), piece("new", title="Giants <b>")])
    await lone_tab.clock.run_for(5_000)
    await expect(items).to_have_count(3)
    found = [await each.get_attribute("data-id") for each in await items.all()]
    assert found == ["new", "between", "old"]
    # Without a stream, the list is polled.
    await lone_tab.route("**/news/live*", lambda route: route.abort())
    served.live.close()
    await expect(lone_tab.locator("#list")).to_have_attribute("data-live", "")
    await served.store.read_side.record([piece("later", at=3)])
    await lone_tab.clock.run_for(10_000)
    await expect(items).to_have_count(4)
