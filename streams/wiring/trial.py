"""Trials of views, with the HTTP client, the parser processes and the readers of fetch."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from time import monotonic

from connectors.credentials.private_get import PrivateGet
from connectors.http.errors import FetchFailed, OutOfRoom
from connectors.patterns import matched_spans
from connectors.processes.errors import Interrupted, TooHard
from connectors.readers.doubts import quote_doubt
from connectors.readers.errors import NothingSelected
from connectors.readers.reading import read_with_plugins
from connectors.stores.ports import CredentialsStore
from streams.settings import Settings
from streams.trial.passages import PassageTools
from streams.trial.reading import TrialReader
from streams.trial.trying import TrialEffects, Trials
from streams.wiring.credentials import opened_vault
from streams.wiring.fetch import new_fetcher, new_parsers

PROCESSES = 2
FAILURES = (FetchFailed, OutOfRoom, TooHard, Interrupted, OSError)


@asynccontextmanager
async def opened_trials(
    settings: Settings, credentials: CredentialsStore | None = None
) -> AsyncIterator[Trials]:
    """Open what tries pages, and close it at the end; the first page starts the processes.

    A view may name ``credentials``, if there are any.
    """
    async with AsyncExitStack() as stack:
        fetcher = await stack.enter_async_context(new_fetcher(settings))
        processes = await stack.enter_async_context(new_parsers(settings, PROCESSES))
        private = PrivateGet(fetcher, opened_vault(settings, credentials)) if credentials else None
        yield Trials(
            TrialEffects(
                get=fetcher.get if private is None else private.get,
                call=processes.call,
                reader=TrialReader(
                    partial(read_with_plugins, settings.plugin_folder),
                    NothingSelected,
                    PassageTools(matched_spans, quote_doubt),
                ),
                failures=FAILURES,
                pause=lambda host: max(settings.host_delay, fetcher.delay(host)),
                clock=monotonic,
            )
        )
