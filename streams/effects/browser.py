"""Pages as a browser shows them, by the rules of the deployment and of the sites."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from connectors.browser.finding import find_browser
from connectors.browser.page_pictures import keep_picture
from connectors.browser.steps import StepFailed
from connectors.credentials.login import Login
from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed, failure_reason
from connectors.http.fetcher import Fetcher, Politeness
from connectors.http.robots import Robots
from connectors.http.session import user_agent
from schemas.records.answers import PageQuery, Response
from schemas.records.page_requests import PageRequest
from streams.effects.connections import egress_policy
from streams.settings import Settings

if TYPE_CHECKING:
    from connectors.browser.renderer import Renderer

log = structlog.get_logger()


@asynccontextmanager
async def opened_browser(settings: Settings, count: int) -> AsyncIterator["Rendered"]:
    """Open the renderer of ``count`` pages at a time; browsers start with the first page."""
    # Other workers need not load what drives a browser.
    from connectors.browser.renderer import BrowserRoute, Renderer, RenderLimits  # noqa: PLC0415

    policy, proxies = egress_policy(settings), settings.named_proxies
    guards = {"": EgressGuard(policy, settings.proxy)}
    guards |= {name: EgressGuard(policy, url) for name, url in proxies.items()}
    limits = RenderLimits(
        total=settings.render_timeout,
        connect=settings.connect_timeout,
        body=settings.max_document,
        memory=settings.render_memory * 1_000_000,
    )
    politeness = Politeness(settings.contact, obeys_robots=False)
    others = {name: guard for name, guard in guards.items() if name}
    async with Fetcher(guards[""], politeness, proxies=others) as fetcher:
        rules = {
            name: VisitRules(guard, _robots(settings, fetcher, name, len(guards)))
            for name, guard in guards.items()
        }
        async with Renderer(
            find_browser(settings.browser) or settings.browser,
            {name: BrowserRoute(guards[name], each.refusal) for name, each in rules.items()},
            user_agent(settings.contact),
            count=count,
            limits=limits,
        ) as renderer:
            yield Rendered(renderer, rules, settings.data_dir / "pictures")


def _robots(settings: Settings, fetcher: Fetcher, proxy: str, count: int) -> Robots | None:
    """Return the rules of the sites through a proxy among so many."""
    if settings.robots != "obey":
        return None
    request = PageRequest(proxy=proxy)
    return Robots(
        lambda url: fetcher.get(PageQuery(url, request=request)), time.time, shared_by=count
    )


class VisitRules:
    """The URLs to visit: allowed by policy and robots.txt."""

    def __init__(self, guard: EgressGuard, robots: Robots | None) -> None:
        """Without ``robots`` only the policy decides."""
        self._guard = guard
        self._robots = robots

    async def refusal(self, url: str) -> str | None:
        """Return why a canonical URL must not be visited, None if allowed.

        Raises FetchFailed if robots.txt could not be fetched.
        """
        try:
            self._guard.check_url(url)
        except PermissionError as error:
            raise FetchFailed(failure_reason(error)) from error
        return await self._robots.refusal(url) if self._robots else None

    def delay(self, host: str) -> float:
        """Return the seconds between two requests to a host (``host[:port]``)."""
        return self._robots.delay(host) if self._robots else 0.0


class Rendered:
    """Documents as a browser shows them."""

    def __init__(
        self, renderer: "Renderer", rules: Mapping[str, VisitRules], pictures: Path
    ) -> None:
        """Render with ``renderer``, as fast as the ``rules`` by proxy allow.

        Pictures of failed steps are kept in the folder ``pictures``.
        """
        self._renderer = renderer
        self._pictures = pictures
        self._rules = rules

    def delay(self, host: str) -> float:
        """Return the seconds between two requests to a host (``host[:port]``)."""
        return max(each.delay(host) for each in self._rules.values())

    async def get(self, query: PageQuery, login: Login | None = None) -> Response:
        """Render a page, which has no validators; raises the renderer's errors."""
        try:
            return await self._renderer.render(query, login)
        except StepFailed as error:
            if error.screenshot is not None:
                picture = self._pictures, query.url, error.screenshot
                path = await asyncio.to_thread(keep_picture, *picture)
                log.warning("a step failed", url=query.url, reason=str(error), picture=str(path))
            raise
