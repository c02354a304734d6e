"""What the processes that read pages share, and what a worker does not load."""

import subprocess
import sys
from functools import cache

from streams.app import AGENTS


def test_no_garbage_collection_copies_what_the_processes_share() -> None:
    modules = "gc, streams.agents.fetch.preload, connectors.processes.frozen"
    ask = f"import {modules}; print(gc.get_freeze_count(), len(gc.get_objects()))"
    line = [sys.executable, "-c", ask]
    out = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    frozen, visited = map(int, out.split())
    assert frozen > 10_000
    assert visited < 1_000


def test_a_worker_loads_no_parser_and_none_but_match_numpy() -> None:
    found = set[str]().union(*(loaded()[name] for name in AGENTS.keys() - {"match", "percolate"}))
    assert not {"bs4", "langdetect", "lxml", "numpy", "pypdf", "pyromark", "selectolax"} & found


def test_a_worker_loads_no_agent_that_it_does_not_run() -> None:
    agents = {
        name: f"streams.agents.{name}.agent"
        for name in ("crawl", "deliver", "fetch", "match", "percolate", "ticker")
    }
    for name, module in agents.items():
        assert loaded()[name] & set(agents.values()) == {module}


LOADING = """
import os, sys
from pathlib import Path
from streams.app import AGENTS
from streams.cli.local.running import member
from streams.settings import Settings
for name in AGENTS:
    if worker := os.fork():
        assert not os.waitpid(worker, 0)[1]
    else:
        member(Settings(), AGENTS[name], Path(), "id", lambda: None)
        print(name, *sys.modules, flush=True)
        os._exit(0)
"""
"""Loads what each worker has before it knows its agent once, and the rest in a fork for each."""


@cache
def loaded() -> dict[str, set[str]]:
    """Return the modules that the worker of each agent has imported."""
    line = [sys.executable, "-c", LOADING]
    out = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    return {name: set(modules) for name, *modules in map(str.split, out.splitlines())}


PROGRAM = """
import asyncio, gc
from connectors.processes.documents import DocumentProcesses
from streams.effects.fetch import PRELOADED

needed = (*PRELOADED, "connectors.readers.html", "connectors.plugins.loading")
schemas = "__import__('schemas.codec.versions').codec.versions.schemas.cache_info().currsize"
pdf = "'pypdf' in __import__('sys').modules"
rich = "'rich' in __import__('sys').modules"
missing = f"[name for name in {needed} if name not in __import__('sys').modules]"

async def main():
    async with DocumentProcesses(1, 60.0, PRELOADED, gc.freeze) as processes:
        found, seconds = await processes.call(eval, (missing,))
        print(*found)
        print(*[(await processes.call(eval, (asked,)))[0] for asked in (schemas, pdf, rich)])

asyncio.run(main())
"""


def test_a_process_has_what_it_reads_pages_with_before_its_first_page() -> None:
    """A fork server silently skips modules that it cannot import; each program has one."""
    line = [sys.executable, "-c", PROGRAM]
    assert (
        subprocess.run(line, capture_output=True, text=True, check=True).stdout
        == "\n1 False False\n"
    )
