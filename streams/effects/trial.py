"""Trials of views, with the client or browser, the parser processes and the readers of fetch."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from time import monotonic, process_time

from connectors.credentials.authenticated_get import PrivateGet
from connectors.credentials.login import Login
from connectors.http.errors import FetchFailed, OutOfRoom
from connectors.http.fetcher import Fetcher
from connectors.patterns import matched_spans
from connectors.processes.errors import Interrupted, TooHard
from connectors.readers.doubts import quote_doubt
from connectors.readers.errors import NothingSelected
from connectors.readers.reading import read_with_plugins
from connectors.reads.trial_limits import MAX_RENDERED
from connectors.stores.ports import CredentialsStore
from schemas.records.answers import PageQuery, Response
from streams.agents.history.try_page import PreviewReader, TrialEffects, Trials
from streams.agents.history.try_reading import TrialReader
from streams.effects.browser import Rendered, opened_browser
from streams.effects.credentials import opened_vault
from streams.effects.fetch import new_fetcher, new_parsers
from streams.effects.page_copies import copied, picked
from streams.settings import Settings

PROCESSES = 2
FAILURES = (FetchFailed, OutOfRoom, TooHard, Interrupted, OSError)


@asynccontextmanager
async def opened_trials(
    settings: Settings, credentials: CredentialsStore | None = None
) -> AsyncIterator[Trials]:
    """Open the trials of pages, and close them at the end; the first page starts the processes.

    A view may name ``credentials``, if there are any.
    """
    async with AsyncExitStack() as stack:
        fetcher = await stack.enter_async_context(new_fetcher(settings))
        processes = await stack.enter_async_context(new_parsers(settings, PROCESSES))
        source = TrialSource(fetcher, stack, partial(opened_browser, settings, MAX_RENDERED))

        async def get(query: PageQuery) -> Response:
            if credentials is None:
                return await source.get(query)
            # A vault caches: who sets credentials and tries a page wants to see those just set.
            return await PrivateGet(source, opened_vault(settings, credentials)).get(query)

        trials = Trials(
            TrialEffects(
                get=get,
                call=processes.call,
                reader=PreviewReader(trial_reader(settings), copied, picked),
                failures=FAILURES,
                pause=lambda host: max(settings.host_delay, source.delay(host)),
                clock=monotonic,
            )
        )
        stack.push_async_callback(trials.close)
        yield trials


def trial_reader(settings: Settings) -> TrialReader:
    """Return the reader of a page, with the plug-ins of a deployment."""
    return TrialReader(
        partial(read_with_plugins, str(settings.plugin_folder)),
        NothingSelected,
        matched_spans,
        quote_doubt,
        process_time,
    )


class TrialSource:
    """The source of pages on trial: the HTTP client, or a browser if asked for.

    The driver of the browser is opened with the first such page.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        stack: AsyncExitStack,
        browser: Callable[[], AbstractAsyncContextManager[Rendered]],
    ) -> None:
        """Close the opened parts with the ``stack``."""
        self._fetcher = fetcher
        self._stack = stack
        self._browser = browser
        self._opened: Rendered | None = None
        self._opening = asyncio.Lock()

    async def get(self, query: PageQuery, login: Login | None = None) -> Response:
        """Request or render a page; raises the errors of both."""
        if query.request.rendering is None:
            return await self._fetcher.get(query, login)
        async with self._opening:
            if self._opened is None:
                self._opened = await self._stack.enter_async_context(self._browser())
        return await self._opened.get(query, login)

    def delay(self, host: str) -> float:
        """Return the seconds between two requests to a host (``host[:port]``)."""
        rendered = self._opened.delay(host) if self._opened else 0.0
        return max(self._fetcher.delay(host), rendered)
