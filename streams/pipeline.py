"""THE MAP: which stage reads which topics, which it writes, and what it is built with.

    subscription-requests ─► match ─► subscriptions ─► schedule ─► fetches ─► fetch ─► changes
                   ▲          ▲ │                      ticks ⟲                            │
                   │          │ └─► notifications ─► deliver ─► deliveries                │
                   │          │                      attempts ⟲ challenges ⟲              │
                   │          └───────────────────────────│───────────────────────────────┘
                   └──────────────────────────────────────┘

``record`` reads the facts (subscriptions, changes, notifications, deliveries)
and writes the store's read side.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from time import monotonic, time
from typing import TYPE_CHECKING, Any

from connectors.api.access.keys import load_keys
from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import Fetcher, Politeness
from connectors.http.limits import Limits
from connectors.kafka.facts import MAX_MESSAGE
from connectors.kafka.topics import TopicSpec
from connectors.metrics.counters import DeliverMetrics, FetchMetrics
from connectors.metrics.observed import observed_ask, observed_get, observed_post
from connectors.plugins.loading import Plugins, open_plugins
from connectors.plugins.plugin import STEMMERS
from connectors.processes.errors import Busy, TooHard
from connectors.processes.pool import ProcessPool
from connectors.readers import Unreadable
from connectors.readers.reading import read_with_plugins
from connectors.signing_key import load_signing_key
from connectors.stemmers import plugin_stemmer
from connectors.stores import Store, open_store
from connectors.webhook import TOTAL_SECONDS, WebhookSender
from schemas.documents import Document
from schemas.facts import Due
from schemas.urls import host
from streams.core.register.requests import Rules
from streams.core.text.stemming import Plugged, stem
from streams.deliver import DeliverStage
from streams.engine.faust.table import TableSpec
from streams.engine.worker import Tools, Worker, changelog_topic
from streams.fetch.effects import Effects
from streams.fetch.examining import FetchedResponse, Read, TooLarge, examine
from streams.fetch.stage import FetchStage, Visiting
from streams.fetch.visit import visit
from streams.logs import configure_logs
from streams.record import RecordStage
from streams.schedule import ScheduleStage
from streams.settings import DAY, Settings
from streams.topics import (
    ATTEMPTS,
    CHALLENGES,
    CHANGES,
    DELIVERIES,
    FETCHES,
    NOTIFICATIONS,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
    TICKS,
    TOPICS,
    Topic,
    partition_of,
)

if TYPE_CHECKING:
    from streams.match import MatchStage

NOTE_CHECKS = 5.0
PRUNE = 3600.0
UNREAD = {Unreadable: "unreadable", TooHard: "too_hard", TooLarge: "too_large"}
"""Why a page that has come is a failure, and what metrics call that."""
REDELIVERY = 5 * DAY
"""Seconds for which a notification may be told again after its topic has forgotten it."""


def pipeline(settings: Settings) -> dict[str, Worker]:
    """Give all stages by their names."""
    workers = (
        Worker(
            "schedule",
            reads=(SUBSCRIPTIONS, TICKS),  # writes: ticks, fetches
            lane=lambda tools: ScheduleStage(partial(partition_of, count=tools.partitions)),
            tables=(TableSpec("watches"),),
            timer=ScheduleStage.tick,
            sizes=ScheduleStage.sizes,
        ),
        Worker(
            "fetch",
            reads=(FETCHES,),  # writes: changes
            pool=partial(_fetch, settings),
            # A page that has not come by then is fetched again, for the same slot.
            drain=3.0,
            sizes=FetchStage.sizes,
        ),
        Worker(
            "match",
            reads=(SUBSCRIPTION_REQUESTS, CHANGES),  # writes: subscriptions, notifications
            lane=partial(_match, settings),
            tables=(TableSpec("subscriptions"),),
            # Who was answered before a crash counts on being told of what came after.
            first=SUBSCRIPTION_REQUESTS,
            sizes=lambda match: match.sizes(),
        ),
        Worker(
            "deliver",
            # writes: attempts, challenges, deliveries, subscription-requests
            reads=(NOTIFICATIONS, ATTEMPTS, CHALLENGES),
            pool=partial(_deliver, settings),
            tables=(
                TableSpec("delivered", ttl=_delivered_ttl(settings)),
                TableSpec("outbox"),
                TableSpec("clients"),
                TableSpec("proofs"),
                TableSpec("hosts"),
            ),
            timer=DeliverStage.due,
            # Room for the POSTs of many receivers that do not answer, four each.
            room=5000,
            # A POST that was made but not noted is made again, so it has its time.
            drain=TOTAL_SECONDS + 1.0,
            sizes=DeliverStage.sizes,
        ),
        Worker(
            "record",
            reads=(SUBSCRIPTIONS, CHANGES, NOTIFICATIONS, DELIVERIES),  # writes: the store
            gathered=partial(_record, settings),
            # Nobody waits for it, and what comes at once costs little more than one.
            lull=0.2,
        ),
    )
    return {worker.name: worker for worker in workers}


def topic_specs(settings: Settings) -> list[TopicSpec]:
    """Give every topic that must be there before any stage starts."""
    count, prefix = settings.partitions, settings.topic_prefix
    specs = [TopicSpec(prefix + topic.name, count, _config(topic, settings)) for topic in TOPICS]
    for worker in pipeline(settings).values():
        for table in worker.tables:
            name = changelog_topic(prefix, worker.name, table.name)
            specs.append(TopicSpec(name, count, _changelog(table)))
    return specs


def _config(topic: Topic, settings: Settings) -> dict[str, str]:
    if topic.keeps_last:
        return {"cleanup.policy": "compact"}
    config = {"retention.ms": str(settings.retention_ms)}
    if topic.large:
        config["max.message.bytes"] = str(MAX_MESSAGE)
    if topic.open_to_all:
        config["message.timestamp.type"] = "LogAppendTime"
    return config


def _changelog(table: TableSpec) -> dict[str, str]:
    if table.ttl is None:
        return {"cleanup.policy": "compact"}
    return {"cleanup.policy": "compact,delete", "retention.ms": str(table.ttl * 1000)}


def _delivered_ttl(settings: Settings) -> int:
    return settings.retention_ms // 1000 + REDELIVERY


@asynccontextmanager
async def _fetch(settings: Settings, tools: Tools) -> AsyncIterator[FetchStage]:
    guard = EgressGuard(settings.reach, settings.proxy)
    async with AsyncExitStack() as stack:
        store = await _store(settings, stack)
        manners = Politeness(
            settings.contact, settings.robots == "obey", settings.max_age == "obey"
        )
        fetcher = await stack.enter_async_context(Fetcher(guard, manners, _limits(settings)))
        pool = await stack.enter_async_context(_pool(settings))
        metrics = FetchMetrics(tools.registry)
        reader = partial(read_with_plugins, settings.plugin_folder)
        effects = Effects(
            store=store,
            get=observed_get(fetcher.get, metrics, monotonic),
            examine=partial(_examined, pool, metrics, reader),
            failures=(FetchFailed, *UNREAD),
            publish=tools.publish,
            clock=now,
            pause=lambda host: max(settings.host_delay, fetcher.delay(host)),
            max_failures=settings.max_failures,
        )
        visiting: Visiting = visit
        if tools.tracing is not None:
            visiting = tools.tracing.beginning("fetch", visit, lambda _, due, __: due)
        stage = FetchStage(effects, partial(partition_of, count=tools.partitions), visiting)
        _beside(stack, stage.note_checks(NOTE_CHECKS))
        yield stage


def _pool(settings: Settings) -> ProcessPool:
    """Give the processes that pages are read in."""
    form = settings.log_format
    begin = partial(configure_logs, settings.log_level, form, for_a_person=False)
    processes = settings.parsers or os.cpu_count() or 1
    modules = examine.__module__, "connectors.readers.builtin", "streams.fetch.preload"
    return ProcessPool(processes, settings.parse_timeout, modules, begin)


async def _examined(
    pool: ProcessPool,
    metrics: FetchMetrics,
    reader: Read,
    before: Document | None,
    due: Due,
    fetched: FetchedResponse,
) -> Document | None:
    try:
        size = len(fetched.response.body)
        after = await pool.run(host(due.url), size, examine, reader, before, due, fetched)
    except Busy:
        metrics.page("put_off")
        return None
    except tuple(UNREAD) as error:
        metrics.page(UNREAD[type(error)])
        raise
    metrics.page("read")
    return after


def _limits(settings: Settings) -> Limits:
    return Limits(
        settings.connect_timeout,
        settings.fetch_timeout,
        settings.max_headers,
        settings.max_download,
        settings.max_document,
    )


def _match(settings: Settings, tools: Tools) -> "MatchStage":
    from streams.match import MatchStage  # noqa: PLC0415  # 11 MB of numpy that no other stage needs

    return MatchStage(
        partial(partition_of, count=tools.partitions),
        Rules(settings.min_interval, settings.reach.url_refusal),
        partial(_language, open_plugins(STEMMERS, settings.plugin_folder)),
        tools.partitions,
    )


def _language(stemmers: Plugins, code: str) -> str:
    found = plugin_stemmer(stemmers, stem, code)
    return Plugged(code, *found) if found else code


@asynccontextmanager
async def _deliver(settings: Settings, tools: Tools) -> AsyncIterator[DeliverStage]:
    guard = EgressGuard(settings.reach, settings.proxy)
    key = load_signing_key(settings.signing_key, settings.signing_file)
    async with WebhookSender(guard, key, contact=settings.contact) as webhook:
        metrics = DeliverMetrics(tools.registry)
        ask = observed_ask(webhook.challenge, metrics) if _verifies(settings) else None
        post = observed_post(webhook.post, metrics, now)
        yield DeliverStage(post, now, settings.retry_schedule, ask)


def _verifies(settings: Settings) -> bool:
    """Whether receivers have to prove that they want to be told; raises InvalidKeys."""
    if settings.verify_webhooks == "auto":
        return bool(load_keys(settings.keys_file))
    return settings.verify_webhooks == "on"


@asynccontextmanager
async def _record(settings: Settings, _: Tools) -> AsyncIterator[RecordStage]:
    async with AsyncExitStack() as stack:
        stage = RecordStage(await _store(settings, stack))
        _beside(stack, stage.prune(PRUNE, settings.retention_ms, settings.history_ms, now))
        yield stage


async def _store(settings: Settings, stack: AsyncExitStack) -> Store:
    store = await open_store(settings.store_url, settings.former_snapshots)
    stack.push_async_callback(store.close)
    return store


def _beside(stack: AsyncExitStack, work: Coroutine[Any, Any, None]) -> None:
    """Have work done as long as the stage lives."""
    task = asyncio.create_task(work)
    stack.callback(task.cancel)


def now() -> int:
    """Give the time in epoch ms."""
    return int(time() * 1000)
