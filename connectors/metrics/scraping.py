"""Read the metrics of the processes with their addresses in a folder."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aiohttp import ClientError, ClientSession
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from connectors.metrics.counters import LATENCY_METRIC
from connectors.metrics.model_use import CALLS, TOKENS, USE_METRIC, ModelUsed
from connectors.metrics.waiting import BACKLOG_METRIC, MOST_BACKLOGS, Backlog

MOST_PROCESSES = 64
"""The most processes to ask; more do not run on a machine."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds of notifications from the fetch to their acceptance, and their number."""

    median: float
    p95: float
    count: int


async def scraped_metrics(folder: Path, http: ClientSession) -> list[Metric]:
    """Return the metrics of each answering process, and of no other program on its port."""
    found: list[Metric] = []
    for file in _addresses(folder):
        with suppress(ClientError, OSError, TimeoutError, ValueError, LookupError):
            (address,) = json.loads(file.read_text("utf-8"))[0]["targets"]
            async with http.get(f"http://{address}/metrics") as response:
                text = await response.text()
            found += await asyncio.to_thread(list, text_string_to_metric_families(text))
    return found


def samples(metrics: Iterable[Metric], name: str) -> Iterator[Sample]:
    """Yield the samples of a metric, of all processes."""
    return (sample for metric in metrics if metric.name == name for sample in metric.samples)


def largest_backlogs(metrics: Iterable[Metric]) -> list[Backlog]:
    """Return the hosts and managers of which most pages are due and wait, the largest first."""
    pages = Counter[tuple[str, str]]()
    for sample in samples(metrics, BACKLOG_METRIC):
        pages[sample.labels["host"], sample.labels["manager"]] += int(sample.value)
    return [Backlog(*names, count) for names, count in pages.most_common(MOST_BACKLOGS)]


def used_of_model(metrics: Sequence[Metric], manager: str) -> ModelUsed | None:
    """Return what a manager (its short hash) has used of the language model today.

    Returns None if no process answers that judges: it may run on another machine.
    """
    if not any(metric.name == USE_METRIC for metric in metrics):
        return None
    units = Counter[str]()
    for sample in samples(metrics, USE_METRIC):
        if sample.labels["manager"] == manager:
            units[sample.labels["unit"]] += int(sample.value)
    return ModelUsed(manager, units[CALLS], units[TOKENS])


def measured_latency(metrics: Iterable[Metric]) -> Latency | None:
    """Return the latency since the processes began, None if nothing was delivered."""
    buckets: Counter[float] = Counter()
    for sample in samples(metrics, LATENCY_METRIC):
        if sample.name.endswith("_bucket"):
            buckets[float(sample.labels["le"])] += int(sample.value)
    count = buckets[float("inf")]
    if not count:
        return None
    return Latency(quantile(buckets, 0.5), quantile(buckets, 0.95), count)


def quantile(buckets: Mapping[float, int], share: float) -> float:
    """Return the upper bound of the bucket in which a quantile is.

    ``buckets`` are cumulative, by their upper bounds; the last has no finite bound, so its lower
    bound is returned.

    >>> quantile({0.1: 5, 1.0: 9, float("inf"): 10}, 0.5)
    0.1
    """
    bounds = sorted(buckets)
    wanted = share * buckets[bounds[-1]]
    reached = next(bound for bound in bounds if buckets[bound] >= wanted)
    return reached if reached != float("inf") else bounds[-2]


def _addresses(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))[:MOST_PROCESSES]
