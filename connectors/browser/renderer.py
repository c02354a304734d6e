"""Renders pages in browsers, which are started, bounded, replaced and ended as needed."""

import asyncio
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

import structlog

from connectors.browser.errors import BrowserEnded, BrowserUnavailable
from connectors.browser.finding import HOW_TO_INSTALL, is_remote, may_use_sandbox, say_unsafe
from connectors.browser.guard_proxy import GuardProxy
from connectors.browser.login import BrowserLogin
from connectors.browser.navigation import Refusal
from connectors.browser.process import BrowserProcess
from connectors.browser.upstream import Upstream
from connectors.browser.visit import BrowserVisit
from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed, OutOfRoom
from schemas.records.answers import PageQuery, Response

log = structlog.get_logger()

REST_AFTER_S = 180.0
"""Without a visit for so long a browser ends."""
MEMORY_CHECKS_S = 0.5
MAX_STARTS = 2
"""The most browsers for a visit, if they end meanwhile."""


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """Seconds and bytes of a visit, bytes of memory of a browser, and visits until its end."""

    total: float = 60.0
    connect: float = 10.0
    body: int = 10_000_000
    traffic: int = 50_000_000
    memory: int = 1_500_000_000
    visits: int = 50


DEFAULT_LIMITS = RenderLimits()


@dataclass(frozen=True, slots=True)
class BrowserRoute:
    """A way to the sites: the allowed addresses, and the allowed pages."""

    guard: EgressGuard
    refusal: Refusal


class Renderer:
    """A few browsers, each rendering a page at a time; an async context manager.

    >>> routes = {"": BrowserRoute(guard, refusal)}  # doctest: +SKIP
    >>> async with Renderer(path, routes, "Vokter") as renderer:  # doctest: +SKIP
    ...     response = await renderer.render(PageQuery("https://example.org/"))
    """

    def __init__(
        self,
        browser: str | None,
        routes: Mapping[str, BrowserRoute],
        user_agent: str,
        *,
        count: int = 2,
        limits: RenderLimits = DEFAULT_LIMITS,
    ) -> None:
        """Use the browser at a path or DevTools URL, or name a way to install a browser.

        ``routes`` are the ways by the proxies in requests; the direct way has an empty name.
        ``count`` pages are rendered at a time. Servers see the browser's name with our
        ``user_agent``.
        """
        self._browser = browser
        self._routes = routes
        self._user_agent = user_agent
        self._limits = limits
        self._free = asyncio.Semaphore(count)
        self._idle: list[BrowserProcess] = []
        self._timer: asyncio.TimerHandle | None = None
        self._ends: set[asyncio.Task[None]] = set()
        self._sandbox: bool | None = None
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rest()
        await asyncio.gather(*self._ends)

    async def render(self, query: PageQuery, login: BrowserLogin | None = None) -> Response:
        """Render a page; a status of 400 or more is a response like any other.

        ``login`` has the credentials for each site. Raises FetchFailed when there is no page, and
        OutOfRoom when there is no browser.
        """
        async with self._free:
            for _ in range(MAX_STARTS):
                browser = await self._take()
                try:
                    rendered = await self._within_limits(browser, query, login)
                except BrowserEnded:
                    self._end(browser)
                    log.warning("the browser ended while it rendered a page", url=query.url)
                    continue
                except FetchFailed:
                    self._release(browser)
                    raise
                except BaseException:
                    self._end(browser)
                    raise
                self._release(browser)
                return rendered
        raise FetchFailed(f"the browser ended {MAX_STARTS} times while it rendered the page")

    async def _within_limits(
        self, browser: BrowserProcess, query: PageQuery, login: BrowserLogin | None
    ) -> Response:
        """Render a page; beyond a limit, its browser is ended with all processes."""
        limits, proxy_name = self._limits, query.request.proxy
        route = self._routes.get(proxy_name)
        if route is None:
            names = ", ".join(filter(None, self._routes)) or "no proxies"
            raise FetchFailed(f"there is no proxy {proxy_name!r}; VOKTER_PROXIES names {names}")
        upstream = Upstream(route.guard, limits.connect, login)
        proxy = GuardProxy(upstream, limits.traffic)
        async with proxy.listening(_our_address(self._browser or "")):
            visit = BrowserVisit(query, proxy, _agent(browser, self._user_agent), login)
            rendered = asyncio.create_task(
                visit.render(browser.browser, route.refusal, limits.body)
            )
            watched = asyncio.create_task(_too_much_memory(browser, limits.memory))
            exceeded = asyncio.create_task(proxy.exceeded.wait())
            tasks = (rendered, watched, exceeded)
            try:
                await asyncio.wait(tasks, timeout=limits.total, return_when=asyncio.FIRST_COMPLETED)
                if rendered.done():
                    return rendered.result()
                self._end(browser)
                raise FetchFailed(self._excess(proxy, is_memory=watched.done()))
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                if not visit.has_left:
                    self._end(browser)

    def _excess(self, proxy: GuardProxy, *, is_memory: bool) -> str:
        if proxy.too_much is not None:
            return f"the page needs {proxy.too_much}"
        if is_memory:
            megabytes = self._limits.memory // 1_000_000
            return f"the page needs more than {megabytes} MB of memory (VOKTER_RENDER_MEMORY)"
        return f"the page took longer than {self._limits.total:g} s (VOKTER_RENDER_TIMEOUT)"

    async def _take(self) -> BrowserProcess:
        if self._timer is not None:
            self._timer.cancel()
        while self._idle:
            browser = self._idle.pop()
            if browser.is_running:
                return browser
            self._end(browser)
        try:
            async with self._starting:
                return await self._started()
        except BrowserUnavailable as error:
            log.warning("no browser", reason=str(error))
            raise OutOfRoom(str(error)) from error

    async def _started(self) -> BrowserProcess:
        if self._browser is None:
            raise BrowserUnavailable(HOW_TO_INSTALL)
        if self._sandbox is None:
            self._sandbox = may_use_sandbox(self._browser)
        try:
            return await BrowserProcess.start(self._browser, sandbox=self._sandbox)
        except BrowserUnavailable:
            if not self._sandbox:
                raise
            browser = await BrowserProcess.start(self._browser, sandbox=False)
        self._sandbox = False
        say_unsafe("the system does not allow it, see docs/how-to/pages-that-need-scripts.md")
        return browser

    def _release(self, browser: BrowserProcess) -> None:
        browser.visits += 1
        if browser.visits >= self._limits.visits or not browser.is_running or browser.is_ending:
            self._end(browser)
        else:
            self._idle.append(browser)
            if self._timer is not None:
                self._timer.cancel()
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(REST_AFTER_S, self._rest)

    def _rest(self) -> None:
        while self._idle:
            self._end(self._idle.pop())

    def _end(self, browser: BrowserProcess) -> None:
        if not browser.is_ending:
            browser.is_ending = True
            end = asyncio.create_task(browser.end())
            self._ends.add(end)
            end.add_done_callback(self._ends.discard)


async def _too_much_memory(browser: BrowserProcess, limit: int) -> None:
    """Return once a browser uses more bytes than allowed."""
    # Nothing says when a process has grown.
    while await asyncio.to_thread(browser.memory) <= limit:  # noqa: ASYNC110  # as above
        await asyncio.sleep(MEMORY_CHECKS_S)


def _agent(browser: BrowserProcess, name: str) -> str:
    """Return the User-Agent for servers: the browser's name as pages expect, and ours."""
    major = browser.browser.version.partition(".")[0]
    system = "X11; Linux x86_64"
    return (
        f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{major}.0.0.0 Safari/537.36 {name}"
    )


def _our_address(browser: str) -> str:
    """Return the address of this machine for a browser."""
    if not is_remote(browser):
        return "127.0.0.1"
    parts = urlsplit(browser)
    port = parts.port or 80
    found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_DGRAM)
    family, kind, _, _, address = found[0]
    with socket.socket(family, kind) as probe:  # it sends nothing
        probe.connect(address)
        return str(probe.getsockname()[0])
