"""Backtests, with the history of the store, the stemmers of match and a thread."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from time import thread_time

from connectors.stores import cursor
from connectors.stores.ports import FactReader
from streams.agents.history.backtest import BacktestEffects
from streams.effects.clock import now
from streams.effects.stemmers import stemmer_language
from streams.settings import Settings


@asynccontextmanager
async def opened_backtests(settings: Settings, facts: FactReader) -> AsyncIterator[BacktestEffects]:
    """Open the needs of backtests, and close them at the end.

    The first backtest starts the thread.
    """
    with ThreadPoolExecutor(1, "backtest") as thread:
        yield BacktestEffects(
            read=facts.history,
            cursor=cursor.written,
            place=cursor.read,
            compute=partial(asyncio.get_running_loop().run_in_executor, thread),
            cpu=thread_time,
            language=stemmer_language(settings),
            oldest=lambda: now() - settings.retention_ms,
            now=now,
        )
