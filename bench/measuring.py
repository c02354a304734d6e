"""What every section of the bench measures with: CPU time of this process, medians."""

import os
import platform
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import monotonic, process_time
from typing import TypeVar

from rich.console import Console

T = TypeVar("T")

Say = Callable[[str], None]
CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Run:
    """What was asked for: the seed of all that is random, and how many subscriptions.

    ``largest`` is of the indexes; ``queries`` of the comparison with Lucene Monitor, None for as
    many as take a few minutes, and ``setup`` one of its presearchers, empty for all.
    """

    seed: int
    largest: int
    queries: int | None = None
    setup: str = ""


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the CPU seconds of a call, and its result."""
    start = process_time()
    result = work()
    return process_time() - start, result


def typical(work: Callable[[], object], times: int) -> float:
    """Return the median CPU seconds of a call, after one run that warms up."""
    work()
    return median(timed(work)[0] for _ in range(times))


def spread(values: Sequence[float]) -> str:
    """Return the median, the smallest and the largest value as text."""
    if not values:
        return ""
    return f"{median(values):.3g} ({min(values):.3g} to {max(values):.3g})"


def timed_printer(out: Console) -> Say:
    """Return a function that prints a line after the seconds since now."""
    begun = monotonic()

    def say(text: str) -> None:
        out.print(f"{monotonic() - begun:5.0f} s  {text}", highlight=False)

    return say


def machine() -> str:
    """Return the system, the number of cores and their model."""
    lines = CPUINFO.read_text("utf-8").splitlines() if CPUINFO.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return f"{platform.platform()}, {os.cpu_count()} cores {models[:1]}"


def commit(checkout: Path = Path(__file__).parent) -> str:
    """Return the commit of a checkout, by default of the one that is measured."""
    line = ["git", "describe", "--always", "--dirty"]
    git = subprocess.run(line, cwd=checkout, capture_output=True, text=True, check=False)  # noqa: S603
    return git.stdout.strip() or "unknown"


def versions(packages: tuple[str, ...]) -> str:
    """Return packages with their installed versions."""
    return ", ".join(f"{name} {version(name)}" for name in packages)
