"""The ticker, which needs only to know the partitions of hosts and how often they may be asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from streams.agents.ticker.agent import TickerProcessor
from streams.engine.members import Tools
from streams.settings import Settings
from streams.values.partitions import partition_of


@asynccontextmanager
async def build(settings: Settings, tools: Tools) -> AsyncIterator[TickerProcessor]:
    """Build the processor."""
    partition = partial(partition_of, count=tools.partitions)
    yield TickerProcessor(partition, settings.host_delay)
