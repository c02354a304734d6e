"""Reading kept pages again: with the store, the readers of fetch and the stemmers of match."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from functools import partial
from time import monotonic

from connectors.processes.documents import DocumentProcesses
from connectors.processes.errors import Interrupted, TooHard
from connectors.readers.reading import read_with_plugins
from connectors.stores.opening import Store
from schemas.records.reprocessing import Reprocess, Reprocessed
from streams.agents.fetch.examining import Read
from streams.agents.history.reprocess import PageReprocess
from streams.agents.history.reprocess_effects import ReprocessEffects, Reread, Rereading
from streams.agents.history.reprocess_reading import read_again
from streams.effects.clock import now
from streams.effects.fetch import new_parsers
from streams.effects.stemmers import stemmer_language
from streams.settings import Settings


def page_reprocess(
    settings: Settings, store: Store, stack: AsyncExitStack
) -> Callable[[Reprocess], Awaitable[Reprocessed]]:
    """Return the second reading of a page; ``stack`` closes its thread and processes.

    The first page starts them.
    """
    processes = new_parsers(settings, settings.parsers or os.cpu_count() or 1)
    stack.push_async_exit(processes)
    # Apart from the thread of backfills: a change is matched in one go.
    thread = stack.enter_context(ThreadPoolExecutor(1, "reprocess"))
    effects = ReprocessEffects(
        pages=store.kept,
        documents=store.snapshots,
        read=partial(_read, processes, partial(read_with_plugins, str(settings.plugin_folder))),
        compute=partial(asyncio.get_running_loop().run_in_executor, thread),
        language=stemmer_language(settings),
        now=now,
        seconds=monotonic,
    )
    return lambda command: PageReprocess(effects, command).result()


async def _read(processes: DocumentProcesses, reader: Read, work: Rereading) -> Reread:
    """Read a body in a process; raises OSError, to be retried, if the machine was too busy."""
    try:
        read, _ = await processes.call(read_again, (reader, work))
    except TooHard as error:
        return Reread(None, str(error))
    except Interrupted as error:
        raise OSError(f"a kept page is read later: {error}") from error
    return read
