"""Render: the fetch stage, with browsers in the place of its HTTP client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.engine.worker import Tools
from streams.fetch.stage import FetchStage
from streams.settings import Settings
from streams.wiring.browser import opened_browser
from streams.wiring.fetch import fetch_stage


@asynccontextmanager
async def build_render(settings: Settings, tools: Tools) -> AsyncIterator[FetchStage]:
    """Build the stage; what it uses is closed at the end."""
    count = settings.renderers
    async with (
        opened_browser(settings, count) as source,
        fetch_stage(settings, tools, source, count) as stage,
    ):
        yield stage
