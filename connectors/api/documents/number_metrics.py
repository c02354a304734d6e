"""GET /numbers/metrics: the watched numbers of a manager, as Prometheus reads metrics."""

import sys
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import dataclass

from aiohttp import web
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from connectors.access.callers import caller
from connectors.api.documents.cache import SingleFlightCache
from connectors.api.paging import asked_tag
from connectors.stores.ports import SubscriptionReader, TextReader
from schemas.records.numbers import NumberPoint
from schemas.records.subscriptions import Subscription

MAX_SERIES = 200
"""The most numbers in an answer: each is a time series at Prometheus."""
MAX_SEARCHED = 5_000
"""The most subscriptions to examine for them, the oldest."""
PAGE = 500


@dataclass(frozen=True, slots=True)
class WatchedNumber:
    """The number of a subscription, and its present value."""

    subscription: Subscription
    point: NumberPoint


class NumberMetrics:
    """The handler; answers are cached, so they may be half a minute old."""

    def __init__(
        self, subscriptions: SubscriptionReader, texts: TextReader, cache: SingleFlightCache
    ) -> None:
        """Find numbers by ``subscriptions``, and their values in ``texts``."""
        self._subscriptions = subscriptions
        self._texts = texts
        self._cache = cache

    async def metrics(self, request: web.Request) -> web.Response:
        """Answer with the numbers of the caller's active subscriptions; those with a tag, if asked.

        Of several subscriptions with the same view of a page, the oldest counts.
        """
        manager, tag = caller(request).manager, asked_tag(request)

        async def find() -> bytes:
            return metrics_text(*await self._found(manager, tag))

        body = await self._cache.get(("number metrics", manager, tag), find, sys.getsizeof)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})

    async def _found(self, manager: str, tag: str) -> tuple[list[WatchedNumber], int]:
        """Return the first numbers, and how many views with a number are left out."""
        found: list[WatchedNumber] = []
        seen = set[tuple[str, str]]()
        left = 0
        async with aclosing(self._of_numbers(manager, tag)) as subscriptions:
            async for each in subscriptions:
                if (each.url, each.view_id) in seen:
                    continue
                seen.add((each.url, each.view_id))
                if len(found) == MAX_SERIES:
                    left += 1
                    continue
                page = await self._texts.numbers(manager, each.url, None, 1, each.id)
                found += [WatchedNumber(each, point) for point in (page.items if page else ())[:1]]
        return found, left

    async def _of_numbers(self, manager: str, tag: str) -> AsyncGenerator[Subscription, None]:
        after: str | None = None
        for _ in range(MAX_SEARCHED // PAGE):
            page = await self._subscriptions.page(manager, after, PAGE, tag)
            for each in page.items:
                if each.ended is None and each.subscription.options.view.number is not None:
                    yield each.subscription
            after = page.next
            if after is None:
                return


def metrics_text(numbers: Iterable[WatchedNumber], left: int) -> bytes:
    """Return numbers in Prometheus' text format.

    >>> metrics_text([], 3).decode().splitlines()[-1]
    'vokter_numbers_left 3.0'
    """
    labels = "subscription", "url", "unit"
    values = GaugeMetricFamily("vokter_number", "What a watched number is.", labels=labels)
    for each in numbers:
        of = each.subscription.id, each.subscription.document_url, each.point.unit
        values.add_metric(of, float(each.point.value))
    text = f"Watched numbers beyond the first {MAX_SERIES}, which are left out."
    registry = CollectorRegistry()
    registry.register(_Families([values, GaugeMetricFamily("vokter_numbers_left", text, left)]))
    return generate_latest(registry)


class _Families:
    """A collector of existing metrics."""

    def __init__(self, families: list[GaugeMetricFamily]) -> None:
        self._families = families

    def collect(self) -> list[GaugeMetricFamily]:
        return self._families
