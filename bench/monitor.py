"""The same plain queries and changes in the index and in a Lucene Monitor.

Exact words, case ignored; every tenth keyword is a phrase. In Lucene each sentence is a
document, or the whole change is one. Both return the queries that match; nothing is done with them.
"""

import os
import random
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from statistics import median

from rich.console import Group, RenderableType
from rich.table import Table

from bench.matching import EVENTS, matched, memory
from bench.measuring import Run, timed
from bench.percolating import PARTITIONS, Deployment, for_all_pages
from bench.workload import KEYWORDS, LANGUAGE, change, frequencies, plain, vocabulary
from schemas.records.changes import Region
from schemas.records.subscriptions import Subscription
from streams.matching.index.subscription_index import SubscriptionIndex
from streams.matching.matcher import Matcher

PACKAGES = ("numpy",)
PROJECT = Path(__file__).with_name("lucene")
LUCENE = 100_000
"""Queries in Lucene; with a million a run takes up to 10 minutes: docs/performance.md."""
BATCH = 20_000
SETUPS = ("term", "term-weighted", "multipass", "multipass-weighted")
"""Lucene's presearchers; the weighted ones know how frequent each word is in texts."""
GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
Rows = dict[str, list[tuple[float, str]]]


def table(run: Run) -> RenderableType:
    """Measure both, or say why not."""
    if not (shutil.which("mvn") and shutil.which("javac")):
        return "[bold red]LEFT OUT: Lucene Monitor needs Maven and a JDK: mvn, javac[/]"
    size = min(run.largest, LUCENE) if run.queries is None else run.queries
    try:
        classes = _classes()
        setups = (run.setup,) if run.setup else SETUPS
        return Group(*(_measured(name, size, run.seed, classes, setups) for name in KEYWORDS))
    except subprocess.CalledProcessError as error:
        return f"[bold red]LEFT OUT: Lucene Monitor did not run: {error}[/]"


def _measured(name: str, size: int, seed: int, classes: str, setups: Iterable[str]) -> Table:
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    words = vocabulary(chance)
    everyone = [plain(n, KEYWORDS[name](words, chance), chance) for n in range(size)]
    changes = [change(everyone, words, chance) for _ in range(EVENTS)]
    everyone[::10] = [replace(each, keywords=(f'"{each.keywords[0]}"',)) for each in everyone[::10]]
    with tempfile.TemporaryDirectory() as folder:
        files = _written(Path(folder), everyone, changes, words)
        peers = {setup: _peer(classes, files, setup) for setup in setups}
    return _compared(f"{size:,} queries of {name}", everyone, changes, peers)


def _written(
    folder: Path, everyone: list[Subscription], changes: list[list[Region]], words: list[str]
) -> list[str]:
    """Write what Lucene Monitor reads."""
    sentences = [[each.added.text for each in regions if each.added] for regions in changes]
    counts = zip(words, frequencies(words, 1_000_000), strict=True)
    texts = {
        "keywords": "".join(f"{each.keywords[0]}\n" for each in everyone),
        "changes": "".join("\t".join(each) + "\n" for each in sentences),
        "frequencies": "".join(f"{word}\t{count}\n" for word, count in counts),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in texts]


def _classes() -> str:
    """Fetch Lucene, compile the peer, return the class path."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    target = Path(os.environ.get("VOKTER_CACHE") or Path(home, "vokter"), "bench-lucene").absolute()
    target.mkdir(parents=True, exist_ok=True)
    path = target / "classpath"
    maven = ["mvn", "-q", "-B", "-f", str(PROJECT), f"-Dtarget={target}"]
    _run([*maven, GOAL, f"-Dmdep.outputFile={path}"])
    classes = f"{target / 'classes'}{os.pathsep}{path.read_text()}"
    _run(["javac", "-cp", classes, "-d", str(target / "classes"), str(PROJECT / "src/Peer.java")])
    return classes


def _peer(classes: str, files: list[str], setup: str) -> Rows:
    """Run Lucene Monitor; return its rows by name."""
    java = ["java", "-Xmx6g", "-XX:+UseSerialGC", "-cp", classes, "Peer"]
    out = _run([*java, *files, str(BATCH), setup])
    rows: Rows = defaultdict(list)
    for line in out.splitlines():
        name, value, *found = line.split("\t")
        rows[name].append((float(value), *found, "")[:2])  # type: ignore[arg-type]  # two of them
    return rows


def _compared(
    title: str, everyone: list[Subscription], changes: list[list[Region]], peers: dict[str, Rows]
) -> Table:
    adding, index = timed(lambda: SubscriptionIndex(everyone))
    index.find(Matcher(changes[0], LANGUAGE).words)
    results = [timed(lambda each=each: matched(index, each)) for each in changes]  # type: ignore[misc]
    time, size = median(time for time, _ in results) * 1e6, len(everyone)
    found = [{each.id for each in found} for _, found in results]
    table = Table(title, "register µs", "bytes", "40 documents µs", "1 document µs", "matched")
    mine = adding / size * 1e6, memory(everyone) / size, time, time
    table.add_row("Vokter", *(f"{each:,.1f}" for each in mine), f"{sum(map(len, found))}")
    spread = Deployment(for_all_pages(everyone))
    spread.percolate(changes[0])
    several = [spread.percolate(each) for each in changes]
    spent = median(each.match + sum(each.partitions) for each in several) * 1e6
    verdict = "the same" if [each.found for each in several] == found else "[red]OTHERS[/]"
    ours = f"{spent:,.1f} ({spent / time:,.1f} x)"
    table.add_row(f"Vokter, for all pages, {PARTITIONS} partitions", "", "", ours, ours, verdict)
    for setup, rows in peers.items():
        names = "registered", "bytes", "each", "whole"
        theirs = [median(value for value, _ in rows[name]) for name in names]
        ratios = [f"{b:,.1f} ({b / a:,.1f} x)" for a, b in zip(mine, theirs, strict=True)]
        same = found == [set(matched.split()) for _, matched in rows["each"]]
        table.add_row(f"Lucene Monitor, {setup}", *ratios, "the same" if same else "[red]OTHERS[/]")
    return table


def _run(command: list[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603 - our own command
