"""Match, with the rules for requests and the plugged-in stemmers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from streams.agents.match.agent import MatchProcessor
from streams.effects.rules import rules
from streams.effects.stemmers import stemmer_language
from streams.engine.members import Tools
from streams.settings import Settings
from streams.values.partitions import partition_of


@asynccontextmanager
async def build(settings: Settings, tools: Tools) -> AsyncIterator[MatchProcessor]:
    """Build the processor."""
    yield MatchProcessor(
        partition_of=partial(partition_of, count=tools.partitions),
        rules=rules(settings),
        language=stemmer_language(settings),
        partitions=tools.partitions,
    )
