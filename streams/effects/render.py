"""Render: the fetch agent, with browsers in the place of its HTTP client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.agents.fetch.agent import FetchProcessor
from streams.effects.browser import opened_browser
from streams.effects.fetch import page_processor
from streams.engine.members import Tools
from streams.settings import Settings


@asynccontextmanager
async def build(settings: Settings, tools: Tools) -> AsyncIterator[FetchProcessor]:
    """Build the agent; its parts are closed at the end."""
    count = settings.renderers
    async with (
        opened_browser(settings, count) as source,
        page_processor(settings, tools, source, count) as processor,
    ):
        yield processor
