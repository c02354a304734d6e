"""Compare rendered visits with other watchers in one browser; ``python -m bench.rendered``.

Each watcher visits the page of ``bench.rendering`` again and again in a process by itself. What
it needs to start is measured by a run with one visit, and subtracted. The environments
``peers-changedetection.io`` and ``peers-webchanges`` need playwright and psutil, too.
"""

import argparse
import asyncio
import os
import sys
import time
from asyncio.subprocess import DEVNULL
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.rendering import served_page
from connectors.browser.finding import find_browser

SIDES = Path(__file__).parent / "rendered_sides"
WAYS = {
    "Vokter": "vokter_side.py",
    "changedetection.io": "changedetection_side.py",
    "webchanges": "webchanges_side.py",
}
SAMPLES_S = 0.05


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of CPU and of time, and the most bytes that processes have for themselves."""

    cpu: float
    seconds: float
    memory: int


async def main(visits: int, environments: Path) -> None:
    """Print what a visit of each watcher costs."""
    async with served_page() as url:
        for name, side in WAYS.items():
            python = environments / f"peers-{name}" / "bin" / "python"
            if name == "Vokter":
                python = Path(sys.executable)
            if not python.exists():
                print(f"{name}: LEFT OUT: there is no {python}")
                continue
            once = await _measured(python, side, url, 1)
            often = await _measured(python, side, url, 1 + visits)
            cpu, seconds = (often.cpu - once.cpu) / visits, (often.seconds - once.seconds) / visits
            print(
                f"{name}: {cpu:.2f} s of CPU a visit, {seconds:.2f} s, "
                f"{60 / cpu:.0f} a minute and core, {often.memory / 1e6:.0f} MB"
            )


async def _measured(python: Path, side: str, url: str, visits: int) -> Cost:
    path = find_browser(os.environ.get("VOKTER_BROWSER"))
    assert path is not None, "there is no Chromium"
    begun = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        python, SIDES / side, url, str(visits), path, stdout=DEVNULL
    )
    root, ended = psutil.Process(process.pid), asyncio.create_task(process.wait())
    times, memory = dict[psutil.Process, float](), 0
    while not ended.done():
        memory = max(memory, await asyncio.to_thread(_sample, root, times))
        await asyncio.wait([ended], timeout=SAMPLES_S)
    assert ended.result() == 0, f"{side} failed"
    return Cost(sum(times.values()), time.monotonic() - begun, memory)


def _sample(root: psutil.Process, times: dict[psutil.Process, float]) -> int:
    """Note the CPU of each process under one, and return what they have of memory together."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.Error):
                spent, memory = process.cpu_times(), process.memory_info()
                times[process] = spent.user + spent.system
                total += memory.rss - getattr(memory, "shared", 0)
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=20)
    parser.add_argument("--environments", type=Path, default=Path(".venv"), help="of the peers")
    chosen = parser.parse_args()
    asyncio.run(main(chosen.visits, chosen.environments))
