"""What strangers do to a deployment while it runs: messages nobody expects, pages of any size."""

import asyncio
from collections.abc import Sequence
from itertools import product
from time import sleep
from uuid import uuid4

from confluent_kafka import Producer

from schemas.codec import wire
from schemas.records.crawls import CrawlOptions
from schemas.records.requests import Cancel, Subscribe
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topics import SUBSCRIPTION_REQUESTS
from streams.app import NEEDED_AGENTS
from streams.settings import Settings
from streams.values.partitions import partition_of
from tests.harness.crowds import ANSWERS_S, ENDLESS, endless, send_requests
from tests.harness.hooks import Hooks
from tests.harness.load import Watcher
from tests.harness.pages import Pages
from tests.harness.rest import client
from tests.harness.web import served

DEFAULTS = Options()
CODECS = ("gzip", "snappy", "lz4", "zstd")
HOSTILE_WORDS, HOSTILE_SIZE = 700_000, 4_800_000
"""A page of nearly as many bytes as are downloaded."""


class Strangers:
    """They know the brokers and the API; what they watch by the brokers is of a manager."""

    def __init__(
        self, settings: Settings, pages: Pages, hooks: Hooks, manager: str = "default"
    ) -> None:
        self._settings = settings
        self._manager = manager
        # Without its log, which says of every partition that the broker is away.
        self._client: dict[str, str | int | None] = {
            "bootstrap.servers": settings.kafka,
            "log_level": 0,
        }
        self._pages = pages
        self._hooks = hooks

    async def abort_cancels(self, watchers: Sequence[Watcher], after_s: float = 0) -> None:
        """Cancel subscriptions in a transaction that is aborted: none of it may be obeyed.

        While it is open, nobody's requests behind it are read.
        """
        await asyncio.to_thread(self._abort, watchers, after_s)

    async def send_compressed(self) -> None:
        """Send something unreadable to every topic that a worker reads, in each compression."""
        await asyncio.to_thread(self._send_compressed)

    async def replace_large_page(self) -> None:
        """Subscribe to a large page in every form of keyword, and replace all its words."""
        page, hook = self._pages.add(_large_text(1)), self._hooks.add()
        page.content_type = "text/plain"
        async with client(self._settings.port) as rest:
            for number, forms in enumerate(product((False, True), repeat=4)):
                stemming, stopwords, case, is_phrase = forms
                await rest.subscribe(
                    page.url,
                    f"{hook.url}?{number}",
                    '"v2w1 v2w2"' if is_phrase else "v2w7",
                    enableStemming=stemming,
                    filterStopwords=stopwords,
                    ignoreCase=case,
                )
        await page.stored()
        page.text = _large_text(2)

    async def crawl_endless_site(self, seconds: float) -> None:
        """Crawl a site without an end for so long, at the smallest interval."""
        async with served(endless) as (host,):
            crawl = CrawlOptions(depth=ENDLESS["depth"], max_pages=ENDLESS["maxPages"])
            await self._watch([f"{host}/0"], seconds, Options(interval=1, crawl=crawl))

    async def watch_crowd(self, seconds: float, pages: int) -> None:
        """Watch so many pages of one host for so long."""
        async with served(endless) as (host,):
            await self._watch([f"{host}/{number}" for number in range(pages)], seconds)

    async def _watch(
        self, urls: Sequence[str], seconds: float, options: Options = DEFAULTS
    ) -> None:
        to, manager = Receiver(self._hooks.add().url), self._manager
        subscribes = (
            Subscribe(url, to, url, manager, keywords=("*",), options=options) for url in urls
        )
        await send_requests(self._settings, subscribes)
        await asyncio.sleep(seconds)
        cancels = (Cancel(url, to, f"{url}#end", manager) for url in urls)
        await send_requests(self._settings, cancels)

    def _abort(self, watchers: Sequence[Watcher], after_s: float) -> None:
        kafka = Producer(self._client | {"transactional.id": f"stranger-{uuid4()}"})
        kafka.init_transactions(ANSWERS_S)
        kafka.begin_transaction()
        topic = self._settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
        for number, watcher in enumerate(watchers):
            receiver = Receiver(watcher.hook.url)
            cancel = Cancel(watcher.page.url, receiver, request_id=f"aborted-{number}")
            place = partition_of(watcher.page.url, self._settings.partitions)
            kafka.produce(topic, wire.encode(cancel), partition=place)
        _flush(kafka)
        sleep(after_s)
        kafka.abort_transaction(ANSWERS_S)

    def _send_compressed(self) -> None:
        topics = {topic.name for agent in NEEDED_AGENTS.values() for topic in agent.reads}
        for codec in CODECS:
            kafka = Producer(self._client | {"compression.type": codec})
            for topic, place in product(sorted(topics), range(self._settings.partitions)):
                name = self._settings.topic_prefix + topic
                kafka.produce(name, codec.encode() * 100, partition=place)
            _flush(kafka)


def _flush(kafka: Producer) -> None:
    """Wait until everything is sent; raises TimeoutError if the broker does not take it."""
    left = kafka.flush(ANSWERS_S)
    if left:
        raise TimeoutError(f"{left} messages were not sent within {ANSWERS_S:g} s")


def _large_text(version: int) -> str:
    words = (f"v{version}w{number}" for number in range(HOSTILE_WORDS))
    return " ".join(words)[:HOSTILE_SIZE]
