"""Samples of a running deployment: its processes, what they keep in memory and on disk."""

import asyncio
import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from aiohttp import ClientSession

from bench import stored
from bench.race.usage import alone, branches, command, family, open_files, threads
from bench.soak.verdict import Sample, Values
from connectors.metrics.scraping import samples, scraped_metrics
from streams.cli.health.status import in_memory
from tests.harness.processes import Deployment

BROKER = "broker"
TABLES_METRIC = "vokter_table_bytes"
HEAD = ("seconds", "quantity", "value")


async def sampled(
    vokter: Deployment, names: Sequence[str], broker: Path, http: ClientSession
) -> Values:
    """Return all quantities of a deployment, the broker of which is in a folder."""
    settings = vokter.settings
    parts = {name: vokter[name].pid for name in names if vokter[name].is_running}
    values = await asyncio.to_thread(_of_processes, parts)
    values |= await asyncio.to_thread(_on_disk, vokter, broker)
    metrics = await scraped_metrics(settings.metrics_folder, http)
    for agent, kinds in in_memory(metrics).items():
        values |= {f"entries {agent} {kind}": float(count) for kind, count in kinds.items()}
    for sample in samples(metrics, TABLES_METRIC):
        values[f"table {sample.labels['agent']} {sample.labels['table']}"] = sample.value
    return values


class Sheet:
    """Writes samples to a CSV file, a line for each quantity."""

    def __init__(self, file: TextIO) -> None:
        """Write the head."""
        self._file = file
        self._lines = csv.writer(file)
        self._lines.writerow(HEAD)

    def add(self, sample: Sample) -> None:
        """Write one sample, so that it is there whatever happens to the run."""
        lives = {f"process {name}": pid for name, pid in sample.lives.items()}
        for name, value in {**sample.values, **lives}.items():
            self._lines.writerow((f"{sample.at:.1f}", name, f"{value:.12g}"))
        self._file.flush()


def _of_processes(pids: dict[str, int]) -> dict[str, float]:
    families = {name: family(pid) for name, pid in pids.items()}
    parts = branches(os.getpid()).items()
    families[BROKER] = next(branch for child, branch in parts if "kafka.Kafka" in command(child))
    values: dict[str, float] = {}
    for name, members in families.items():
        values[f"memory {name}"] = alone(members)
        values[f"files {name}"] = open_files(members)
        values[f"threads {name}"] = threads(members)
    return values


def _on_disk(vokter: Deployment, broker: Path) -> dict[str, float]:
    settings = vokter.settings
    logs = stored.topic_logs(broker, settings.topic_prefix)
    tables = stored.store_tables(settings.data_dir / "vokter.db")
    states = {each.name: stored.folder(each) for each in (settings.data_dir / "state").iterdir()}
    return {
        **{f"topic {name}": float(size) for name, size in logs.items()},
        **{f"store {name}": float(size) for name, size in tables.items()},
        **{f"copies {agent}": float(size) for agent, size in states.items()},
        "store file": float(stored.size(settings.data_dir / "vokter.db")),
        "store journal": float(stored.size(settings.data_dir / "vokter.db-wal")),
        "logs": float(sum(stored.size(log) for log in vokter.logs())),
        "count of files": float(sum(1 for _ in settings.data_dir.rglob("*"))),
    }
