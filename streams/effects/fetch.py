"""Fetch, with its HTTP client, its parser processes, its readers and the store."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from time import monotonic
from typing import Protocol

from connectors.credentials.authenticated_get import PageSource, PrivateGet
from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed, failure_kind
from connectors.http.fetcher import Fetcher, Politeness
from connectors.http.limits import Limits
from connectors.metrics.counters import FetchMetrics
from connectors.metrics.observed import observed_get
from connectors.metrics.waiting import WaitGauges
from connectors.processes.documents import DocumentProcesses
from connectors.processes.errors import Interrupted, TooHard
from connectors.readers import Unreadable
from connectors.readers.links import find_links
from connectors.readers.reading import read_with_plugins
from connectors.readers.versions import is_outdated
from schemas.records.answers import ViewMissing
from schemas.records.documents import Document
from streams.agents.fetch.agent import HOSTS_AT_ONCE, FetchProcessor, Visiting
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.examining import LoginShown, Read, TooLarge, Work, examine
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.page_links import PageLinks, page_links
from streams.agents.fetch.politeness.budgets import VisitBudgets
from streams.agents.fetch.politeness.pace import pause_ms
from streams.agents.fetch.postponed import Postponed, postponing_get
from streams.agents.fetch.reading_queue import ReadingQueue
from streams.agents.fetch.visit import visit
from streams.effects.clock import now
from streams.effects.connections import egress_policy, opened_store
from streams.effects.credentials import opened_vault
from streams.effects.logs import configure_logs
from streams.engine.life.loop_watch import running
from streams.engine.members import Tools
from streams.settings import Settings
from streams.values.partitions import partition_of

NOTE_CHECKS_S = 5.0
UNREADABLE: dict[type[Exception], str] = {
    ViewMissing: "missing",
    Unreadable: "unreadable",
    TooHard: "too_costly",
    TooLarge: "too_large",
    LoginShown: "login",
}
"""Reasons not to read a fetched page in a view, and their labels in metrics.

Of a kind and a more general kind, the first holds."""
PRELOADED = (
    "connectors.plain_structlog",
    examine.__module__,
    read_with_plugins.__module__,
    "connectors.readers.builtin",
    "connectors.readers.passages",
    "streams.agents.fetch.preload",
    "connectors.processes.frozen",
)
"""Modules imported once for all parser processes; the last freezes them."""


class DocumentSource(PageSource, Protocol):
    """The source of documents."""

    def delay(self, host: str) -> float:
        """Return the seconds between two requests to a host (``host[:port]``)."""


@asynccontextmanager
async def build(settings: Settings, tools: Tools) -> AsyncIterator[FetchProcessor]:
    """Build the processor; its parts are closed at the end."""
    async with (
        new_fetcher(settings) as fetcher,
        page_processor(settings, tools, fetcher) as processor,
    ):
        yield processor


@asynccontextmanager
async def page_processor(
    settings: Settings, tools: Tools, source: DocumentSource, hosts_at_once: int = HOSTS_AT_ONCE
) -> AsyncIterator[FetchProcessor]:
    """Build a processor for documents from a source, from so many hosts at a time."""
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(opened_store(settings, settings.history_snapshots))
        count = settings.parsers or os.cpu_count() or 1
        processes = await stack.enter_async_context(new_parsers(settings, count))
        queue = ReadingQueue(processes.call_each, count, settings.parse_timeout)
        metrics = FetchMetrics(tools.registry)
        get = PrivateGet(source, opened_vault(settings, store.credentials)).get
        reader = partial(read_with_plugins, str(settings.plugin_folder))
        in_all = settings.visits_in_all
        in_partition = None if in_all is None else in_all / tools.partitions
        effects = Effects(
            snapshots=store.snapshots,
            get=postponing_get(observed_get(get, metrics, monotonic), failure_kind),
            examine=partial(_examined, queue, metrics, reader),
            links=partial(_found_links, queue),
            failures=(FetchFailed, *UNREADABLE),
            publish=tools.publish,
            clock=now,
            pause=lambda host: max(settings.host_delay, source.delay(host)),
            max_failures=settings.max_failures,
            pause_ms=partial(pause_ms, factor=settings.failure_backoff),
            is_outdated=is_outdated,
            keep_bodies=settings.keep_bodies,
            budgets=VisitBudgets(settings.visits_per_host, in_partition),
        )
        partition = partial(partition_of, count=tools.partitions)
        visiting: Visiting = visit
        if tools.tracing is not None:
            visiting = tools.tracing.beginning("fetch", visit, lambda _, due, __: due)
        processor = FetchProcessor(effects, partition, visiting, hosts_at_once)
        await stack.enter_async_context(running(processor.notes.write(NOTE_CHECKS_S)))
        queues = processor.queues
        tools.registry.register(
            WaitGauges(queues.longest_wait, queues.highest_load, queues.largest_backlogs)
        )
        yield processor


def new_fetcher(settings: Settings) -> Fetcher:
    """Return the HTTP client for documents."""
    policy = egress_policy(settings)
    guard = EgressGuard(policy, settings.proxy)
    proxies = {name: EgressGuard(policy, url) for name, url in settings.named_proxies.items()}
    politeness = Politeness(settings.contact, settings.robots == "obey", settings.max_age == "obey")
    limits = Limits(
        settings.connect_timeout,
        settings.fetch_timeout,
        settings.max_headers,
        settings.max_download,
        settings.max_document,
    )
    return Fetcher(guard, politeness, limits, proxies=proxies)


def new_parsers(settings: Settings, count: int) -> DocumentProcesses:
    """Return so many processes for work on documents."""
    begin = partial(configure_logs, settings.log_level, settings.log_format, for_a_person=False)
    return DocumentProcesses(count, settings.parse_timeout, PRELOADED, begin)


async def _examined(
    queue: ReadingQueue,
    metrics: FetchMetrics,
    reader: Read,
    works: Sequence[Work],
    fetched: FetchedPage,
) -> Sequence[Document | Exception]:
    texts = sum(len(before.text or "") for before, _ in works if before is not None)
    size = len(fetched.response.body) + texts
    try:
        outcomes = await queue.read(works[0][1], size, examine, reader, works, fetched)
    except (Postponed, Interrupted) as error:
        metrics.page("postponed")
        raise Postponed(str(error)) from error
    except tuple(UNREADABLE) as error:
        if len(works) == 1:  # several are tried in smaller parts
            metrics.page(_label(error))
        raise
    for outcome in outcomes:
        metrics.page(_label(outcome) if isinstance(outcome, Exception) else "read")
        if (
            isinstance(outcome, Document)
            and outcome.unpublished
            and outcome.flapping_until > fetched.at
        ):
            metrics.flapped()
    return outcomes


async def _found_links(queue: ReadingQueue, due: DueView, fetched: FetchedPage) -> PageLinks:
    size = len(fetched.response.body)
    try:
        return await queue.read(due, size, page_links, find_links, due.url, fetched)
    except Interrupted as error:
        raise Postponed(str(error)) from error


def _label(error: Exception) -> str:
    return next(label for kind, label in UNREADABLE.items() if isinstance(error, kind))
