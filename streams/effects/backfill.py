"""Backfill, with the history of the store and a thread."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from connectors.turns import TooManyWaiting, Turns
from streams.agents.history.backfill import BackfillEffects, BackfillStage, TooManyBackfillsError
from streams.effects.backtest import opened_backtests
from streams.effects.connections import opened_store
from streams.engine.worker import Tools
from streams.settings import Settings

AT_ONCE = 4
"""Backfills at a time, one of a manager; they share a thread."""
MAX_WAITING = 100
"""Backfills of a manager that wait in a worker."""


@asynccontextmanager
async def build_backfill(settings: Settings, _: Tools) -> AsyncIterator[BackfillStage]:
    """Build the stage; the store is closed at the end."""
    async with opened_store(settings) as store:
        facts = store.facts

        async def is_known(manager: str, notification: str) -> bool:
            return await facts.notification(manager, notification) is not None

        async with opened_backtests(settings, facts) as effects:
            yield BackfillStage(BackfillEffects(effects, is_known, manager_turns()))


def manager_turns() -> Callable[[str], AbstractAsyncContextManager[None]]:
    """Return what waits until a backfill of a manager may begin; raises TooManyBackfillsError."""
    turns = Turns(AT_ONCE, 1, MAX_WAITING)

    @asynccontextmanager
    async def turn(manager: str) -> AsyncIterator[None]:
        try:
            async with turns.turn(manager):
                yield
        except TooManyWaiting:
            reason = f"{MAX_WAITING} backfills of the manager {manager} wait; ask again later"
            raise TooManyBackfillsError(reason) from None

    return turn
