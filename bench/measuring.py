"""What every section of the bench measures with: CPU time of this process, medians."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from statistics import median
from time import process_time
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """What was asked for: the seed of all that is random, and how many subscriptions.

    ``largest`` is of the indexes; ``queries`` of those beside a Lucene Monitor, None for as
    many as take a few minutes.
    """

    seed: int
    largest: int
    queries: int | None = None


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Give the CPU seconds of a piece of work, and what it gives."""
    start = process_time()
    result = work()
    return process_time() - start, result


def typical(work: Callable[[], object], times: int) -> float:
    """Give the median CPU seconds of a piece of work, after one run that warms up."""
    work()
    return median(timed(work)[0] for _ in range(times))


def versions(packages: tuple[str, ...]) -> str:
    """Name packages with their installed versions."""
    return ", ".join(f"{name} {version(name)}" for name in packages)
