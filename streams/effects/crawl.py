"""Crawl, which decides from its table alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.agents.crawl.agent import CrawlProcessor
from streams.engine.members import Tools
from streams.settings import Settings


@asynccontextmanager
async def build(_: Settings, __: Tools) -> AsyncIterator[CrawlProcessor]:
    """Build the processor."""
    yield CrawlProcessor()
