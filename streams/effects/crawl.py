"""Crawl, which decides from its table alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.agents.crawl.agent import CrawlAgent
from streams.engine.worker import Tools
from streams.settings import Settings


@asynccontextmanager
async def build(_: Settings, __: Tools) -> AsyncIterator[CrawlAgent]:
    """Build the agent."""
    yield CrawlAgent()
