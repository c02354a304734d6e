"""Pages in a real browser: what they become, what is done with them, and hostile ones."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

import psutil
import pytest
import pytest_asyncio
from aiohttp import web

from connectors.browser.page_pictures import HEIGHT, MAX_PICTURE, WIDTH
from connectors.browser.process import BrowserProcess
from connectors.browser.renderer import BrowserRoute, Renderer, RenderLimits
from connectors.browser.steps import StepFailed
from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed, OutOfRoom
from schemas.records.answers import PageQuery
from schemas.records.egress_policy import EgressPolicy
from schemas.records.page_requests import PageRequest
from schemas.records.rendering import Rendering, Step, WaitFor
from tests.harness.browser import renderer
from tests.harness.waiting import eventually, until
from tests.harness.web import served

pytestmark = pytest.mark.asyncio(loop_scope="module")

SCRIPTED = """<!doctype html><title>Prices</title><p id=price>loading</p><script>
  fetch("/price").then(answer => answer.text()).then(text => { price.textContent = text })
</script>"""
LATE = """<p>first</p><script>setTimeout(() => {
  document.body.insertAdjacentHTML("beforeend", "<p id=late>second</p>") }, 700)
</script><script>setInterval(() => fetch("/price"), 100)</script>"""
LOGIN = """<form method=post action=/login><input name=csrf type=hidden value=t1>
  <input id=user name=user><input id=password name=password type=password>
  <button id=go>Log in</button></form>"""
BANNER = """<p>text</p><div id=banner><button onclick="banner.remove()">Accept all</button>
  <button onclick="banner.outerHTML = '<i>declined</i>'">Reject all</button></div>"""
WINDOWS = """<p>here</p><button id=b onclick="for (let i = 0; i < {count}; i++)
  window.open('/price?' + i, 'w' + i)">x</button>"""
STORED = """<p id=seen></p><script>
  seen.textContent = document.cookie + localStorage.getItem("a") + (window.name || "-");
  document.cookie = "a=cookie"; localStorage.setItem("a", "stored"); window.name = "named";
</script>"""
HUNGRY = """<p>a</p><script>const all = [];
  setInterval(() => { for (let i = 0; i < 10; i++) all.push(new Uint8Array(2e7).fill(1)) }, 20)
</script>"""
GROWING = """<p>a</p><script>
  const grow = () => document.body.insertAdjacentHTML("beforeend", "<p>more</p>".repeat(20_000));
  grow(); setInterval(grow, 100);
</script>"""
DIALOGS = """<p id=a>before</p><script>alert("x"); confirm("y"); prompt("z");
  navigator.geolocation.getCurrentPosition(() => 0); Notification.requestPermission();
  onbeforeunload = () => "stay"; a.textContent = "after"</script>"""
PAGES = {
    "/scripted": SCRIPTED,
    "/late": LATE,
    "/banner": BANNER,
    "/windows": WINDOWS.format(count=3),
    "/many": WINDOWS.format(count=300),
    "/stored": STORED,
    "/hungry": HUNGRY,
    "/growing": GROWING,
    "/dialogs": DIALOGS,
    "/busy": "<p>a</p><script>while (true);</script>",
    "/busy-later": "<p>a</p><script>setTimeout(() => { while (true); }, 200)</script>",
    "/away": "<script>location = '/scripted'</script>",
    "/lies": "<p>true</p><script>Object.defineProperty(Element.prototype, 'outerHTML', "
    "{get: () => 'lie'.repeat(1e6)}); JSON.stringify = () => 'lie'</script>",
    "/members": "<p>members only</p>",
    "/tall": "<title>a</title><body style='margin:0'><p>tall</p><img src=/image.png><div "
    "style='height: 20000px; width: 3000px; background: linear-gradient(red, blue)'></div>",
    "/long": "<p>top</p><div style='height: 9000px'></div><p id=end>bottom</p><script>"
    "addEventListener('scroll', () => end.textContent = 'scrolled')</script>",
    "/price": "from a script",
}
PATIENT = RenderLimits(total=40, body=200_000, traffic=3_000_000, visits=50)
HASTY = replace(PATIENT, total=8)


class Site:
    """A site with pages for people, some of them not nice."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str] = []
        self.hold = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        if request.path in {"/login", "/endless"}:
            return await (self._login if request.path == "/login" else self._endless)(request)
        if request.path == "/members" and request.cookies.get("session") != "good":
            return web.Response(status=302, headers={"Location": "/login"})
        if request.path == "/held":
            await self.hold.wait()
        if request.path == "/file":
            headers = {"Content-Disposition": "attachment; filename=a.bin"}
            return web.Response(body=b"x", headers=headers, content_type="application/zip")
        if request.path == "/busy-server":
            return web.Response(status=503, headers={"Retry-After": "7"}, text="busy")
        status = 404 if request.path == "/gone" else 200
        text = PAGES.get(request.path, "<p>nothing</p>")
        return web.Response(text=text, status=status, content_type="text/html")

    async def _login(self, request: web.Request) -> web.Response:
        if request.method == "GET":
            page = web.Response(text=LOGIN, content_type="text/html")
            page.set_cookie("csrf", "t1")
            return page
        form = await request.post()
        is_right = form["csrf"] == request.cookies.get("csrf") == "t1"
        if not is_right or (form["user"], form["password"]) != ("ann", "secret"):
            return web.Response(status=403, text="wrong")
        answer = web.Response(status=303, headers={"Location": "/members"})
        answer.set_cookie("session", "good", httponly=True)
        return answer

    async def _endless(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        with suppress(ConnectionError):
            while True:
                await response.write(b"<p>more</p>" * 100)
                await asyncio.sleep(0.05)
        return response


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def site() -> AsyncIterator[Site]:
    site = Site()
    async with served(site.answer) as (url,):
        site.url = url
        yield site


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def browser() -> AsyncIterator[Renderer]:
    async with renderer(limits=PATIENT) as rendering:
        yield rendering


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def hasty() -> AsyncIterator[Renderer]:
    async with renderer(limits=HASTY) as rendering:
        yield rendering


async def text_of(browser: Renderer, url: str, rendering: Rendering | None = None) -> str:
    rendered = await browser.render(PageQuery(url, request=PageRequest(rendering=rendering)))
    return rendered.body.decode()


async def test_a_text_that_comes_from_scripts_is_in_the_page(site: Site, browser: Renderer) -> None:
    rendered = await browser.render(PageQuery(f"{site.url}/scripted"))
    assert rendered.status == 200
    assert rendered.content_type == "text/html; charset=utf-8"
    assert rendered.etag is None
    assert b'<p id="price">from a script</p>' in rendered.body


async def test_a_page_is_waited_for_until_it_has_what_is_asked(
    site: Site, browser: Renderer
) -> None:
    for wanted in (WaitFor(selector="#late"), WaitFor(text="second"), WaitFor(seconds=2)):
        assert "second" in await text_of(browser, f"{site.url}/late", Rendering(wanted))


async def test_what_a_page_never_has_is_a_failure_that_names_it(
    site: Site, browser: Renderer
) -> None:
    missing = Rendering(WaitFor(selector="#none", seconds=1))
    with pytest.raises(FetchFailed, match=r'^waitFor selector "#none": not there after 1 s$'):
        await text_of(browser, f"{site.url}/scripted", missing)


async def test_a_form_with_a_token_is_filled_in_and_sent(site: Site, browser: Renderer) -> None:
    steps = (
        Step(fill="#user", value="ann"),
        Step(fill="#password", value="secret"),
        Step(click="#go"),
        Step(wait=WaitFor(text="members only")),
    )
    assert "members only" in await text_of(browser, f"{site.url}/members", Rendering(steps=steps))
    # Nothing of the session is there for the next visit.
    assert "members only" not in await text_of(browser, f"{site.url}/members")


async def test_keys_scrolling_and_other_addresses_are_steps(site: Site, browser: Renderer) -> None:
    steps = (
        Step(fill="#user", value="ann"),
        Step(fill="#password", value="secret"),
        Step(press="Enter"),
        Step(wait=WaitFor(text="members only")),
        Step(goto=f"{site.url}/long"),
        Step(scroll="bottom"),
        Step(wait=WaitFor(text="scrolled")),
    )
    assert "scrolled" in await text_of(browser, f"{site.url}/members", Rendering(steps=steps))


async def test_a_consent_banner_is_declined_rather_than_accepted(
    site: Site, browser: Renderer
) -> None:
    dismissed = Rendering(steps=(Step(dismiss=True),))
    assert "<i>declined</i>" in await text_of(browser, f"{site.url}/banner", dismissed)


async def test_a_picture_has_the_page_with_its_images_cut_to_a_bound(
    site: Site, browser: Renderer
) -> None:
    for screenshot in (False, True):
        request = PageRequest(rendering=Rendering(screenshot=screenshot))
        response = await browser.render(PageQuery(site.url + "/tall", request=request))
        assert b"tall" in response.body
        assert site.asked.count("/image.png") == screenshot
        if not screenshot:
            assert response.picture is None
    assert response.picture is not None
    assert len(response.picture) <= MAX_PICTURE
    assert jpeg_size(response.picture) == (WIDTH, HEIGHT)


def jpeg_size(jpeg: bytes) -> tuple[int, int]:
    """Read width and height of a JPEG (ITU T.81, B.2.2)."""
    at = 2
    while jpeg[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    height, width = (int.from_bytes(jpeg[at + n : at + n + 2], "big") for n in (5, 7))
    return width, height


async def test_a_failed_step_is_named_with_a_picture_and_without_its_value(
    site: Site, browser: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.browser.steps.STEP_TIMEOUT_S", 3)
    steps = (Step(wait=WaitFor(seconds=1)), Step(fill="#nobody", value="secret"))
    with pytest.raises(StepFailed) as failed:
        await text_of(browser, f"{site.url}/scripted", Rendering(steps=steps))
    assert str(failed.value) == 'step 2 (fill "#nobody"): nothing matches after 3 s'
    assert failed.value.screenshot is not None
    assert failed.value.screenshot.startswith(b"\x89PNG")


async def test_a_selector_that_is_none_is_named(site: Site, browser: Renderer) -> None:
    with pytest.raises(StepFailed, match=r'^step 1 \(click "#a\[\["\): '):
        await text_of(browser, f"{site.url}/scripted", Rendering(steps=(Step(click="#a[["),)))


async def test_statuses_are_those_of_the_main_page(site: Site, browser: Renderer) -> None:
    gone = await browser.render(PageQuery(f"{site.url}/gone"))
    assert (gone.status, gone.body) == (404, b"")
    wanted = await browser.render(PageQuery(f"{site.url}/gone", statuses=[404]))
    assert b"nothing" in wanted.body
    busy = await browser.render(PageQuery(f"{site.url}/busy-server"))
    assert (busy.status, busy.retry_after) == (503, 7)


async def test_a_page_that_leads_elsewhere_is_what_it_leads_to(
    site: Site, browser: Renderer
) -> None:
    response = await browser.render(PageQuery(f"{site.url}/away"))
    assert b"from a script" in response.body
    assert response.url == f"{site.url}/scripted"


async def test_robots_are_asked_about_a_redirect_before_it_is_followed(site: Site) -> None:
    async def refusal(url: str) -> str | None:
        return "the site's robots.txt does not allow it" if url.endswith("/login") else None

    async with renderer(limits=PATIENT) as browser:
        browser._routes = {"": BrowserRoute(browser._routes[""].guard, refusal)}
        site.asked.clear()
        with pytest.raises(FetchFailed, match=r"robots\.txt does not allow it"):
            await browser.render(PageQuery(f"{site.url}/members"))
    assert site.asked == ["/members"]


async def test_a_page_cannot_change_what_is_read_of_it(site: Site, browser: Renderer) -> None:
    assert "<p>true</p>" in await text_of(browser, f"{site.url}/lies")


async def test_two_visits_share_no_cookies_and_no_storage(site: Site, browser: Renderer) -> None:
    first = await text_of(browser, f"{site.url}/stored")
    assert await text_of(browser, f"{site.url}/stored") == first
    assert '<p id="seen">null-</p>' in first


async def test_dialogs_and_questions_hold_nothing_up(site: Site, browser: Renderer) -> None:
    assert "after" in await text_of(browser, f"{site.url}/dialogs")


async def test_windows_that_a_page_opens_are_closed(site: Site, browser: Renderer) -> None:
    click = Rendering(steps=(Step(click="#b"),))
    assert "here" in await text_of(browser, f"{site.url}/windows", click)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/endless", "longer than 8 s|not rendered"),
        ("/busy", "longer than 8 s"),
        pytest.param("/busy-later", "longer than 8 s", marks=pytest.mark.slow),
    ],
)
async def test_a_page_without_end_fails_with_a_reason_and_holds_nothing_up(
    site: Site, hasty: Renderer, path: str, reason: str
) -> None:
    with pytest.raises(FetchFailed, match=reason):
        await hasty.render(PageQuery(f"{site.url}{path}"))
    assert "from a script" in await text_of(hasty, f"{site.url}/price")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/growing", "larger than 200000 bytes"),
        ("/file", "a browser saves it as a file"),
    ],
)
async def test_a_page_that_is_too_large_or_none_fails_with_a_reason(
    site: Site, browser: Renderer, path: str, reason: str
) -> None:
    with pytest.raises(FetchFailed, match=reason):
        await browser.render(PageQuery(f"{site.url}{path}"))
    assert "from a script" in await text_of(browser, f"{site.url}/price")


async def test_a_page_that_needs_too_much_memory_ends_its_browser(site: Site) -> None:
    small = RenderLimits(total=20, memory=600_000_000)
    async with renderer(limits=small) as browser:
        with pytest.raises(FetchFailed, match=r"more than 600 MB of memory|crashed"):
            await text_of(browser, f"{site.url}/hungry", Rendering(WaitFor(seconds=15)))
        assert "from a script" in await text_of(browser, f"{site.url}/price")


async def test_a_browser_that_is_killed_in_a_visit_is_replaced_and_the_page_rendered(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with renderer(limits=PATIENT) as browser:
        started: list[BrowserProcess] = []
        start = BrowserProcess.start

        async def noted(path: str, *, sandbox: bool) -> BrowserProcess:
            started.append(await start(path, sandbox=sandbox))
            return started[-1]

        monkeypatch.setattr(BrowserProcess, "start", noted)
        site.hold.clear()
        site.asked.clear()
        visit = asyncio.create_task(text_of(browser, f"{site.url}/held"))
        await until(lambda: "/held" in site.asked, "the page is asked for")
        driver = started[0]._driver_process
        assert driver is not None
        os.kill(driver.children()[0].pid, signal.SIGKILL)
        site.hold.set()
        assert "nothing" in await visit
        assert len(started) == 2


async def test_at_the_end_no_process_is_left(site: Site) -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    async with renderer(limits=RenderLimits(total=6, visits=1)) as browser:
        await browser.render(PageQuery(f"{site.url}/price"))
        await browser.render(PageQuery(f"{site.url}/price"))

    async def is_clean() -> bool:
        left = [p for p in psutil.Process().children(recursive=True) if p.pid not in before]
        return all(not p.is_running() or p.status() == psutil.STATUS_ZOMBIE for p in left)

    # What was killed ends when the system comes to it. To list all processes takes long.
    await eventually(is_clean, "no process is left", pause=0.5)


async def test_a_cancelled_visit_ends_its_browser(site: Site) -> None:
    async with renderer(limits=PATIENT) as browser:
        site.hold.clear()
        site.asked.clear()
        visit = asyncio.create_task(text_of(browser, f"{site.url}/held"))
        await until(lambda: "/held" in site.asked, "the page is asked for")
        visit.cancel()
        with pytest.raises(asyncio.CancelledError):
            await visit
        site.hold.set()
        assert browser._idle == []


async def test_without_a_browser_the_page_is_not_to_blame() -> None:
    guard = EgressGuard(EgressPolicy())

    async def allowed(url: str) -> str | None:
        return None

    for path, reason in ((None, "no Chromium is installed"), ("/bin/false", "cannot start")):
        async with Renderer(path, {"": BrowserRoute(guard, allowed)}, "Vokter") as browser:
            with pytest.raises(OutOfRoom, match=reason):
                await browser.render(PageQuery("https://example.org/"))
