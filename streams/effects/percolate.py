"""Percolate, with the plugged-in stemmers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.agents.percolate.agent import PercolateProcessor
from streams.effects.stemmers import stemmer_language
from streams.engine.members import Tools
from streams.settings import Settings


@asynccontextmanager
async def build(settings: Settings, tools: Tools) -> AsyncIterator[PercolateProcessor]:
    """Build the processor."""
    yield PercolateProcessor(partitions=tools.partitions, language=stemmer_language(settings))
