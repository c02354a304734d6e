"""Read the metrics of the processes with their addresses in a folder."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aiohttp import ClientError, ClientSession
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

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


async def scraped_metrics(folder: Path, http: ClientSession) -> AsyncIterator[list[Metric]]:
    """Yield the metrics of each answering process, and of no other program on its port."""
    for file in _noted(folder):
        with suppress(ClientError, OSError, TimeoutError, ValueError, LookupError):
            (address,) = json.loads(file.read_text("utf-8"))[0]["targets"]
            async with http.get(f"http://{address}/metrics") as response:
                text = await response.text()
            yield await asyncio.to_thread(_families, text)


async def scraped_backlogs(folder: Path, http: ClientSession) -> list[Backlog]:
    """Return the hosts and managers of which most pages are due and wait, the largest first."""
    pages = Counter[tuple[str, str]]()
    async for families in scraped_metrics(folder, http):
        for sample in (sample for family in families for sample in family.samples):
            if sample.name == BACKLOG_METRIC:
                pages[sample.labels["host"], sample.labels["manager"]] += int(sample.value)
    return [Backlog(*whose, count) for whose, count in pages.most_common(MOST_BACKLOGS)]


async def scraped_model_use(folder: Path, http: ClientSession, manager: str) -> ModelUsed | None:
    """Return what a manager (its short hash) has used of the language model today.

    Returns None if no process answers that judges: it may run on another machine.
    """
    units, is_known = Counter[str](), False
    async for families in scraped_metrics(folder, http):
        for family in (family for family in families if family.name == USE_METRIC):
            is_known = True
            for sample in family.samples:
                if sample.labels["manager"] == manager:
                    units[sample.labels["unit"]] += int(sample.value)
    return ModelUsed(manager, units[CALLS], units[TOKENS]) if is_known else None


async def scraped_latency(folder: Path, http: ClientSession) -> Latency | None:
    """Return the latency since the processes began, None if nothing was delivered."""
    buckets: Counter[float] = Counter()
    async for families in scraped_metrics(folder, http):
        for family in families:
            if family.name == LATENCY_METRIC:
                for sample in family.samples:
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


def _noted(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))[:MOST_PROCESSES]


def _families(text: str) -> list[Metric]:
    return list(text_string_to_metric_families(text))
