"""Holds the cost model against a deployment: what it expects, and what is measured.

``python -m bench.cost.check``: `vokter up --processes` with a hundred thousand watches, each of
which is checked once an hour; for ten minutes a fiftieth of the checks find a change. Linux only.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.cost.deployed import watch
from bench.cost.measure import DRAIN, HOSTS, SETTLED, seen
from bench.cost.measured import measured
from bench.cost.model import Measured, memory_of, rows_of
from bench.cost.observed import Observed, Parts, between, observe
from bench.cost.units import counts, expected
from bench.measuring import Say, commit, machine, timed_printer
from bench.race.site import Mode
from bench.race.up import KEYWORDS, Up
from bench.race.watched import site

TOLERANCE = 0.2
LEAST = {"cpu": 1.0, "kafka": 100_000.0, "store": 100_000.0}
"""CPU seconds and bytes below which a part is not compared by itself."""


def rows(
    known: Measured, found: Observed, watches: int, subscriptions: int
) -> Iterator[tuple[str, str, float, float]]:
    """Yield kind, part, expectation and measurement of each part, and of all of a kind.

    CPU is with what each process uses at rest, memory with what it has there.
    """
    for kind, least in LEAST.items():
        wanted = expected(known.units, kind, counts(found))
        yield from _compared(kind, wanted, getattr(found, kind), least)
    memory = {
        part: memory_of(part, known, 1, rows_of(part, known, watches, subscriptions))
        for part in found.memory
    }
    yield from _compared("memory", memory, found.memory, 0.0)


def _compared(
    kind: str, wanted: Parts, used: Parts, least: float
) -> Iterator[tuple[str, str, float, float]]:
    yield kind, "all", sum(wanted.values()), sum(used.values())
    for part in sorted(wanted.keys() | used.keys()):
        if max(wanted.get(part, 0.0), used.get(part, 0.0)) >= least:
            yield kind, part, wanted.get(part, 0.0), used.get(part, 0.0)


def table(known: Measured, found: Observed, watches: int, subscriptions: int) -> Table:
    """Return expectations and measurements, with marks where they are apart."""
    numbers = counts(found)
    title = ", ".join(f"{count:,.0f} {unit}s" for unit, count in numbers.items())
    drawn = Table("kind", "part", "expected", "measured", "ratio", "", title=title)
    for kind, part, wanted, used in rows(known, found, watches, subscriptions):
        ratio = used / wanted if wanted else float("inf")
        mark = "" if abs(ratio - 1) <= TOLERANCE else "apart"
        drawn.add_row(kind, part, f"{wanted:,.1f}", f"{used:,.1f}", f"{ratio:.2f}", mark)
    return drawn


async def run(options: argparse.Namespace, say: Say) -> tuple[Observed, Observed, Observed]:
    """Register all watches; return what reading them took, and the minutes after that."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with site(options.seed, options.watches, HOSTS, options.size) as watched:
            up = Up(Path(folder, "data"), is_apart=True)
            try:
                await up.start()
                await asyncio.sleep(SETTLED)
                empty = await observe(up, watched)
                hooks = [watched.hook(str(number)) for number in range(options.subscriptions)]
                await watch(up, watched, hooks, KEYWORDS, options.interval, say)
                await asyncio.sleep(DRAIN)
                registered = between(empty, await observe(up, watched))
                say("all is read; checks are measured")
                mode = Mode(changing=options.change)
                found = await seen(up, watched, mode, options.minutes * 60)
                return empty, registered, found
            finally:
                await up.stop()


def main() -> None:
    """Measure and print."""
    options = _options()
    out = Console(width=120)
    out.print(f"{commit()}, {machine()}", highlight=False)
    empty, registered, found = asyncio.run(run(options, timed_printer(out)))
    known = measured(options.units)
    out.print(table(known, found, options.watches, options.subscriptions), highlight=False)
    grown = Table("process", "MB before", "MB", "bytes a watch", title="memory")
    for part, used in found.memory.items():
        before = empty.memory.get(part, 0)
        each = (used - before) / options.watches
        grown.add_row(part, f"{before / 1e6:.0f}", f"{used / 1e6:.0f}", f"{each:,.0f}")
    out.print(grown)
    if options.out:
        kept = {"empty": asdict(empty), "registered": asdict(registered), "steady": asdict(found)}
        options.out.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watches", type=int, default=100_000)
    parser.add_argument("--interval", type=int, default=3_600)
    parser.add_argument("--change", type=float, default=0.02)
    parser.add_argument("--subscriptions", type=int, default=1, help="of each page")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--size", type=int, default=66_000, help="bytes of a page")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--units", type=Path, required=True, help="what bench.cost.measure found")
    parser.add_argument("--out", type=Path, help="where to write what was seen")
    return parser.parse_args()


if __name__ == "__main__":
    main()
