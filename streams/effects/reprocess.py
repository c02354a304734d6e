"""Reprocess, with the store, the readers of fetch and the stemmers of match."""

import asyncio
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from time import monotonic

from connectors.processes.errors import Interrupted, TooHard
from connectors.processes.parent import Processes
from connectors.readers.reading import read_with_plugins
from streams.agents.fetch.examining import Read
from streams.agents.history.reprocess import ReprocessStage
from streams.agents.history.reprocess_effects import ReprocessEffects, Reread, Rereading
from streams.agents.history.rereading import read_again
from streams.effects.clock import now
from streams.effects.connections import opened_store
from streams.effects.fetch import new_parsers
from streams.effects.match import stemmer_language
from streams.engine.worker import Tools
from streams.settings import Settings


@asynccontextmanager
async def build_reprocess(settings: Settings, _: Tools) -> AsyncIterator[ReprocessStage]:
    """Build the stage; what it uses is closed at the end."""
    reader = partial(read_with_plugins, settings.plugin_folder)
    async with (
        opened_store(settings, settings.history_snapshots) as store,
        new_parsers(settings, settings.parsers or os.cpu_count() or 1) as processes,
    ):
        with ThreadPoolExecutor(1, "reprocess") as threads:
            loop = asyncio.get_running_loop()
            yield ReprocessStage(
                ReprocessEffects(
                    pages=store.kept,
                    documents=store.snapshots,
                    read=partial(_read, processes, reader),
                    compute=partial(loop.run_in_executor, threads),
                    language=stemmer_language(settings),
                    now=now,
                    seconds=monotonic,
                )
            )


async def _read(processes: Processes, reader: Read, work: Rereading) -> Reread:
    """Read a body in a process; raises OSError, to be retried, if the machine was too busy."""
    try:
        read, _ = await processes.call(read_again, (reader, work))
    except TooHard as error:
        return Reread(None, str(error))
    except Interrupted as error:
        raise OSError(f"a kept page is read later: {error}") from error
    return read
