"""urlwatch and webchanges: command lines that check all pages once, as cron starts them."""

import asyncio
import json
import os
from dataclasses import dataclass
from pathlib import Path

from bench.race.rounds import TIMEOUT_S, Course, Result, Round
from bench.race.site import MARK
from bench.race.usage import Spent, run, version_of


@dataclass(frozen=True, slots=True)
class Tool:
    """A command line: its package, files and options; ``most`` pages are enough for it."""

    name: str
    text_filter: object
    jobs: str
    store: str
    most: int


URLWATCH = Tool("urlwatch", {"html2text": "re"}, "--urls", "--cache", 1_000_000)
# 60 ms a check: with more pages a round takes minutes and is no more precise.
WEBCHANGES = Tool("webchanges", "html2text", "--jobs", "--database", 100)


class CommandLine:
    """One of them with its files in a folder."""

    def __init__(self, tool: Tool, course: Course) -> None:
        self.name = tool.name
        self._tool = tool
        self._course = course
        self._home = course.folder / tool.name
        self._bin = course.environments / f"peers-{tool.name}" / "bin"
        self._urls = course.pages[: tool.most]
        self.pages = len(self._urls)
        self._start = 0.0

    def version(self) -> str:
        """Ask its environment."""
        return version_of(self._bin / "python", self.name)

    async def prepare(self) -> None:
        """Write the jobs, one JSON document each as YAML allows it, and check them once."""
        self._home.mkdir(parents=True)
        jobs = [json.dumps({"url": url, "filter": [self._tool.text_filter]}) for url in self._urls]
        self._file("urls.yaml").write_text("\n---\n".join(jobs), "utf-8")
        self._file("config.yaml").write_text("{}\n", "utf-8")
        self._file("hooks.py").write_text("", "utf-8")
        await self._run()

    async def warm(self) -> None:
        """Measure what it costs to be started, with one page checked and no old versions.

        Its own way to drop those takes minutes: urlwatch packs its file again for each page.
        """
        self._file("cache.db").unlink()
        await self._run()
        self._start = (await self._run("1")).cpu

    async def run(self, round_: Round) -> Result:
        """Start it once and look for the new words in its report."""
        watched = self._course.watched
        await watched.begin(round_.mode)
        spent = await self._run()
        seen = await watched.freeze()
        reported = set(MARK.findall(self._file("report").read_text("utf-8", "replace")))
        found = len(reported.intersection(seen.planted))
        each = (spent.cpu - self._start) / max(1, seen.fetches - 1)
        return Result(
            seen.fetches, seen.not_modified, len(seen.planted), found,
            spent.cpu, self._start - each, spent.wall, spent.memory,
        )  # fmt: skip

    async def rest(self) -> None:
        """Nothing of it runs between rounds."""

    async def close(self) -> None:
        """Nothing of it runs between rounds."""

    async def _run(self, *jobs: str) -> Spent:
        line = [str(self._bin / self.name), self._tool.jobs, str(self._file("urls.yaml")),
                "--config", str(self._file("config.yaml")),
                "--hooks", str(self._file("hooks.py")),
                self._tool.store, str(self._file("cache.db")), *jobs]  # fmt: skip
        env = os.environ | {"HOME": str(self._home)}
        return await asyncio.to_thread(run, line, env, self._file("report"), TIMEOUT_S)

    def _file(self, name: str) -> Path:
        return self._home / name
