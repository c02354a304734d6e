"""The same plain queries and changes in the index and in a Lucene Monitor.

Exact words, case ignored; every tenth keyword is a phrase. In Lucene each passage is a
document, or the whole change is one.
"""

import os
import random
import shutil
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import median

from rich.console import RenderableType
from rich.table import Table

from bench.matching import EVENTS, LANGUAGE, change, memory, subscription, told, vocabulary
from bench.measuring import Run, timed
from schemas.facts import Hunk, Subscription
from streams.core.index import Index
from streams.core.index_terms import ChangeWords

PACKAGES = ("numpy",)
PROJECT = Path(__file__).with_name("lucene")
LUCENE = 100_000
"""Queries in Lucene; a million take minutes and 6 GB: docs/decisions/0007."""
BATCH = 20_000
GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
Rows = dict[str, list[tuple[float, str]]]


def table(run: Run) -> RenderableType:
    """Measure both, or say why not."""
    if not (shutil.which("mvn") and shutil.which("javac")):
        return "[bold red]LEFT OUT: Lucene Monitor needs Maven and a JDK: mvn, javac[/]"
    chance = random.Random(run.seed)  # noqa: S311 - to be repeated, not to be secret
    words = vocabulary(chance)
    everyone = [_plain(n, words, chance) for n in range(min(run.largest, LUCENE))]
    changes = [change(everyone, words, chance) for _ in range(EVENTS)]
    everyone[::10] = [replace(each, keywords=(f'"{each.keywords[0]}"',)) for each in everyone[::10]]
    try:
        peer = _peer(everyone, changes)
    except subprocess.CalledProcessError as error:
        return f"[bold red]LEFT OUT: Lucene Monitor did not run: {error}[/]"
    return _compared(everyone, changes, peer)


def _plain(number: int, words: list[str], chance: random.Random) -> Subscription:
    """Give a subscription without stems and stop words."""
    each = subscription(number, words, chance)
    options = {"enable_stemming": False, "filter_stopwords": False, "ignore_case": True}
    return replace(each, **options)  # type: ignore[arg-type]  # by name


def _peer(everyone: list[Subscription], changes: list[list[Hunk]]) -> Rows:
    """Run Lucene Monitor; its rows by name."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    target = Path(os.environ.get("VOKTER_CACHE") or Path(home, "vokter"), "bench-lucene").absolute()
    target.mkdir(parents=True, exist_ok=True)
    path = target / "classpath"
    maven = ["mvn", "-q", "-B", "-f", str(PROJECT), f"-Dtarget={target}"]
    _run([*maven, GOAL, f"-Dmdep.outputFile={path}"])
    classes = f"{target / 'classes'}{os.pathsep}{path.read_text()}"
    _run(["javac", "-cp", classes, "-d", str(target / "classes"), str(PROJECT / "src/Peer.java")])
    with tempfile.TemporaryDirectory() as folder:
        keywords, texts = Path(folder, "keywords"), Path(folder, "changes")
        keywords.write_text("".join(f"{each.keywords[0]}\n" for each in everyone))
        passages = [[hunk.added.text for hunk in each if hunk.added] for each in changes]
        texts.write_text("".join("\t".join(each) + "\n" for each in passages))
        files = [str(keywords), str(texts)]
        java = ["java", "-Xmx6g", "-XX:+UseSerialGC", "-cp", classes, "Peer"]
        out = _run([*java, *files, str(len(everyone)), str(BATCH), "term"])
    rows: Rows = defaultdict(list)
    for line in out.splitlines():
        name, value, *found = line.split("\t")
        rows[name].append((float(value), *found, "")[:2])  # type: ignore[arg-type]  # two of them
    return rows


def _compared(
    everyone: list[Subscription], changes: list[list[Hunk]], peer: Rows
) -> RenderableType:
    adding, index = timed(lambda: Index(everyone))
    index.find(ChangeWords(changes[0], LANGUAGE))
    ours, mine = [], []
    for each in changes:
        time, found = timed(
            lambda each=each: told(index.find(ChangeWords(each, LANGUAGE)), each)  # type: ignore[misc]
        )
        ours.append(time * 1e6)
        mine.append(set(found))
    same = mine == [set(found.split()) for _, found in peer["each"]]
    table = Table("", "Vokter", "Lucene Monitor", "ratio", title=f"{len(everyone):,} queries")
    size = len(everyone)
    rows = {
        "register, µs": (adding / size * 1e6, peer["registered"][0][0]),
        "memory, bytes": (memory(everyone) / size, peer["bytes"][0][0]),
        "40 documents, µs": (median(ours), median(time for time, _ in peer["each"])),
        "1 document, µs": (median(ours), median(time for time, _ in peer["whole"])),
    }
    for name, (us, them) in rows.items():
        table.add_row(name, f"{us:,.1f}", f"{them:,.1f}", f"{them / us:,.2f}")
    told_ = sum(map(len, mine))
    table.add_row("told", f"{told_}", "the same ones" if same else "[red]OTHERS[/]", "")
    return table


def _run(command: list[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603 - our own command
