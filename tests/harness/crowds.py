"""More pages than their host can serve: a site without an end, and requests to watch many pages."""

import asyncio
from collections.abc import Iterable

from aiohttp import web
from confluent_kafka import Producer

from schemas.codec import wire
from schemas.records.requests import ClientRequest
from schemas.records.topics import SUBSCRIPTION_REQUESTS
from streams.settings import Settings
from streams.values.partitions import partition_of

LINKS = 20
ENDLESS = {"depth": 5, "maxPages": 10_000}
"""The crawl of a site without an end."""
ANSWERS_S = 60.0
"""Seconds for an answer of the broker, which may be away; a thread that waits holds up the end."""


async def endless(request: web.Request) -> web.Response:
    """Answer with a page that links to twenty others of its host; no two have a link in common."""
    try:
        number = int(request.path.rpartition("/")[2])
    except ValueError:  # robots.txt
        return web.Response(status=404)
    others = range(number * LINKS + 1, (number + 1) * LINKS + 1)
    links = "".join(f'<p><a href="/{other}">page {other}</a></p>' for other in others)
    return web.Response(text=f"<h1>Page {number}</h1>{links}", content_type="text/html")


async def send_requests(settings: Settings, requests: Iterable[ClientRequest]) -> None:
    """Send requests to the topic; raises TimeoutError if the broker does not take them all."""
    await asyncio.to_thread(_send, settings, requests)


def _send(settings: Settings, requests: Iterable[ClientRequest]) -> None:
    # Without its log, which says of every partition that the broker is away.
    kafka = Producer({"bootstrap.servers": settings.kafka, "log_level": 0})
    topic = settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    for request in requests:
        place = partition_of(request.document_url, settings.partitions)
        kafka.produce(topic, wire.encode(request), partition=place)
    if left := kafka.flush(ANSWERS_S):
        raise TimeoutError(f"{left} requests were not sent within {ANSWERS_S:g} s")
