"""History, with the store, a thread for backtests and the reader of kept pages."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import cache

from connectors.turns import TooManyWaiting, Turns
from schemas.records.reprocessing import Reprocess, Reprocessed
from streams.agents.history.agent import HistoryProcessor
from streams.agents.history.backfill import BackfillEffects, Backfills, TooManyBackfillsError
from streams.effects.backtest import opened_backtests
from streams.effects.connections import opened_store
from streams.engine.members import Tools
from streams.settings import Settings

BACKFILLS_AT_ONCE = 4
"""Backfills at a time, a single one per manager; they share a thread."""
MAX_WAITING = 100
"""The most backfills of a manager in wait in a worker."""


@asynccontextmanager
async def build(settings: Settings, _: Tools) -> AsyncIterator[HistoryProcessor]:
    """Build the agent; its parts are closed at the end."""
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(opened_store(settings, settings.history_snapshots))
        backtests = await stack.enter_async_context(opened_backtests(settings, store.facts))

        async def is_known(manager: str, notification: str) -> bool:
            return await store.facts.notification(manager, notification) is not None

        @cache
        def page_reader() -> Callable[[Reprocess], Awaitable[Reprocessed]]:
            # Most workers are never asked for it, and at rest they have no memory for it.
            from streams.effects.reprocess import page_reprocess  # noqa: PLC0415

            return page_reprocess(settings, store, stack)

        async def reprocess(command: Reprocess) -> Reprocessed:
            return await page_reader()(command)

        backfills = Backfills(BackfillEffects(backtests, is_known, manager_turns()))
        yield HistoryProcessor(backfills, reprocess)


def manager_turns() -> Callable[[str], AbstractAsyncContextManager[None]]:
    """Return the wait for a backfill's turn by manager; raises TooManyBackfillsError."""
    turns = Turns(BACKFILLS_AT_ONCE, 1, MAX_WAITING)

    @asynccontextmanager
    async def turn(manager: str) -> AsyncIterator[None]:
        try:
            async with turns.turn(manager):
                yield
        except TooManyWaiting:
            reason = f"{MAX_WAITING} backfills of the manager {manager} wait; ask again later"
            raise TooManyBackfillsError(reason) from None

    return turn
