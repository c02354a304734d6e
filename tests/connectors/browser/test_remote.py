"""A browser that somebody else started, with the flags that keep its pages in, or without."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import ClientSession, web

from connectors.browser.flags import REMOTE_FLAGS, flag_fault
from connectors.browser.renderer import RenderLimits
from connectors.http.errors import FetchFailed, OutOfRoom
from schemas.records.answers import PageQuery
from tests.connectors.browser.attacks import IN_A_PAGE
from tests.connectors.browser.canary import canaries
from tests.harness.browser import remote_browser, renderer
from tests.harness.web import served

pytestmark = pytest.mark.asyncio(loop_scope="module")

RULES = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
PAGES = {
    "/stored": "<p id=a></p><script>a.textContent = document.cookie + '.';"
    "document.cookie = 'a=b'</script>",
    "/busy": "<script>while (true);</script>",
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def remote(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    folder = tmp_path_factory.mktemp("profile")
    async with remote_browser(folder, *REMOTE_FLAGS, RULES) as url:
        yield url


async def answer(request: web.Request) -> web.Response:
    return web.Response(text=PAGES.get(request.path, ""), content_type="text/html")


async def open_pages(remote: str) -> list[str]:
    """Return the URLs of the pages of sites that are open in a browser."""
    url = remote.replace("ws://", "http://").partition("/devtools")[0]
    async with ClientSession() as session, session.get(f"{url}/json/list") as found:
        every = [each["url"] for each in json.loads(await found.text())]
        return [each for each in every if each.startswith("http")]


async def test_pages_are_rendered_share_nothing_and_are_closed(remote: str) -> None:
    async with served(answer) as (site,), renderer(browser=remote) as rendering:
        for _ in range(2):
            page = await rendering.render(PageQuery(f"{site}/stored"))
            assert b'<p id="a">.</p>' in page.body
    assert await open_pages(remote) == []


@pytest.mark.slow  # test_rendering.py has the same with a browser of ours
async def test_a_page_without_end_is_left_and_others_are_rendered(remote: str) -> None:
    limits = RenderLimits(total=4)
    async with served(answer) as (site,), renderer(limits=limits, browser=remote) as rendering:
        with pytest.raises(FetchFailed, match="longer than 4 s"):
            await rendering.render(PageQuery(f"{site}/busy"))
        page = await rendering.render(PageQuery(f"{site}/stored"))
        assert b'<p id="a">.</p>' in page.body
    assert await open_pages(remote) == []


@pytest.mark.slow  # test_attacks.py has the same with a browser of ours
async def test_its_pages_reach_no_refused_address(
    remote: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.browser.visit.BLOCKED", frozenset())
    async with canaries() as canary, renderer([canary.port], browser=remote) as rendering:

        async def attack(request: web.Request) -> web.Response:
            at, own = f"127.0.0.1:{canary.port}", request.host
            ways = (text.format(at=at, own=own, way=way) for way, text in IN_A_PAGE.items())
            return web.Response(text="\n".join(ways), content_type="text/html")

        async with served(attack) as (site,):
            await rendering.render(PageQuery(f"{site}/"))
    assert canary.hits == []


@pytest.mark.slow  # the flags are judged below
async def test_one_whose_pages_could_leave_is_refused_with_what_is_missing(tmp_path: Path) -> None:
    allowed = [flag for flag in REMOTE_FLAGS if flag != "--disable-quic"]
    for name, flags, reason in (
        ("plain", (), "without --enable-automation --proxy-server="),
        ("quic", (*allowed, RULES), "it was started without --disable-quic$"),
    ):
        async with remote_browser(tmp_path / name, *flags) as url, renderer(browser=url) as found:
            with pytest.raises(OutOfRoom, match=f"cannot use the browser {url}: .*{reason}"):
                await found.render(PageQuery("http://127.0.0.1/"))


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ((*REMOTE_FLAGS, RULES), None),
        ((*REMOTE_FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND"), None),
        ((*REMOTE_FLAGS, f"{RULES}, EXCLUDE ::1"), None),
        (REMOTE_FLAGS, "without --host-resolver-rules="),
        ((*REMOTE_FLAGS, f"{RULES}, EXCLUDE *"), "without --host-resolver-rules="),
        ((*REMOTE_FLAGS, "--host-resolver-rules=MAP a ~NOTFOUND"), "without --host-resolver"),
        ((*REMOTE_FLAGS, RULES, "--disable-popup-blocking"), "with --disable-popup-blocking"),
        ((*REMOTE_FLAGS[1:], RULES), "without --enable-automation"),
    ],
)
async def test_flags_are_judged_by_whether_pages_could_leave(
    flags: tuple[str, ...], reason: str | None
) -> None:
    fault = flag_fault(flags)
    assert (fault is None) if reason is None else (reason in (fault or ""))
