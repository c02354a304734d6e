"""What a deployment shows of itself: health, logs, metrics, spans."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from socket import gethostname

import pytest
from aiohttp import ClientError, ClientSession

from infra.broker import LocalBroker
from schemas.records.topics import CHANGES
from streams.app import NEEDED_AGENTS
from tests.harness.collector import collecting
from tests.harness.facts import command_fetch, reading
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Answer, Rest, client
from tests.harness.waiting import eventually, until

COUNTED = {
    "api": ['vokter_api_calls_total{path="/vokter/v1/subscribe",status="200"}'],
    "ticker": [
        'vokter_memory_entries{agent="ticker",kind="watches"}',
        'vokter_lag_messages{agent="ticker",partition="0",topic="subscriptions"}',
    ],
    "fetch": [
        'vokter_fetches_total{outcome="http_2xx"}',
        'vokter_pages_total{outcome="read"}',
        'vokter_sent_total{agent="fetch",record="DocumentChanged",topic="changes"}',
    ],
    "match": [
        'vokter_sent_total{agent="match",record="Notification",topic="notifications"}',
        'vokter_table_bytes{agent="match",table="subscriptions"}',
        'vokter_recovery_seconds_count{agent="match"} ',
    ],
    "deliver": [
        'vokter_posts_total{outcome="http_2xx"}',
        'vokter_latency_seconds_bucket{le="0.1"}',
    ],
    "record": [
        'vokter_events_total{agent="record",outcome="handled",topic="deliveries"}',
        'vokter_commit_age_seconds{agent="record",partition="0",topic="deliveries"}',
    ],
}
"""What each process must have counted when a change was delivered."""
NO_ANSWER = (503, "9", "No worker answered in time. Please repeat the request.")


@pytest.fixture
async def lonely(broker: LocalBroker, tmp_path: Path) -> AsyncIterator[Rest]:
    """An API without a single worker."""
    with Deployment(broker.bootstrap, tmp_path) as deployment:
        deployment.start("api")
        async with client(deployment.settings.port) as rest:
            await eventually(rest.health, "the API answers")
            yield rest


async def test_a_deployment_that_is_well_says_so(shared: Deployment, rest: Rest) -> None:
    health = await rest.ready()
    assert len(health.body.pop("deployment")) == 16
    assert health == Answer(
        200,
        {
            "status": "ok",
            "kafka": shared.settings.kafka,
            "store": f"{shared.settings.data_dir}/vokter.db on {gethostname()}",
            "agents": dict.fromkeys(NEEDED_AGENTS, "ok"),
            "problems": [],
            "backlogs": [],
        },
    )


async def test_a_change_can_be_followed_from_the_request_to_the_delivery(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    watch = await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    page.text = "<p>the giant argus sleeps"
    await hook.notified()
    logs = [shared[name] for name in ("api", "ticker", "fetch", "match", "deliver")]
    await until(lambda: all(watch in log.said for log in logs), "all log its id")

    async def counted() -> bool:
        texts = [await scraped(place) for place in served(shared.settings.metrics_folder)]
        return len(texts) == len(COUNTED) and all(
            any(name in text for text in texts) for names in COUNTED.values() for name in names
        )

    await eventually(counted, "every process has counted, and every watchdog has looked")


@pytest.mark.slow  # tests/engine/traces has the same
async def test_a_workers_spans_are_sent_and_lead_on_to_those_of_the_next_agent(
    broker: LocalBroker, pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = pages.add("<p>the giant sleeps")
    async with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        with Deployment(broker.bootstrap, tmp_path, is_kept=True) as deployment:
            deployment.start("fetch")
            fetch, settings = deployment["fetch"], deployment.settings
            await until(lambda: "ready" in fetch.said, "the worker is ready")
            async with reading(settings, CHANGES) as changes:
                await command_fetch(settings, page.url, 1000)
                # What still waits for its host is replaced by what comes after it.
                await until(lambda: page.requests, "it is fetched")
                await command_fetch(settings, page.url, 2000)
                await page.stored()
                page.text = "<p>the giant argus sleeps"
                await command_fetch(settings, page.url, 3000)
                (change, *_) = await until(lambda: changes.seen, "the change is published")
            # Aside, as the collector answers on this loop: a stop sends what is left.
            assert await asyncio.to_thread(fetch.send, signal.SIGTERM) == 0
    spans = [span for service, span in collector.spans if service == "vokter-fetch"]
    assert [span.name for span in spans] == ["fetch"] * 3
    last = max(spans, key=lambda span: span.end_time_unix_nano)
    assert [(each.key, each.value.string_value) for each in last.attributes] == [
        ("vokter.watch", "w")
    ]
    _, trace, parent, _ = dict(change.headers)["traceparent"].decode().split("-")
    assert (trace, parent) == (last.trace_id.hex(), last.span_id.hex())


def served(folder: Path) -> list[str]:
    """Where metrics are, by the files that Prometheus reads."""
    files = sorted(folder.glob("*.json"))
    return [str(json.loads(file.read_text("utf-8"))[0]["targets"][0]) for file in files]


async def scraped(place: str) -> str:
    with suppress(ClientError):  # one that was started again has another place
        async with ClientSession() as http, http.get(f"http://{place}/metrics") as response:
            return await response.text()
    return ""


async def test_a_stopped_agent_is_named_until_it_is_back(shared: Deployment, rest: Rest) -> None:
    shared["ticker"].send(signal.SIGTERM)

    async def named() -> Answer | None:
        health = await rest.health()
        problems = health.body["problems"] if health else []
        return health if [each.partition(":")[0] for each in problems] == ["ticker"] else None

    health = await eventually(named, "ticker alone is named")
    agents = health.body["agents"]
    assert (health.status, health.body["status"]) == (503, "down")
    assert "no worker has" in agents.pop("ticker")
    assert set(agents.values()) == {"ok"}
    shared["ticker"].start()
    await rest.ready()


async def test_without_a_worker_a_request_is_9_and_every_agent_is_named(lonely: Rest) -> None:
    urls = {"documentUrl": "http://127.0.0.1:1024/", "clientUrl": "http://127.0.0.1:1024/"}
    answers = await asyncio.gather(
        lonely.call("/subscribe", urls | {"keywords": ["argus"]}), lonely.call("/cancel", urls)
    )
    assert [answer.verdict for answer in answers] == [NO_ANSWER, NO_ANSWER]

    async def all_named() -> Answer | None:
        health = await lonely.health()
        reasons = health.body["agents"].values() if health is not None else [""]
        return health if all("no worker has" in reason for reason in reasons) else None

    health = await eventually(all_named, "every agent is named")
    assert health.status == 503
    assert len(health.body["problems"]) == len(NEEDED_AGENTS)
