"""The view of a deployment."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from aiokafka import TopicPartition
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from rich.console import Console

from connectors.kafka.groups import Group
from connectors.metrics.counters import FetchMetrics
from connectors.metrics.scraping import largest_backlogs, scraped_metrics
from connectors.metrics.server import serve_metrics
from connectors.metrics.waiting import Backlog, WaitGauges
from streams.agents.match.register.counts import manager_hash
from streams.cli.health.status import (
    AgentStatus,
    FetchWaits,
    fetch_waits,
    flapping_caption,
    flapping_changes,
    in_memory,
    status_json,
    status_table,
    wait_caption,
)

HERE, THERE = TopicPartition("v.fetches", 0), TopicPartition("v.fetches", 1)


class Keeps:
    """A process that keeps something."""

    def __init__(self, due: int) -> None:
        self.due = due

    def collect(self) -> list[GaugeMetricFamily]:
        family = GaugeMetricFamily("vokter_memory_entries", "kept", labels=("agent", "kind"))
        family.add_metric(("fetch", "due"), self.due)
        return [family]


def shown(*rows: AgentStatus, kept: dict[str, Counter[str]]) -> str:
    console = Console(width=160, record=True, file=None, quiet=False)
    with console.capture() as capture:
        console.print(status_table(list(rows), kept, "v."))
    return capture.get()


def test_each_agent_is_a_row_with_what_it_holds_and_lacks() -> None:
    # A table's changelog is held too, and does not replace a partition of an input.
    changelog = TopicPartition("v.fetch-table-changelog", 0)
    group = Group("Stable", 2, frozenset([HERE, changelog]), {})
    text = shown(AgentStatus("fetch", group, {HERE: 3, THERE: 4}), kept={"fetch": Counter(due=12)})
    (line,) = [line for line in text.splitlines() if "fetch" in line]
    for part in ("stable", "1 of 2", "7", "fetches 7", "due 12"):
        assert part in line


def test_an_agent_is_an_object_of_json() -> None:
    row = AgentStatus("fetch", Group("Stable", 2, frozenset([HERE]), {}), {HERE: 3, THERE: 4})
    assert status_json(row, {"fetch": Counter(due=12)}, "v.") == {
        "agent": "fetch",
        "state": "stable",
        "workers": 2,
        "partitions": 2,
        "assigned": 1,
        "lag": {"fetches": 7},
        "inMemory": {"due": 12},
    }


async def test_processes_are_asked_and_who_does_not_answer_is_left_out(tmp_path: Path) -> None:
    gone = [{"targets": ["127.0.0.1:1"], "labels": {}}]
    (tmp_path / "fetch-0.json").write_text(json.dumps(gone))
    (tmp_path / "fetch-9.json").write_text("no json")
    registries = [CollectorRegistry(), CollectorRegistry()]
    for due, registry in enumerate(registries, 2):
        registry.register(Keeps(due))
    one, two = (
        serve_metrics("127.0.0.1:0", registry, tmp_path / f"fetch-{number}.json", lambda: True)
        for number, registry in enumerate(registries, 1)
    )
    async with one, two, ClientSession() as http:
        assert in_memory(await scraped_metrics(tmp_path, http)) == {"fetch": Counter(due=5)}


async def test_pages_that_wait_long_are_a_line_below_the_table(tmp_path: Path) -> None:
    registries = [CollectorRegistry(), CollectorRegistry()]
    for seconds, registry in zip((81.0, 3.0), registries, strict=True):
        pages = round(seconds * 100)
        registry.register(
            WaitGauges(
                lambda seconds=seconds: seconds,  # type: ignore[misc]
                lambda: 1.4,
                lambda most, pages=pages: [  # type: ignore[misc]
                    (f"{name}.test", manager_hash(name), pages - 100 * number)
                    for number, name in enumerate(("many", "else"))
                ][:most],
            )
        )
    one, two = (
        serve_metrics("127.0.0.1:0", registry, tmp_path / f"fetch-{number}.json", lambda: True)
        for number, registry in enumerate(registries, 1)
    )
    async with one, two, ClientSession() as http:
        found = fetch_waits(await scraped_metrics(tmp_path, http))
    many, other = manager_hash("many"), manager_hash("else")
    backlogs = [Backlog("many.test", many, 8400), Backlog("else.test", other, 8200)]
    assert found == FetchWaits(81.0, 1.4, backlogs)
    said = "pages that are due wait up to 81 s for their hosts; the busiest is asked for 1.4 times "
    said += "what it can have; 8400 wait for many.test, of the manager {}"
    said += "; 8200 wait for else.test, of the manager {}"
    assert wait_caption(found, ["sports", "many"]) == said.format("many", other)
    assert wait_caption(found) == said.format(many, other)
    few = FetchWaits(81.0, 0.5)
    assert wait_caption(few) == "pages that are due wait up to 81 s for their hosts"
    assert wait_caption(replace(found, seconds=3.0)) is None


def test_few_pages_that_wait_name_nobody() -> None:
    registry = CollectorRegistry()
    registry.register(WaitGauges(float, float, lambda _: [("few.test", "m", 99)]))
    assert b"few.test" not in generate_latest(registry)


async def test_no_more_backlogs_are_named_than_may_be_series(tmp_path: Path) -> None:
    registry = CollectorRegistry()
    registry.register(
        WaitGauges(
            float, float, lambda most: [(f"{n}.test", "m", 100 + n) for n in range(9)][-most:]
        )
    )
    ours = serve_metrics("127.0.0.1:0", registry, tmp_path / "fetch-1.json", lambda: True)
    async with ours, ClientSession() as http:
        found = largest_backlogs(await scraped_metrics(tmp_path, http))
    assert [each.host for each in found] == [f"{n}.test" for n in (8, 7, 6, 5, 4)]


async def test_changes_of_pages_that_are_flapping_are_a_line_below_the_table(
    tmp_path: Path,
) -> None:
    registry = CollectorRegistry()
    metrics = FetchMetrics(registry)
    ours = serve_metrics("127.0.0.1:0", registry, tmp_path / "fetch-1.json", lambda: True)
    async with ours, ClientSession() as http:
        assert flapping_caption(flapping_changes(await scraped_metrics(tmp_path, http))) is None
        metrics.flapped()
        metrics.flapped()
        caption = flapping_caption(flapping_changes(await scraped_metrics(tmp_path, http)))
    said = "changes of pages that keep going back to earlier texts: 2 (vokter doctor)"
    assert caption == said


async def test_another_program_on_the_port_of_a_metrics_server_is_left_out(tmp_path: Path) -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<html><body>hello</body>")

    other = web.Application()
    other.router.add_get("/metrics", page)
    registry = CollectorRegistry()
    registry.register(Keeps(7))
    async with TestServer(other) as server, ClientSession() as http:
        noted = [{"targets": [f"127.0.0.1:{server.port}"], "labels": {}}]
        (tmp_path / "fetch-0.json").write_text(json.dumps(noted))
        ours = serve_metrics("127.0.0.1:0", registry, tmp_path / "fetch-1.json", lambda: True)
        async with ours:
            assert in_memory(await scraped_metrics(tmp_path, http)) == {"fetch": Counter(due=7)}
            assert fetch_waits(await scraped_metrics(tmp_path, http)) == FetchWaits(0.0, 0.0, [])
