"""Compares Vokter with other watchers, end to end. Run by ``make bench``; Linux only.

Each repetition measures all of them in turn, so that other load on the machine affects
all alike. docs/performance.md says what is measured and how.
"""

import argparse
import asyncio
import os
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.measuring import Say, machine, timed_printer
from bench.race.changedetection import ChangeDetection
from bench.race.chart import draw
from bench.race.commands import URLWATCH, WEBCHANGES, CommandLine
from bench.race.ours import Vokter
from bench.race.pipeline import Bytewax
from bench.race.report import (
    APART,
    EARLIER,
    HEAD,
    OURS,
    Record,
    Run,
    marginal,
    markdown,
    parts,
    rows,
)
from bench.race.rounds import Contender, Course, Result, Round, rounds_at, rounds_back_to_back
from bench.race.watched import Watched, site
from tests.harness.family import PROC

BACK_TO_BACK: dict[str, Callable[[Course], Contender]] = {
    "urlwatch": lambda course: CommandLine(URLWATCH, course),
    "changedetection.io": ChangeDetection,
    "webchanges": lambda course: CommandLine(WEBCHANGES, course),
}
PACED: dict[str, Callable[[Course], Contender]] = {
    # Bytewax has no wheels for Python 3.13 and later.
    **({"bytewax": Bytewax} if sys.version_info < (3, 13) else {}),
    OURS: Vokter,
    APART: lambda course: Vokter(course, APART, is_apart=True),
}
HOSTS = 200
Entry = tuple[Contender, list[Round]]


async def race(options: argparse.Namespace, say: Say) -> Record:
    """Measure all in turn, and write the results after each repetition."""
    end = time.monotonic() + options.minutes * 60
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        pages = options.interval * sum(options.rates) * len(options.contender)
        cores = _apart() if options.one_core else set()
        watched = await stack.enter_async_context(site(options.seed, pages, HOSTS, cores=cores))
        entries = list(_entries(options, watched, Path(folder)))
        record = Record(_facts(options, [each for each, _ in entries]), [])
        for each, _ in entries:
            say(f"{each.name} {each.version()} fetches {each.pages:,} pages for the first time")
            stack.push_async_callback(each.close)
            await each.prepare()
        for number in range(options.repeats):
            if time.monotonic() > end:
                say(f"no more repetitions after {options.minutes} minutes")
                break
            for each, rounds in entries:
                record.runs.extend(await _repetition(each, rounds, number + 1, say))
            record.write(options.out.with_suffix(".json"))
        return record


def _apart() -> set[int]:
    """Leave this process and all that it starts a single core; return the others, for the site.

    Two busy cores may be one with two threads: the same work then takes up to 1.6 times the CPU
    seconds, for those who use both.
    """
    one, *others = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {one})
    return {*others}


def _entries(options: argparse.Namespace, watched: Watched, folder: Path) -> Iterator[Entry]:
    """Yield who takes part in which rounds: those who check by themselves once for each rate."""
    pages, rates = iter(watched.pages), options.rates

    def course(rate: int) -> Course:
        own = list(islice(pages, rate * options.interval))
        return Course(watched, own, folder, options.environments, rate, options.interval)

    paced = PACED | {EARLIER: lambda course: Vokter(course, EARLIER, options.earlier)}
    for name in options.contender:
        if name in BACK_TO_BACK:
            yield BACK_TO_BACK[name](course(max(rates))), list(rounds_back_to_back(rates))
        else:
            for rate in rates:
                yield paced[name](course(rate)), list(rounds_at(rate, rates))


async def _repetition(
    contender: Contender, rounds: list[Round], number: int, say: Say
) -> list[Run]:
    await contender.warm()
    runs = []
    for round_ in rounds:
        result = await contender.run(round_)
        runs += [Run(contender.name, name, number, result) for name in round_.names]
        say(f"{number}. {contender.name}, {round_.names[0]}: {_summary(result)}")
    await contender.rest()
    return runs


def _summary(result: Result) -> str:
    found = f", {result.found} of {result.planted} found" if result.planted else ""
    return f"{result.checks} checks, {marginal(result):.2f} ms each{found}, {result.wall:.1f} s"


def _facts(options: argparse.Namespace, contenders: list[Contender]) -> dict[str, object]:
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "python": platform.python_version(),
        "versions": {each.name: each.version() for each in contenders},
        "pages": {each.name: each.pages for each in contenders},
        "hosts": HOSTS,
        "rates": options.rates,
        "interval": options.interval,
        "one core": options.one_core,
        "seed": options.seed,
    }


def main() -> None:
    """Measure, print, and write the results."""
    options = _options()
    out = Console(width=200)
    say = timed_printer(out)
    say(f"seed {options.seed}, {options.pages:,} pages, {options.repeats} repetitions")
    record = asyncio.run(race(options, say))
    table = Table(*HEAD)
    for row in rows(record):
        table.add_row(*row)
    out.print(table)
    options.out.with_suffix(".md").write_text(markdown(HEAD, rows(record)), "utf-8")
    draw(record, options.out.with_suffix(".svg"))
    out.print(*(", ".join(line) for line in parts(record)), sep="\n", highlight=False)
    out.print(f"written to {options.out}.json, .md and .svg")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    known = [*BACK_TO_BACK, *PACED]
    of_all = [name for name in known if name != APART]
    names = f"{', '.join(of_all)}: all if none; {APART}"
    parser.add_argument("contender", nargs="*", help=names)
    parser.add_argument("--pages", type=int, default=2_000, help="at the highest rate")
    parser.add_argument("--rates", type=_rates, default="10,50,200", help="checks a second")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--minutes", type=int, default=40, help="no repetition begins after these")
    parser.add_argument(
        "--one-core", action="store_true", help="contenders share a core, the site has the others"
    )
    parser.add_argument("--earlier", type=Path, help="a checkout of another commit to race")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--environments", type=Path, default=Path(".venv"), help="of the peers")
    parser.add_argument("--out", type=Path, default=Path("bench/results/race"))
    options = parser.parse_args()
    if unknown := set(options.contender) - {*known}:
        parser.error(f"no such contender: {', '.join(sorted(unknown))}")
    options.contender = [*(options.contender or of_all), *([EARLIER] if options.earlier else [])]
    options.interval, left = divmod(options.pages, max(options.rates))
    if left or not options.interval:
        parser.error("--pages must be a multiple of the highest rate: whole seconds of checks")
    if not (PROC / "self/smaps_rollup").exists():
        sys.exit("CPU and memory are read from /proc, which only Linux has")
    return options


def _rates(text: str) -> list[int]:
    return sorted({int(rate) for rate in text.split(",")})


if __name__ == "__main__":
    main()
