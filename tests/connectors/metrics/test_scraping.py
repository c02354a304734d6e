"""The latency that the processes on this machine have measured."""

import json
from pathlib import Path

from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest

from connectors.metrics.counters import LATENCY, DeliverMetrics
from connectors.metrics.model_use import ModelUsed, ModelUseGauges
from connectors.metrics.scraping import (
    Latency,
    measured_latency,
    quantile,
    scraped_metrics,
    used_of_model,
)


def process(registry: CollectorRegistry) -> TestServer:
    """A process that serves its metrics."""
    app = web.Application()

    async def scraped(request: web.Request) -> web.Response:
        is_ours = request.path == "/metrics"
        return web.Response(text=generate_latest(registry).decode() if is_ours else "<html>")

    app.router.add_get("/{path:.*}", scraped)
    return TestServer(app)


async def test_the_use_of_the_model_by_a_manager_is_that_of_all_processes(tmp_path: Path) -> None:
    registry = CollectorRegistry()
    uses = [ModelUsed("desk", 2, 300), ModelUsed("other", 5, 700)]
    registry.register(ModelUseGauges(lambda: uses))
    async with process(registry) as server, ClientSession() as http:

        async def used(manager: str) -> ModelUsed | None:
            return used_of_model(await scraped_metrics(tmp_path, http), manager)

        assert await used("desk") is None, "nobody judges here"
        for name in "ab":
            noted = json.dumps([{"targets": [f"127.0.0.1:{server.port}"], "labels": {}}])
            (tmp_path / f"{name}.json").write_text(noted)
        assert await used("desk") == ModelUsed("desk", 4, 600)
        assert await used("new") == ModelUsed("new", 0, 0)


async def test_processes_are_summed_and_what_is_no_process_is_skipped(tmp_path: Path) -> None:
    registry = CollectorRegistry()
    metrics = DeliverMetrics(registry)
    async with process(registry) as server, ClientSession() as http:
        assert measured_latency(await scraped_metrics(tmp_path, http)) is None
        base = f"127.0.0.1:{server.port}"
        for name, address in (
            ("a", base),
            ("b", base),
            ("other", f"{base}/other"),
            ("gone", "x:1"),
        ):
            noted = json.dumps([{"targets": [address], "labels": {}}])
            (tmp_path / f"{name}.json").write_text(noted)
        (tmp_path / "broken.json").write_text("[")
        assert measured_latency(await scraped_metrics(tmp_path, http)) is None
        for age in [0.04] * 90 + [3.0] * 10:
            metrics.delivered(age)
        assert measured_latency(await scraped_metrics(tmp_path, http)) == Latency(0.05, 5, 200)


@given(st.lists(st.floats(0, 100_000), min_size=1), st.floats(0.01, 1))
def test_a_quantile_is_a_bound_that_its_share_does_not_exceed(
    ages: list[float], share: float
) -> None:
    bounds = [*LATENCY, float("inf")]
    buckets = {bound: sum(age <= bound for age in ages) for bound in bounds}
    found = quantile(buckets, share)
    assert found in LATENCY
    assert buckets[found] >= share * len(ages) or found == LATENCY[-1]
