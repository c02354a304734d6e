"""The pipeline's page, by requests: the picture, what does not work, and what it costs."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from aiohttp import ClientSession
from aiokafka.errors import KafkaConnectionError

from connectors.access.roles import Role
from connectors.kafka.progress import AgentProgress, PipelineProgress
from connectors.metrics.scraping import Latency
from connectors.page.operate.pipeline_view import (
    FINDINGS_FRESH_S,
    ShownFinding,
    shown_agents,
    worst_first,
)
from streams.effects.overview import pipeline_agents
from tests.connectors.page.session.test_guard import signed_in
from tests.fakes.hostile_texts import HOSTILE_TEXTS
from tests.harness.page import PROGRESS, ServedPage
from tests.harness.waiting import until

BUSY = PipelineProgress(
    {
        **PROGRESS.agents,
        "fetch": AgentProgress("empty", 0, 0, 8, {"fetches": 1200}),
        "render": AgentProgress("stable", 1, 8, 8, {"renders": 3}),
    },
    {"fetches": 12.34, "changes": 0.25},
)
NO_WORKER = "empty, no worker has 8 of 8 partitions"


async def html(http: ClientSession, served: ServedPage) -> str:
    async with http.get(f"{served.base}/pipeline") as response:
        assert response.status == 200
        return (await response.text()).partition("<main")[2]


async def text(http: ClientSession, served: ServedPage) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", await html(http, served))).split())


async def checked(served: ServedPage, http: ClientSession, found: Sequence[ShownFinding]) -> str:
    """Show the page until what the checks found is on it."""
    served.findings.return_value = found
    await html(http, served)
    await until(lambda: served.findings.call_count, "the checks have begun")
    return await html(http, served)


def test_an_agent_that_not_every_deployment_has_is_shown_where_it_runs_or_should() -> None:
    def names(progress: PipelineProgress | None) -> list[str]:
        return [each.name for each in shown_agents(pipeline_agents(), {}, progress)]

    idle = {"render": AgentProgress("dead", 0, 0, 8, {"renders": 0})}
    wanted = {"render": AgentProgress("dead", 0, 0, 8, {"renders": 1})}
    assert "render" not in names(None) + names(PROGRESS) + names(PipelineProgress(idle, {}))
    found = shown_agents(pipeline_agents(), {}, PipelineProgress(wanted, {}))
    [shown] = [each for each in found if each.name == "render"]
    assert (shown.state, shown.waiting) == ("no worker runs", 1)
    assert "render" in names(BUSY)


def test_what_is_worst_comes_first_and_what_is_fine_apart() -> None:
    found = [ShownFinding(level, level, "x", "") for level in ("ok", "warning", "error", "ok")]
    assert [each.level for each in worst_first(found)] == ["error", "warning"]


async def test_the_picture_has_throughput_lag_workers_and_partitions(
    served: ServedPage, http: ClientSession
) -> None:
    served.progress.side_effect = lambda: BUSY
    served.latency.return_value = Latency(0.1, 2.5, 1000)
    shown = await text(http, served)
    for each in ("Everything works", "waiting 1,200", "fetches 1,200", "0 of 8", "8 of 8", "12/s",
                 "0.25/s", "half arrived within 100 ms"):  # fmt: skip
        assert each in shown
    order = re.findall(r'class="state good">(\w+)', await html(http, served))
    assert order == ["ticker", "fetch", "match", "deliver", "record", "render"]


async def test_an_agent_that_is_down_is_shown_as_such(
    served: ServedPage, http: ClientSession
) -> None:
    healthy = served.health.state.return_value
    served.health.state.return_value = replace(
        healthy,
        agents={**healthy.agents, "fetch": NO_WORKER},
        problems=[f"fetch: {NO_WORKER}", "store: locked"],
    )
    shown = await html(http, served)
    assert "Something does not work" in shown
    assert re.findall(r'class="state bad">(\w+)', shown) == ["fetch"]
    assert shown.count(NO_WORKER) == 1, "it is said at the agent"
    assert '<p class="error">store: locked</p>' in shown


@pytest.mark.parametrize("error", [KafkaConnectionError("refused"), TimeoutError()])
async def test_without_a_broker_the_figures_are_not_known(
    served: ServedPage, http: ClientSession, error: Exception
) -> None:
    served.progress.side_effect = error
    assert (await text(http, served)).count("not known: the broker does not answer") == 5


async def test_visitors_share_the_questions_and_do_not_wait_for_the_checks(
    served: ServedPage, http: ClientSession
) -> None:
    ended = asyncio.Event()

    async def check() -> Any:
        await ended.wait()
        return [ShownFinding("error", "broker", "refused", "Start it.")]

    served.findings.side_effect = check
    pages = await asyncio.gather(*(text(http, served) for _ in range(20)))
    assert all("Checking: it takes some seconds" in page for page in pages)
    asked = (served.progress, served.latency, served.findings)
    assert [each.call_count for each in asked] == [1, 1, 1]
    ended.set()
    assert "broker refused Start it." in await text(http, served)
    served.clock.monotonic += FINDINGS_FRESH_S
    served.findings.side_effect = None
    served.findings.return_value = []
    assert "broker refused" in await text(http, served), "the last is shown while it asks again"
    assert "0 checks are fine" in await text(http, served)
    assert [each.call_count for each in asked] == [2, 2, 2]


async def test_what_the_checks_found_is_text(served: ServedPage, http: ClientSession) -> None:
    found = [ShownFinding("warning", text, text, text) for text in HOSTILE_TEXTS]
    found += [ShownFinding("ok", text, text, "") for text in HOSTILE_TEXTS]
    shown = await checked(served, http, found)
    assert not re.findall("<(script|img|svg|iframe|object|style)", shown)
    assert re.findall(r'<a href="([^"]*)"', shown) == ["/dead-letters"]


@pytest.mark.parametrize("role", [Role.READ, Role.WRITE])
async def test_only_an_administrator_sees_it(
    served: ServedPage, http: ClientSession, role: Role
) -> None:
    await signed_in(http, served, served.add_key("news-desk", role=role))
    async with http.get(f"{served.base}/pipeline") as response:
        assert (response.status, "9092" in await response.text()) == (403, False)
    assert served.findings.call_count == 0
    await signed_in(http, served, served.add_key("boss", role=Role.ADMIN))
    shown = await text(http, served)
    assert "Everything works" in shown
    assert "A worker that was killed is counted for up to 30 seconds more." in shown
