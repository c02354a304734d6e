"""Compares Vokter with other watchers, end to end. Run by ``make bench``; Linux only.

Each repetition measures all of them in turn, so that other load on the machine affects
all alike. docs/performance.md says what is measured and how.
"""

import argparse
import asyncio
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.measuring import Say, machine, timed_printer
from bench.race.changedetection import ChangeDetection
from bench.race.chart import draw
from bench.race.commands import URLWATCH, WEBCHANGES, CommandLine
from bench.race.ours import Vokter
from bench.race.pipeline import Bytewax
from bench.race.report import HEAD, Record, Run, marginal, markdown, parts, rows
from bench.race.rounds import ROUNDS, Contender, Course, Result
from bench.race.watched import Watched, site
from tests.harness.family import PROC

CONTENDERS: dict[str, Callable[[Course], Contender]] = {
    "urlwatch": lambda course: CommandLine(URLWATCH, course),
    "changedetection.io": ChangeDetection,
    "webchanges": lambda course: CommandLine(WEBCHANGES, course),
    # Bytewax has no wheels for Python 3.13 and later.
    **({"bytewax": Bytewax} if sys.version_info < (3, 13) else {}),
    "vokter": Vokter,
}
HOSTS = 200


async def race(options: argparse.Namespace, say: Say) -> Record:
    """Measure all in turn, and write the results after each repetition."""
    end = time.monotonic() + options.minutes * 60
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        names = options.contender or list(CONTENDERS)
        pages = options.pages * len(names)
        watched = await stack.enter_async_context(site(options.seed, pages, HOSTS))
        contenders = [
            CONTENDERS[name](_course(options, watched, Path(folder), number))
            for number, name in enumerate(names)
        ]
        record = Record(_facts(options, contenders), [])
        for each in contenders:
            say(f"{each.name} {each.version()} fetches {each.pages:,} pages for the first time")
            stack.push_async_callback(each.close)
            await each.prepare()
        for number in range(options.repeats):
            if time.monotonic() > end:
                say(f"no more repetitions after {options.minutes} minutes")
                break
            for each in contenders:
                record.runs.extend(await _repetition(each, number + 1, say))
            record.write(options.out.with_suffix(".json"))
        return record


def _course(options: argparse.Namespace, watched: Watched, folder: Path, number: int) -> Course:
    pages = watched.pages[number * options.pages : (number + 1) * options.pages]
    return Course(watched, pages, folder, options.environments, options.interval)


async def _repetition(contender: Contender, number: int, say: Say) -> list[Run]:
    await contender.warm()
    runs = []
    for name, mode in ROUNDS.items():
        result = await contender.run(mode)
        runs.append(Run(contender.name, name, number, result))
        say(f"{number}. {contender.name}, {name}: {_summary(result)}")
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
        "interval": options.interval,
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
    parser.add_argument("contender", nargs="*", help=f"{', '.join(CONTENDERS)}; all if none")
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--minutes", type=int, default=40, help="no repetition begins after these")
    parser.add_argument("--interval", type=int, default=10, help="seconds of our subscriptions")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--environments", type=Path, default=Path(".venv"), help="of the peers")
    parser.add_argument("--out", type=Path, default=Path("bench/results/race"))
    options = parser.parse_args()
    if unknown := set(options.contender) - CONTENDERS.keys():
        parser.error(f"no such contender: {', '.join(sorted(unknown))}")
    if not (PROC / "self/smaps_rollup").exists():
        sys.exit("CPU and memory are read from /proc, which only Linux has")
    return options


if __name__ == "__main__":
    main()
