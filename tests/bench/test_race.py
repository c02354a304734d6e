"""The parts of `make bench` that a wrong figure could come from."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import ClientSession

from bench.race.chart import draw
from bench.race.report import HEAD, Record, Run, markdown, ratios, rows, whole
from bench.race.rounds import (
    AT_EACH_RATE,
    MIN_CHECKS,
    MODES,
    Course,
    Result,
    Round,
    rounds_at,
    rounds_back_to_back,
    seconds_of,
)
from bench.race.shelf import Shelf, mark
from bench.race.site import Mode, Site
from bench.race.up import program_of, started_up
from bench.race.usage import branches, cpu, memory, run
from bench.race.watched import Watched
from connectors.readers.reading import read_document
from streams.diff.regions import changed_regions
from streams.settings import Settings
from tests.harness.family import PROC, alive
from tests.harness.waiting import until
from tests.harness.web import served

SEED, PAGES = 7, 4
BURN = "import time\nwhile time.process_time() < 0.2: pass"
linux = pytest.mark.skipif(not (PROC / "self/smaps_rollup").exists(), reason="needs /proc")


def test_a_page_has_66_kb_and_its_next_version_differs_in_three_places() -> None:
    shelf = Shelf(SEED)
    old, new = (shelf.body(3, version) for version in (1, 2))
    assert old == Shelf(SEED).body(3, 1)
    assert 65_500 < len(old) < 66_500
    before, after = (
        read_document(body, "text/html; charset=utf-8", None).text for body in (old, new)
    )
    edits = [edit for region in changed_regions(before, after) for edit in region.edits]
    assert [each.change for each in edits if each.added is not None] == ["added"] * 3


async def test_the_site_counts_what_it_planted_and_what_receivers_were_notified_of() -> None:
    async with served(Site(SEED, PAGES).answer, 2) as urls, ClientSession() as http:
        watched = Watched(http, urls, PAGES)
        await watched.begin(Mode(changing=1.0))
        for page in watched.pages:
            await http.get(page)
        (first, *_) = (await watched.freeze()).planted
        for word in (first, first, mark(0, 1)):
            await http.post(watched.hook("a"), json={"text": f"{word} odd"})
        seen = await watched.seen()
        assert (seen.fetches, len(seen.planted), seen.found, seen.notified) == (PAGES, PAGES, 1, 1)
        assert len(await watched.waits()) == 1
        assert watched.url(first) == watched.pages[0]


async def test_the_site_answers_304_only_in_rounds_that_say_so() -> None:
    async with served(Site(SEED, PAGES).answer, 2) as urls, ClientSession() as http:
        watched = Watched(http, urls, PAGES)
        page = watched.pages[0]
        known = {"If-None-Match": (await http.get(page)).headers["ETag"]}
        assert (await http.get(page, headers=known)).status == 200
        await watched.begin(Mode(conditional=True))
        assert (await http.get(page, headers=known)).status == 304
        assert (await watched.seen()).not_modified == 1


@linux
def test_cpu_of_a_child_that_has_ended_counts() -> None:
    before = cpu({os.getpid()})
    subprocess.run([sys.executable, "-c", BURN], check=True)
    assert cpu({os.getpid()}) - before >= 0.15
    assert memory({os.getpid()}) > 1_000_000


@linux
def test_a_grandchild_belongs_to_the_branch_of_its_parent() -> None:
    line = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", line], stdin=subprocess.PIPE) as child:
        while not (mine := branches(os.getpid()).get(child.pid, set()) - {child.pid}):
            pass
        assert child.stdin is not None
        child.stdin.write(b"\n")
    assert len(mine) == 1


@linux
def test_a_command_that_fails_ends_the_bench_with_what_it_said(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run([sys.executable, "-c", BURN], {}, out, 60).cpu >= 0.15
    with pytest.raises(RuntimeError, match="status 1: no such thing"):
        run([sys.executable, "-c", "raise SystemExit('no such thing')"], {}, out, 60)


def test_ratios_are_made_within_a_repetition(tmp_path: Path) -> None:
    def result(cpu_: float, resting: float) -> Result:
        return Result(100, 0, 10, 10, cpu_, resting, 1.0, 1_000_000, 0.1, 2_000_000, {"fetch": 0.1})

    figures = {"vokter": [(0.3, 0.1), (0.6, 0.2)], "other": [(1.5, 0.5), (1.0, 0.0)]}
    runs = [
        Run(name, "all changed", number, result(*each))
        for name, several in figures.items()
        for number, each in enumerate(several)
    ]
    record = Record({"pages": dict.fromkeys(figures, 100)}, runs)
    record.write(tmp_path / "kept.json")
    assert Record.read(tmp_path / "kept.json") == record
    assert ratios(record, "other", "all changed", whole) == pytest.approx([10 / 3, 10 / 6])
    assert "3.75 (2.5 to 5)" in markdown(HEAD, rows(record))
    assert {row[HEAD.index("a CPU second")] for row in rows(record)} == {"333", "100"}
    draw(record, tmp_path / "chart.svg")
    assert "all changed" in (tmp_path / "chart.svg").read_text("utf-8")


async def test_what_a_bench_has_started_ends_with_it_if_it_is_killed(tmp_path: Path) -> None:
    started = (
        "import sys, time\n"
        "from streams.cli.local.supervisor import end_with_parent\n"
        "assert '--with-parent' in sys.argv\n"
        "end_with_parent()\n"
        "print('Ready: ', flush=True)\n"
        "time.sleep(60)\n"
    )
    bench = (
        "import asyncio, sys, time\n"
        "from pathlib import Path\n"
        "from bench.race.up import started_up\n"
        "from streams.settings import Settings\n"
        "settings = Settings(kafka='nowhere:1', data_dir=Path(sys.argv[1]))\n"
        "up = started_up(settings, 'up', program=[sys.executable, '-c', sys.argv[2]])\n"
        "asyncio.run(up.says('Ready: '))\n"
        "print(up.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    line = [sys.executable, "-c", bench, str(tmp_path), started]
    running = await asyncio.create_subprocess_exec(*line, stdout=subprocess.PIPE)
    assert running.stdout is not None
    pid = int(await running.stdout.readline())
    assert alive({pid}) == {pid}
    running.kill()
    await running.wait()
    await until(lambda: not alive({pid}), "it has ended")


def test_at_the_highest_rate_all_is_measured_and_flat_out_and_below_it_two_modes() -> None:
    rates = (10, 200)
    highest, lower = list(rounds_at(200, rates)), list(rounds_at(10, rates))
    paced = [each for each in highest if not each.is_flat_out]
    assert [each.mode for each in paced] == list(MODES.values())
    assert highest[: len(paced)] == [
        Round(mode, is_flat_out=True, names=[f"{kind}, flat out"]) for kind, mode in MODES.items()
    ]
    assert [each.mode for each in lower] == [MODES[kind] for kind in AT_EACH_RATE]
    assert not any(each.is_flat_out for each in lower)


def test_who_checks_back_to_back_is_compared_with_each_rate_by_one_round_of_a_mode() -> None:
    rates = (10, 200)
    rounds = list(rounds_back_to_back(rates))
    assert [each.mode for each in rounds] == list(MODES.values())
    others = [name for rate in rates for each in rounds_at(rate, rates) for name in each.names]
    assert sorted(name for each in rounds for name in each.names) == sorted(others)


@pytest.mark.parametrize(("pages", "seconds"), [(2_000, 10), (100, 20), (60, 40)])
def test_a_round_takes_whole_intervals_and_enough_checks_for_the_clock(
    tmp_path: Path, pages: int, seconds: int
) -> None:
    watched: Any = SimpleNamespace()
    course = Course(watched, ["page"] * pages, tmp_path, tmp_path, pages // 10, interval=10)
    assert seconds_of(course) == seconds
    assert pages * seconds // 10 >= MIN_CHECKS


async def test_a_checkout_runs_its_own_code_and_not_that_of_this_folder(tmp_path: Path) -> None:
    package = tmp_path / "streams" / "cli"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text("print('Ready: earlier', flush=True)\n", "utf-8")
    settings = Settings(kafka="nowhere:1", data_dir=tmp_path)
    async with started_up(settings, "up", program=program_of(tmp_path)) as running:
        await running.says("Ready: earlier")
        assert (await running.ended()).status == 0


def test_a_checkout_with_an_environment_runs_in_that(tmp_path: Path) -> None:
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    assert str(python) in program_of(tmp_path)
    assert sys.executable not in program_of(tmp_path)
