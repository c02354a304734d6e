"""Render: the fetch stage, with browsers in the place of its HTTP client."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from connectors.browser.finding import find_browser
from connectors.browser.pictures import keep_picture
from connectors.browser.steps import StepFailed
from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed, failure_reason
from connectors.http.fetcher import Fetcher, Politeness
from connectors.http.robots import Robots
from connectors.http.session import user_agent
from schemas.answers import PageQuery, Response
from schemas.rendering import Rendering
from streams.engine.worker import Tools
from streams.fetch.stage import FetchStage
from streams.settings import Settings
from streams.wiring.connections import egress_policy
from streams.wiring.fetch import fetch_stage

if TYPE_CHECKING:
    from connectors.browser.renderer import Renderer

log = structlog.get_logger()


@asynccontextmanager
async def build_render(settings: Settings, tools: Tools) -> AsyncIterator[FetchStage]:
    """Build the stage; what it uses is closed at the end."""
    # Other workers need not load what drives a browser.
    from connectors.browser.renderer import Renderer, RenderLimits  # noqa: PLC0415

    guard = EgressGuard(egress_policy(settings), settings.proxy)
    limits = RenderLimits(
        total=settings.render_timeout,
        connect=settings.connect_timeout,
        body=settings.max_document,
        memory=settings.render_memory * 1_000_000,
    )
    async with Fetcher(guard, Politeness(settings.contact, obeys_robots=False)) as fetcher:
        robots = Robots(lambda url: fetcher.get(PageQuery(url)), time.time)
        rules = Rules(guard, robots if settings.robots == "obey" else None)
        async with Renderer(
            find_browser(settings.browser),
            guard,
            rules.refusal,
            user_agent(settings.contact),
            count=settings.renderers,
            limits=limits,
        ) as renderer:
            source = Rendered(renderer, rules, settings.data_dir / "pictures")
            async with fetch_stage(settings, tools, source, settings.renderers) as stage:
                yield stage


class Rules:
    """Which URLs may be visited: those that policy and robots.txt allow."""

    def __init__(self, guard: EgressGuard, robots: Robots | None) -> None:
        """Without ``robots`` only the policy decides."""
        self._guard = guard
        self._robots = robots

    async def refusal(self, url: str) -> str | None:
        """Return why a canonical URL must not be visited, None if it may.

        Raises FetchFailed if robots.txt could not be fetched.
        """
        try:
            self._guard.check_url(url)
        except PermissionError as error:
            raise FetchFailed(failure_reason(error)) from error
        return await self._robots.refusal(url) if self._robots else None

    def delay(self, host: str) -> float:
        """Return the seconds that a host (``host[:port]``) wants between two requests."""
        return self._robots.delay(host) if self._robots else 0.0


class Rendered:
    """Documents as a browser shows them."""

    def __init__(self, renderer: "Renderer", rules: Rules, pictures: Path) -> None:
        """Render with ``renderer``, as fast as the sites' rules allow.

        Pictures of failed steps are kept in the folder ``pictures``.
        """
        self._renderer = renderer
        self._pictures = pictures
        self.delay = rules.delay

    async def get(self, query: PageQuery) -> Response:
        """Render a page, which has no validators; raises what the renderer raises."""
        try:
            return await self._renderer.render(
                query.url, query.request.rendering or Rendering(), query.statuses
            )
        except StepFailed as error:
            if error.screenshot is not None:
                picture = self._pictures, query.url, error.screenshot
                path = await asyncio.to_thread(keep_picture, *picture)
                log.warning("a step failed", url=query.url, reason=str(error), picture=str(path))
            raise
