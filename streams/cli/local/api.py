"""``vokter api``: the REST API with its clients of broker and store."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from time import monotonic

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient

from connectors.api.access.keys import ApiKeys
from connectors.api.access.middleware import access_middleware, is_loopback
from connectors.api.call_metrics import call_metrics_middleware
from connectors.api.description import Description
from connectors.api.documents.cache import SingleFlightCache
from connectors.api.documents.handlers import DocumentHandlers, WordSearch
from connectors.api.health import Deployment, HealthHandler
from connectors.api.history.events import EventStreams
from connectors.api.history.facts import HistoryHandlers
from connectors.api.history.feed import FeedHandler
from connectors.api.jobs import Jobs
from connectors.api.listing import Listing
from connectors.api.server import PUBLIC_PATHS, ApiHandlers, serve
from connectors.kafka.live import Live
from connectors.kafka.requests import RequestSender
from connectors.metrics.counters import ApiMetrics
from connectors.metrics.server import new_metrics_registry, serve_metrics
from connectors.registry.codec import Codec
from connectors.stores import open_store
from streams.cli.text import say
from streams.core.schedule.due import next_slot
from streams.core.text.concordance import is_word, occurrences, words
from streams.engine.worker import group_id
from streams.pipeline import now, pipeline
from streams.settings import Settings
from streams.topics import NOTIFICATIONS, SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS

WORDS = WordSearch(words, occurrences, is_word)
LOOPBACK = "127.0.0.1"


async def serve_api(settings: Settings, key: bytes) -> None:
    """Serve until cancelled; the secrets of webhooks are derived from ``key``."""
    keys = ApiKeys(settings.keys_file)
    host, registry = _host(settings, keys), new_metrics_registry()
    middlewares = [
        call_metrics_middleware(ApiMetrics(registry), monotonic),
        access_middleware(keys, monotonic, *PUBLIC_PATHS),
    ]
    noted = settings.metrics_folder / f"api-{settings.port}.json"
    async with (
        _handlers(settings, key) as handlers,
        serve(handlers, middlewares, host, settings.port),
        serve_metrics(settings.metrics, registry, noted, lambda: True),
    ):
        await asyncio.Event().wait()


def _host(settings: Settings, keys: ApiKeys) -> str:
    """Without keys nobody but this machine is served."""
    if keys.required or is_loopback(settings.host):
        return settings.host
    say(f"There are no API keys, so the API listens on {LOOPBACK}, not on {settings.host}.")
    say("  To open it, make a key: vokter keys add MANAGER")
    return LOOPBACK


def register(settings: Settings, codec: Codec | None = None) -> RequestSender:
    """Give a client of the register for these settings, which name the brokers."""
    prefix = settings.topic_prefix
    names = prefix + SUBSCRIPTION_REQUESTS.name, prefix + SUBSCRIPTIONS.name
    return RequestSender(settings.access, *names, codec=codec or settings.codec())


@asynccontextmanager
async def _handlers(settings: Settings, key: bytes) -> AsyncIterator[ApiHandlers]:
    async with AsyncExitStack() as stack:
        store = await open_store(settings.store_url)
        stack.push_async_callback(store.close)
        codec = await settings.started_codec()
        asking = await stack.enter_async_context(register(settings, codec))
        admin = AIOKafkaAdminClient(**settings.access.client())
        await admin.start()
        stack.push_async_callback(admin.close)
        consumer = AIOKafkaConsumer(**settings.access.client(), group_id=None)
        await consumer.start()
        stack.push_async_callback(consumer.stop)
        health = HealthHandler(_deployment(settings), store, admin, consumer, monotonic)
        jobs = Jobs(asking, store.count_active, key)
        listing = Listing(store, next_slot, now)
        live = Live(settings.access, settings.topic_prefix + NOTIFICATIONS.name, codec)
        yield ApiHandlers(
            jobs=jobs,
            listing=listing,
            histories=HistoryHandlers(store),
            documents=DocumentHandlers(store, WORDS, SingleFlightCache(monotonic)),
            events=EventStreams(live),
            feed=FeedHandler(store),
            health=health,
            description=Description(),
        )


def _deployment(settings: Settings) -> Deployment:
    prefix = settings.topic_prefix
    groups = {
        name: (group_id(prefix, name), tuple(prefix + topic.name for topic in worker.reads))
        for name, worker in pipeline(settings).items()
    }
    return Deployment(settings.kafka or "", settings.partitions, groups)
