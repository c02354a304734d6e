"""How long ``vokter up`` takes to be healthy, with its broker: ``python -m bench.startup``."""

import asyncio
import tempfile
from pathlib import Path
from time import perf_counter

from rich.console import Console

from bench.race.up import Up

TIMES = 3


async def run(out: Console) -> None:
    """Start on an empty folder, then where it stopped, some times each."""
    for number in range(TIMES):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            up = Up(Path(folder))
            for what in ("an empty folder", "the same folder"):
                begun = perf_counter()
                await up.start()
                out.print(f"{number + 1}. on {what}: ready after {perf_counter() - begun:.1f} s")
                await up.stop()


if __name__ == "__main__":
    asyncio.run(run(Console()))
