"""The REST API, with its Kafka clients and the store."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import astuple, replace
from functools import partial
from time import monotonic, time

from aiohttp import ClientSession, ClientTimeout
from aiokafka import AIOKafkaConsumer

from connectors.access.callers import DEFAULT_MANAGER
from connectors.access.keys import ApiKeys
from connectors.access.rates import CallRates
from connectors.api.admission import access_middleware
from connectors.api.bulk import BulkHandler
from connectors.api.call_metrics import call_metrics_middleware
from connectors.api.credentials import CredentialsHandlers
from connectors.api.description import Description
from connectors.api.documents.cache import SingleFlightCache
from connectors.api.documents.handlers import DocumentHandlers
from connectors.api.documents.number_metrics import NumberMetrics
from connectors.api.documents.words import WordFinders
from connectors.api.health import CallPause, HealthHandler
from connectors.api.history.events import EventStreams
from connectors.api.history.evidence import EvidenceHandlers
from connectors.api.history.facts import HistoryHandlers
from connectors.api.history.feed import FeedHandler
from connectors.api.history.search import SearchHandler
from connectors.api.history.suppressed import SuppressedHandlers
from connectors.api.http_errors import http_errors
from connectors.api.jobs import RequestHandlers
from connectors.api.listing import CrawledPagesHandler, ListingHandlers
from connectors.api.server import ApiHandlers, by_path, serve
from connectors.api.trials import BacktestHandler, TrialHandler
from connectors.browser.finding import find_browser
from connectors.dead_letters.recent import DeadLetterDesk
from connectors.evidence_key import EvidenceKey
from connectors.kafka.admin import admin_client
from connectors.kafka.commands import CommandSender
from connectors.kafka.live import Live
from connectors.kafka.writing import large_message_producer
from connectors.mcp.serving import McpHandler
from connectors.metrics.counters import ApiMetrics
from connectors.metrics.scraping import largest_backlogs, scraped_metrics, used_of_model
from connectors.metrics.server import new_metrics_registry, serve_metrics
from connectors.metrics.waiting import Backlog
from connectors.page.add.adding import AddPorts
from connectors.page.news.channel_forms import ChannelPorts
from connectors.page.news.suppressed import ModelBudget
from connectors.page.ports import PageAccess, PagePorts
from connectors.page.site import page_site
from connectors.reads.change_search import ChangeSearches
from connectors.reads.covered_pages import CoveredPages
from connectors.reads.deployment_health import Deployment, HealthReader, deployment_id
from connectors.reads.next_checks import NextChecks
from connectors.reads.trial_limits import AskedPart, BacktestLimits, TrialLimits
from connectors.requests.outcomes import ClientRequests, RefusalOf
from connectors.requests.quotas import Quotas
from connectors.requests.redelivery import Redelivery
from connectors.requests.suppressed import SuppressedNews
from connectors.serving.stream_slots import StreamSlots
from connectors.single_flight import SharedAnswer
from connectors.stores.ports import CredentialsStore
from schemas.codec.backtests import PastNotifications
from schemas.records.faults import Fault, Refusal
from schemas.records.requests import ClientRequest
from schemas.records.subscriptions import Subscription
from schemas.records.topics import NOTIFICATIONS, TOPICS
from streams.agents.crawl.scope import why_not
from streams.agents.history.asked_subscription import subscription_of
from streams.agents.history.backtest import (
    BacktestEffects,
    BacktestQuery,
    WorkLimits,
    backtest,
    past_notifications,
)
from streams.agents.history.backtest_judge import PastJudge
from streams.agents.history.try_page import Trials
from streams.agents.match.register.counts import manager_hash
from streams.agents.match.register.requests import check
from streams.app import NEEDED_AGENTS
from streams.effects.agents import consumer_groups
from streams.effects.backlogs import with_names
from streams.effects.backtest import opened_backtests
from streams.effects.clock import now
from streams.effects.comparison_rows import change_rows
from streams.effects.connections import kafka_access, opened_store, request_sender, started_codec
from streams.effects.credentials import opened_vault
from streams.effects.deliver import opened_sender
from streams.effects.evidence import evidence_source
from streams.effects.judge import model_limits, opened_model
from streams.effects.openid import team_of
from streams.effects.overview import CheckDeployment, pipeline_ports
from streams.effects.pauses import listed_pause_ms
from streams.effects.rules import rules
from streams.effects.search import search_words
from streams.effects.trial import opened_trials
from streams.settings import Settings
from streams.text.concordance import is_word, same_word, word_positions
from streams.text.keywords import valid_keywords
from streams.values.ids import content_id
from streams.values.slots import next_slot

METRICS_TIMEOUT = ClientTimeout(2)
BACKLOG_FRESH_S = 4.0
WORDS = WordFinders(word_positions, same_word, is_word)


async def serve_api(
    settings: Settings,
    keys: ApiKeys,
    host: str,
    signing_key: bytes,
    check: CheckDeployment,
    pause: CallPause,
) -> None:
    """Serve on ``host`` until cancelled; the secrets of webhooks are derived from the key.

    ``check`` looks for faults of the deployment, for its administrators. Calls are refused in a
    ``pause``.
    """
    registry = new_metrics_registry()
    rates = CallRates(monotonic)
    proxies = settings.trusted_proxies
    team = team_of(settings, signing_key, time, monotonic)
    access = PageAccess(keys, rates, signing_key, time, monotonic, proxies, team)
    noted = settings.metrics_folder / f"api-{settings.port}.json"
    address = own_address(host, settings.port)
    async with _handlers(settings, signing_key, check, address, keys) as (
        handlers,
        ports,
    ):
        page = page_site(ports, access)
        middlewares = [
            call_metrics_middleware(ApiMetrics(registry), monotonic),
            http_errors,
            pause.middleware,
            by_path(access_middleware(keys, rates), page.middleware),
        ]
        async with (
            serve(handlers, middlewares, host, settings.port, page.routes),
            serve_metrics(settings.metrics, registry, noted, lambda: True),
        ):
            await asyncio.Event().wait()


def own_address(host: str, port: int) -> str:
    """Return the root of the API's URLs for calls by its own process.

    >>> own_address("0.0.0.0", 9000), own_address("::1", 9000)
    ('http://127.0.0.1:9000', 'http://[::1]:9000')
    """
    # All addresses of a machine are not one that can be called.
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - no binding
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


@asynccontextmanager
async def _handlers(
    settings: Settings, key: bytes, check: CheckDeployment, address: str, keys: ApiKeys
) -> AsyncIterator[tuple[ApiHandlers, PagePorts]]:
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(opened_store(settings))
        codec = await started_codec(settings)
        quotas = Quotas(store.subscriptions.count_active, store.subscriptions.active_id, monotonic)
        sender = await stack.enter_async_context(request_sender(settings, codec, quotas.note))
        admin = await stack.enter_async_context(admin_client(kafka_access(settings)))
        consumer = AIOKafkaConsumer(**kafka_access(settings).client(), group_id=None)
        await consumer.start()
        stack.push_async_callback(consumer.stop)
        deployment = Deployment(
            deployment_id(key, settings.kafka or "", store.location),
            settings.kafka or "",
            settings.partitions,
            consumer_groups(settings.topic_prefix, NEEDED_AGENTS),
        )
        health = HealthReader(deployment, store, admin, consumer, monotonic, lambda: sender.problem)
        producer = await stack.enter_async_context(large_message_producer(kafka_access(settings)))
        http = await stack.enter_async_context(ClientSession(timeout=METRICS_TIMEOUT))
        commands = CommandSender(producer, codec, settings.topic_prefix)
        refusal = request_refusal(settings)
        requests = ClientRequests(sender, quotas, key, store.credentials.get, refusal)
        pause_ms = partial(listed_pause_ms, factor=settings.failure_backoff)
        next_checks = NextChecks(next_slot, pause_ms, now)
        covered = CoveredPages(store.facts, why_not)
        trials = await stack.enter_async_context(opened_trials(settings, store.credentials))
        vault = opened_vault(settings, store.credentials)
        announcer = await stack.enter_async_context(opened_sender(settings, vault.open))
        begun = partial(subscription_of, rules(settings))
        trial_limits = TrialLimits(begun)
        effects = await stack.enter_async_context(opened_backtests(settings, store.facts))
        model = await stack.enter_async_context(opened_model(settings))
        past_judge = PastJudge(model, model_limits(settings), now)
        judge = partial(judge_past, past_judge)
        backtests = BacktestLimits(begun, partial(find_past, effects), judge)
        slots = StreamSlots()
        live = Live(kafka_access(settings), settings.topic_prefix + NOTIFICATIONS.name, codec)
        source = evidence_source(store, EvidenceKey(key))

        async def backlogs() -> list[Backlog]:
            metrics = await scraped_metrics(settings.metrics_folder, http)
            return with_names(largest_backlogs(metrics), {DEFAULT_MANAGER, *keys.managers})

        async def model_use(manager: str) -> ModelBudget | None:
            if settings.model_url is None:
                return None
            metrics = await scraped_metrics(settings.metrics_folder, http)
            used = used_of_model(metrics, manager_hash(manager))
            limits = astuple(model_limits(settings))
            return ModelBudget(used.calls, used.tokens, *limits) if used else None

        topics = {topic.name for topic in TOPICS}
        letters = DeadLetterDesk(
            kafka_access(settings), settings.topic_prefix, topics, now, monotonic
        )
        searches = ChangeSearches(store.search, search_words(settings))
        suppressed = SuppressedNews(store.facts, commands.send_suppressed)
        mcp = McpHandler(address)
        stack.push_async_callback(mcp.close)
        handlers = ApiHandlers(
            jobs=RequestHandlers(requests, store.subscriptions),
            bulk=BulkHandler(requests, store.subscriptions),
            listing=ListingHandlers(store.subscriptions, next_checks),
            histories=HistoryHandlers(store.facts),
            suppressed=SuppressedHandlers(suppressed),
            evidence=EvidenceHandlers(source),
            number_metrics=NumberMetrics(
                store.subscriptions, store.texts, SingleFlightCache(monotonic)
            ),
            documents=DocumentHandlers(store.texts, WORDS, SingleFlightCache(monotonic)),
            events=EventStreams(live, slots),
            feed=FeedHandler(store.facts),
            search=SearchHandler(searches),
            trials=TrialHandler(trial_limits, trials.look),
            backtests=BacktestHandler(backtests),
            health=HealthHandler(health, SharedAnswer(backlogs, BACKLOG_FRESH_S, monotonic).get),
            description=Description(),
            credentials=CredentialsHandlers(store.credentials, vault, announcer.check),
            crawled=CrawledPagesHandler(store.subscriptions, covered),
            mcp=mcp.handle,
        )
        yield (
            handlers,
            PagePorts(
                subscriptions=store.subscriptions,
                facts=store.facts,
                texts=store.texts,
                evidence=source.load,
                next_checks=next_checks,
                crawled=covered,
                searches=searches,
                live=live,
                slots=slots,
                jobs=requests,
                redelivery=Redelivery(store.facts, commands.redeliver),
                suppressed=suppressed,
                model_use=model_use,
                letters=letters,
                pipeline=pipeline_ports(settings, admin, consumer, http, check),
                trials=trial_limits,
                backtests=backtests,
                adding=add_ports(settings, trials, store.credentials),
                channels=ChannelPorts(store.credentials, vault, announcer),
                health=health,
                notification_id=content_id,
                rows=change_rows,
                compare=trials.differences,
                max_failures=settings.max_failures,
                kept_days=int(settings.retention),
            ),
        )


async def find_past(
    effects: BacktestEffects, subscription: Subscription, part: AskedPart
) -> PastNotifications:
    """Return the results of a backtest of a subscription."""
    query = BacktestQuery(part.since, part.after, part.limit, WorkLimits(cpu_s=part.cpu_s))
    return past_notifications(await backtest(effects, subscription, query))


async def judge_past(
    judge: PastJudge, subscription: Subscription, found: PastNotifications
) -> PastNotifications:
    """Return the results of a backtest, with the judgements of a language model."""
    past = await judge.judge(subscription, found.listed)
    return replace(found, listed=past.listed, judged=past.judged, tokens=past.tokens)


def request_refusal(settings: Settings) -> RefusalOf:
    """Return the API's check for refusals of the register."""
    allowed = rules(settings)

    def refusal(asked: ClientRequest, unread: Sequence[Fault]) -> Refusal | None:
        found = check(asked, allowed, unread)
        return found if isinstance(found, Refusal) else None

    return refusal


def add_ports(settings: Settings, trials: Trials, credentials: CredentialsStore) -> AddPorts:
    """Return the page's functions to add a watch."""
    return AddPorts(
        preview=trials.preview,
        prepare=trials.prepare,
        credentials=credentials.all_of,
        searchable=valid_keywords,
        least_interval=settings.min_interval,
        host_delay=settings.host_delay,
        renders=find_browser(settings.browser) is not None,
        judges=settings.model_url is not None,
    )
