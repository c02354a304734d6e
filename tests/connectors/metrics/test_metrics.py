"""Served metrics, and effects that are counted."""

import json
import socket
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from aiohttp import ClientConnectorDNSError, ClientError, ClientSession, web
from aiohttp.test_utils import TestClient, TestServer
from prometheus_client import CollectorRegistry

from connectors.api.call_metrics import call_metrics_middleware
from connectors.http.egress import AddressRefused
from connectors.http.errors import FetchFailed, failure_class
from connectors.metrics.counters import (
    AgentMetrics,
    ApiMetrics,
    ChannelMetrics,
    DeliverMetrics,
    FetchMetrics,
)
from connectors.metrics.observed import (
    SendNotifications,
    observed_ask,
    observed_get,
    observed_messages,
    observed_posts,
)
from connectors.metrics.server import new_metrics_registry, serve_metrics
from schemas.records.answers import PageQuery, Response, WebhookResponse
from schemas.records.notifications import Notification
from tests.fakes.notifications import NOTIFICATION

ANYWHERE = "127.0.0.1:0"


class Sequel:
    """Returns one answer after the other, or raises it."""

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)

    def next(self) -> object:
        found = self._answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


@pytest.fixture
async def http() -> AsyncIterator[ClientSession]:
    async with ClientSession() as session:
        yield session


def target(file: Path) -> str:
    (found,) = json.loads(file.read_text())
    assert found["labels"] == {"process": file.stem}
    (place,) = found["targets"]
    return f"http://{place}"


def failed(cause: Exception | None) -> FetchFailed:
    failure = FetchFailed("why")
    failure.__cause__ = cause
    return failure


async def test_metrics_are_served_at_the_address_in_the_file(
    http: ClientSession, tmp_path: Path
) -> None:
    registry, file = new_metrics_registry(), tmp_path / "metrics" / "fetch-1.json"
    metrics = AgentMetrics(registry)
    async with serve_metrics(ANYWHERE, registry, file, lambda: True):
        metrics.event("fetch", "fetches", "handled")
        async with http.get(target(file) + "/metrics") as response:
            text = await response.text()
    line = 'vokter_events_total{agent="fetch",outcome="handled",topic="fetches"} 1.0'
    assert line in text.splitlines()
    assert "python_gc" in text
    assert not file.exists(), "who has ended is not scraped"


async def test_health_says_whether_partitions_are_assigned(
    http: ClientSession, tmp_path: Path
) -> None:
    ready = False
    file = tmp_path / "match-1.json"
    async with serve_metrics(ANYWHERE, CollectorRegistry(), file, lambda: ready):
        async with http.get(target(file) + "/health") as response:
            assert response.status == 503
        ready = True
        async with http.get(target(file) + "/health") as response:
            assert response.status == 200


async def test_a_port_in_use_does_not_stop_an_agent(http: ClientSession, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        file = tmp_path / "match-1.json"
        async with serve_metrics(taken, CollectorRegistry(), file, lambda: True):
            assert target(file) != f"http://{taken}"
            async with http.get(target(file) + "/health") as response:
                assert response.status == 200


@pytest.mark.parametrize("address", ["off", "192.0.2.1:0"], ids=["off", "not ours"])
async def test_metrics_can_be_switched_off(address: str, tmp_path: Path) -> None:
    file = tmp_path / "match-1.json"
    async with serve_metrics(address, CollectorRegistry(), file, lambda: True):
        assert not file.exists()


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Response(200, b"page", None, None, None, None), "http_2xx"),
        (Response(304, b"", None, None, None, None), "not_modified"),
        (Response(503, b"", None, None, None, None), "http_5xx"),
        (failed(None), "declined"),
        (failed(TimeoutError()), "timeout"),
        (failed(ClientConnectorDNSError(None, OSError())), "dns"),  # type: ignore[arg-type]  # never asked
        (failed(AddressRefused(13, "private")), "refused"),
        (failed(ClientError("reset")), "network"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_fetch_is_counted_by_its_outcome(answer: object, outcome: str) -> None:
    registry, sequel, times = CollectorRegistry(), Sequel(answer), iter((10.0, 10.5))

    async def get(query: PageQuery) -> Response:
        found = sequel.next()
        assert isinstance(found, Response)
        return found

    observed = observed_get(get, FetchMetrics(registry), lambda: next(times))
    if isinstance(answer, FetchFailed):
        with pytest.raises(FetchFailed):
            await observed(PageQuery("http://example.test/"))
    else:
        assert await observed(PageQuery("http://example.test/")) is answer
    assert registry.get_sample_value("vokter_fetches_total", {"outcome": outcome}) == 1
    assert registry.get_sample_value("vokter_fetch_seconds_sum") == 0.5


def test_an_address_that_is_refused_during_a_look_up_is_counted_as_refused() -> None:
    cause = ClientError("no connection")
    cause.__cause__ = AddressRefused(13, "private")
    assert failure_class(failed(cause)) == "refused"


def sending(sequel: Sequel) -> SendNotifications:
    """Return an effect that answers with one after the other."""

    async def send(
        manager: str, client_url: str, notifications: Sequence[Notification], is_digest: bool
    ) -> WebhookResponse:
        found = sequel.next()
        assert isinstance(found, WebhookResponse)
        return found

    return send


async def test_a_delivery_is_counted_with_the_age_of_its_change() -> None:
    registry = CollectorRegistry()
    sequel = Sequel(
        WebhookResponse(500, "answered 500"),
        WebhookResponse(None, "reset"),
        WebhookResponse(204),
        WebhookResponse(204),
        WebhookResponse(204),
    )
    metrics = DeliverMetrics(registry)
    observed = observed_posts(sending(sequel), metrics, lambda: NOTIFICATION.at + 1500)
    for _ in range(3):
        await observed("m", "http://client.test/", [NOTIFICATION], False)
    counts = {
        outcome: registry.get_sample_value("vokter_posts_total", {"outcome": outcome})
        for outcome in ("http_5xx", "no_answer", "http_2xx")
    }
    assert set(counts.values()) == {1.0}
    assert registry.get_sample_value("vokter_latency_seconds_count") == 1
    assert registry.get_sample_value("vokter_latency_seconds_sum") == 1.5
    old = replace(NOTIFICATION, at=0, history=True)
    await observed("m", "http://client.test/", [old], False)
    assert registry.get_sample_value("vokter_latency_seconds_count") == 1, "history is old"
    await observed("m", "http://client.test/", [NOTIFICATION, NOTIFICATION], True)
    assert registry.get_sample_value("vokter_latency_seconds_count") == 1, "a digest has waited"
    assert registry.get_sample_value("vokter_posts_total", {"outcome": "http_2xx"}) == 3


async def test_messages_to_channels_are_counted_by_their_outcome() -> None:
    registry = CollectorRegistry()
    sequel = Sequel(WebhookResponse(None, "refused"), WebhookResponse(200))
    observed = observed_messages(sending(sequel), ChannelMetrics(registry))
    await observed("m", "channel:team", [NOTIFICATION], False)
    await observed("m", "channel:team", [NOTIFICATION, NOTIFICATION], True)
    for outcome in ("accepted", "failed"):
        assert registry.get_sample_value("vokter_announcements_total", {"outcome": outcome}) == 1


async def test_challenges_are_counted_by_their_outcome() -> None:
    registry, sequel = CollectorRegistry(), Sequel("", "answered 404 to the challenge")

    async def ask(client_url: str, address: str) -> str:
        return str(sequel.next())

    observed = observed_ask(ask, DeliverMetrics(registry))
    assert [await observed("u", "192.0.2.1") for _ in range(2)] == [
        "",
        "answered 404 to the challenge",
    ]
    for outcome in ("passed", "failed"):
        assert registry.get_sample_value("vokter_challenges_total", {"outcome": outcome}) == 1


async def test_calls_to_the_api_are_counted_by_route_and_status() -> None:
    async def named(request: web.Request) -> web.StreamResponse:
        if request.match_info["name"] == "broken":
            raise RuntimeError
        return web.Response(status=201)

    registry, times = CollectorRegistry(), count()
    app = web.Application(
        middlewares=[call_metrics_middleware(ApiMetrics(registry), lambda: next(times))]
    )
    app.router.add_get("/any/{name}", named)
    async with TestClient(TestServer(app)) as http:
        for path in ("/any/one", "/any/two", "/any/broken", "/elsewhere"):
            await http.get(path)

    for path, status, calls in [
        ("/any/{name}", "201", 2),
        ("/any/{name}", "500", 1),
        ("unknown", "404", 1),
    ]:
        labels = {"path": path, "status": status}
        assert registry.get_sample_value("vokter_api_calls_total", labels) == calls
    assert registry.get_sample_value("vokter_api_seconds_sum") == 4
