"""Record, with its store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.agents.record import RecordProcessor
from streams.effects.clock import now
from streams.effects.connections import opened_store
from streams.effects.search import terms_of
from streams.engine.life.loop_watch import running
from streams.engine.members import Tools
from streams.settings import Settings

PRUNE_EVERY_S = 3600.0


@asynccontextmanager
async def build(settings: Settings, _: Tools) -> AsyncIterator[RecordProcessor]:
    """Build the processor, which prunes the store once an hour; the store is closed at the end."""
    async with opened_store(settings, settings.history_snapshots) as store:
        processor = RecordProcessor(store.read_side, terms_of(settings))
        pruning = processor.prune(
            PRUNE_EVERY_S,
            retention=settings.retention_ms,
            history=settings.history_ms,
            clock=now,
        )
        async with running(pruning):
            yield processor
