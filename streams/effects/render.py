"""Render: the fetch stage, with browsers in the place of its HTTP client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.agents.fetch.agent import FetchStage
from streams.effects.browser import opened_browser
from streams.effects.fetch import fetch_stage
from streams.engine.worker import Tools
from streams.settings import Settings


@asynccontextmanager
async def build(settings: Settings, tools: Tools) -> AsyncIterator[FetchStage]:
    """Build the stage; what it uses is closed at the end."""
    count = settings.renderers
    async with (
        opened_browser(settings, count) as source,
        fetch_stage(settings, tools, source, count) as stage,
    ):
        yield stage
